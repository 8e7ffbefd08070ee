"""The web address of the bot: Slack's events, and two questions that a supervisor asks.

`/slack/events` is Bolt's, signature checked there; `/healthz` says that the process lives; `/readyz` that it can
serve: its database answers and has the newest tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

EVENTS_PATH = "/slack/events"


def build_web(slack: AsgiApp, is_ready: Callable[[], bool]) -> AsgiApp:
    """One ASGI app; `slack` takes whatever is not a health check."""

    async def web(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/healthz":
            await _answer(send, 200, "ok")
        elif scope["type"] == "http" and scope["path"] == "/readyz":
            ready = await asyncio.to_thread(is_ready)
            await _answer(send, 200 if ready else 503, "ready" if ready else "database not ready")
        else:
            await slack(scope, receive, send)

    return web


async def _answer(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
