"""The same app behind its web address: signed requests over ASGI, as a server hands them in."""

from __future__ import annotations

import json
from time import time
from typing import Any

import pytest
from slack_bolt.adapter.asgi.async_handler import AsyncSlackRequestHandler
from slack_sdk.signature import SignatureVerifier

from bot.web import EVENTS_PATH, build_web
from tests.slack.conftest import SECRET, Workbench


async def post(
    bench: Workbench, body: dict[str, Any], *, age_s: int = 0, secret: str = SECRET, path: str = EVENTS_PATH
) -> tuple[int, str]:
    raw, stamp = json.dumps(body), str(int(time()) - age_s)
    headers = {
        "content-type": "application/json",
        "x-slack-request-timestamp": stamp,
        "x-slack-signature": SignatureVerifier(secret).generate_signature(timestamp=stamp, body=raw) or "",
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": raw.encode(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    handler = AsyncSlackRequestHandler(bench.app, path=EVENTS_PATH)
    await build_web(handler, lambda: True)(scope, receive, send)  # type: ignore[arg-type]
    return sent[0]["status"], sent[1]["body"].decode()


MENTION = {
    "type": "event_callback",
    "team_id": "T1",
    "event_id": "Ev1",
    "event": {"type": "app_mention", "channel": "C1", "user": "U1", "text": "<@U0BOT> A100 70B", "ts": "10.1"},
}


async def test_a_signed_event_is_answered(bench: Workbench) -> None:
    assert (await post(bench, MENTION))[0] == 200
    assert len(bench.slack.posted) == 1


@pytest.mark.parametrize("how", [{"secret": "guessed"}, {"age_s": 360}])
async def test_a_forged_or_old_one_is_not(bench: Workbench, how: dict[str, Any]) -> None:
    assert (await post(bench, MENTION, **how))[0] == 401
    assert bench.slack.calls == []


async def test_slacks_handshake_is_answered(bench: Workbench) -> None:
    status, body = await post(bench, {"type": "url_verification", "challenge": "c0ffee"})
    assert (status, json.loads(body)) == (200, {"challenge": "c0ffee"})


async def test_another_path_is_not_found(bench: Workbench) -> None:
    assert (await post(bench, MENTION, path="/admin"))[0] == 404
