"""A small Slack Web API on loopback: answers what the app asks for, records it, and refuses what a test tells it to."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

BOT, BOT_ID, TEAM = "U0BOT", "B0BOT", "T1"


class FakeSlack:
    """`calls` holds (method, arguments) in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.profile: dict[str, Any] = {"tz": "Asia/Shanghai", "locale": "en-US"}
        self.history: list[dict[str, Any]] = []
        self._refusals: dict[str, list[str]] = defaultdict(list)
        self._stamps = itertools.count(1)
        self._runner: web.AppRunner | None = None
        self.url = ""

    def refuse(self, method: str, error: str, *, times: int = 1) -> None:
        self._refusals[method] += [error] * times

    def of(self, method: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == method]

    @property
    def posted(self) -> list[dict[str, Any]]:
        return self.of("chat.postMessage")

    async def start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._method)
        app.router.add_post("/response", self._response)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _method(self, request: web.Request) -> web.Response:
        method, arguments = request.match_info["method"], await _arguments(request)
        self.calls.append((method, arguments))
        if self._refusals[method]:
            error = self._refusals[method].pop(0)
            if error == "ratelimited":
                return web.json_response({"ok": False, "error": error}, status=429, headers={"Retry-After": "0"})
            return web.json_response({"ok": False, "error": error})
        return web.json_response({"ok": True, **self._answer(method, arguments)})

    async def _response(self, request: web.Request) -> web.Response:
        self.calls.append(("respond", await request.json()))
        if self._refusals["respond"]:
            return web.Response(status=400, text=self._refusals["respond"].pop(0))
        return web.Response(text="ok")

    def _answer(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        stamp = f"1700000000.{next(self._stamps):06d}"
        return {
            "auth.test": {
                "user_id": BOT,
                "bot_id": BOT_ID,
                "team_id": TEAM,
                "user": "suanli",
                "team": "Lab",
                "url": self.url,
            },
            "users.info": {"user": {"id": arguments.get("user"), **self.profile}},
            "chat.postMessage": {"ts": stamp, "channel": arguments.get("channel")},
            "conversations.history": {"messages": self.history},
            "chat.postEphemeral": {"message_ts": stamp},
        }.get(method, {})


async def _arguments(request: web.Request) -> dict[str, Any]:
    """Whatever way the client sent them; nested JSON is opened."""
    raw = await request.text()
    if request.content_type == "application/json":
        return dict(json.loads(raw or "{}"))
    pairs = {**dict(request.query), **dict(parse_qsl(raw))}
    return {name: json.loads(value) if value[:1] in "[{" else value for name, value in pairs.items()}
