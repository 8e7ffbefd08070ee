"""Health checks beside Slack's events."""

from __future__ import annotations

from typing import Any

import pytest

from bot.web import build_web


async def get(path: str, *, ready: bool = True) -> tuple[int, bytes]:
    async def slack(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"slack"})

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
    await build_web(slack, lambda: ready)(scope, receive, send)
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("path", "ready", "status", "body"),
    [
        ("/healthz", False, 200, b"ok"),
        ("/readyz", True, 200, b"ready"),
        ("/readyz", False, 503, b"database not ready"),
        ("/slack/events", True, 404, b"slack"),
    ],
)
async def test_paths(path: str, ready: bool, status: int, body: bytes) -> None:
    assert await get(path, ready=ready) == (status, body)
