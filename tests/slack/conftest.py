"""The app in process: signed requests in, calls to a fake Slack out."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import urlencode

import pytest_asyncio
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier

from bot.digests import load_digest_words
from bot.folder import Folder
from bot.slack.app import build_app, build_client
from bot.slack.desk import Desk
from bot.storage import Database, Workspace
from tests.slack.fake_assistant import fake_assistant
from tests.slack.fake_slack import TEAM, FakeSlack

SECRET = "test-signing-secret"
OURS = Workspace(TEAM)


@dataclass
class Clock:
    now: datetime = datetime(2026, 11, 30, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time_passed: float) -> None:
        self.now += timedelta(**time_passed)


@dataclass
class Workbench:
    """Slack's side of the conversation."""

    app: AsyncApp
    slack: FakeSlack
    desk: Desk
    clock: Clock
    _ids: Any = field(default_factory=lambda: itertools.count(1))

    async def send(self, body: str, content_type: str, *, at: float | None = None, secret: str = SECRET) -> BoltResponse:
        """A signed request, as Slack would sign it at the moment `at`."""
        stamp = str(int(time() if at is None else at))
        signature = SignatureVerifier(secret).generate_signature(timestamp=stamp, body=body) or ""
        headers = {"content-type": content_type, "x-slack-signature": signature, "x-slack-request-timestamp": stamp}
        return await self.app.async_dispatch(AsyncBoltRequest(body=body, headers=headers))

    async def event(self, event: dict[str, Any], *, event_id: str | None = None, **how: Any) -> BoltResponse:
        body = {
            "type": "event_callback",
            "team_id": TEAM,
            "api_app_id": "A1",
            "event_id": event_id or f"Ev{next(self._ids)}",
            "authorizations": [{"team_id": TEAM, "user_id": "U0BOT", "is_bot": True}],
            "event": event,
        }
        return await self.send(json.dumps(body), "application/json", **how)

    async def mention(self, text: str, *, ts: str = "10.1", **more: Any) -> BoltResponse:
        return await self.event(
            {"type": "app_mention", "channel": "C1", "user": "U1", "text": f"<@U0BOT> {text}", "ts": ts, **more}
        )

    async def message(self, text: str, *, ts: str, channel: str = "C1", user: str = "U1", **more: Any) -> BoltResponse:
        kind = "im" if channel.startswith("D") else "channel"
        event = {"type": "message", "channel": channel, "channel_type": kind, "user": user, "text": text, "ts": ts, **more}
        return await self.event(event)

    async def command(self, text: str, *, channel: str = "C1", user: str = "U1") -> BoltResponse:
        form = {
            "command": "/gpu",
            "text": text,
            "team_id": TEAM,
            "channel_id": channel,
            "user_id": user,
            "response_url": f"{self.slack.url}/response",
            "trigger_id": "1.2",
        }
        return await self.send(urlencode(form), "application/x-www-form-urlencoded")

    async def press(
        self, action_id: str, *, ts: str, value: str | None = None, channel: str = "C1", **message: Any
    ) -> BoltResponse:
        return await self.interact(
            {
                "type": "block_actions",
                "response_url": f"{self.slack.url}/response",
                "channel": {"id": channel},
                "message": {"ts": ts, **message},
                "trigger_id": "1.2",
                "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value, "action_ts": "1"}],
            }
        )

    async def submit(self, view: dict[str, Any], values: dict[str, Any]) -> BoltResponse:
        return await self.interact({"type": "view_submission", "view": {**view, "id": "V1", "state": {"values": values}}})

    async def interact(self, payload: dict[str, Any]) -> BoltResponse:
        full = {"team": {"id": TEAM}, "user": {"id": "U1", "team_id": TEAM}, **payload}
        return await self.send(urlencode({"payload": json.dumps(full)}), "application/x-www-form-urlencoded")


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    slack, clock = FakeSlack(), Clock()
    await slack.start()
    database = Database(f"sqlite:///{tmp_path / 'suanli.db'}")
    await asyncio.to_thread(database.upgrade)
    desk = Desk(fake_assistant(), database, load_digest_words(Folder.knowledge()), clock=clock)
    app = build_app(build_client("xoxb-test", f"{slack.url}/api/"), desk, signing_secret=SECRET)
    yield Workbench(app, slack, desk, clock)
    await slack.stop()
    database.close()
