"""`suanli serve`: the bot in Slack, over Socket Mode or signed HTTP, with the digests' schedule beside it."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.digests.engine import DigestEngine
    from bot.settings import Settings
    from bot.storage import Database


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    host: str = typer.Option("127.0.0.1", help="Address to listen on, with signed HTTP."),
    port: int = typer.Option(3000, help="Port to listen on, with signed HTTP."),
) -> None:
    """Connect to Slack: Socket Mode with SLACK_APP_TOKEN, else signed HTTP with SLACK_SIGNING_SECRET."""
    from bot.wiring import build_assistant, settings_once

    settings = settings_once()
    _check(settings)
    from bot.cli.serving import build_mailroom, build_slack, open_database
    from bot.digests.engine import DigestEngine

    _configure_logging(settings.log_level)
    database, assistant = open_database(settings), build_assistant(settings)
    slack = build_slack(settings, assistant, database)
    engine = DigestEngine(build_mailroom(settings, database), executor="serve")
    with _running(engine):
        if settings.slack_app_token is not None:
            _serve_socket(slack, settings.slack_app_token.get_secret_value())
        else:
            _serve_http(slack, database, host, port)


def _configure_logging(level: str) -> None:
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    # The first writes the bodies of refused requests into the log, the second speaks at every look at the tables.
    for name in ("slack_bolt.RequestVerification", "alembic.runtime.migration"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # Bolt warns that the token in the environment goes unused beside a client that was built from that very token.
    logging.getLogger("slack_bolt.AsyncApp").addFilter(lambda record: "`token` will be unused" not in record.getMessage())


def _check(settings: Settings) -> None:
    if settings.slack_bot_token is None:
        raise typer.BadParameter("SLACK_BOT_TOKEN is not set; the bot's token (xoxb-…) is in the app's settings")
    if settings.slack_app_token is None and settings.slack_signing_secret is None:
        raise typer.BadParameter("set SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for signed HTTP")


@contextmanager
def _running(engine: DigestEngine) -> Iterator[None]:
    engine.start(on_schedule=True)
    try:
        yield
    finally:
        engine.stop()


def _serve_socket(slack: AsyncApp, app_token: str) -> None:
    import asyncio

    from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

    async def run() -> None:
        handler = AsyncSocketModeHandler(slack, app_token)
        try:
            await handler.start_async()  # type: ignore[no-untyped-call]
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop as after Ctrl-C: sockets and jobs are closed
    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)


def _serve_http(slack: AsyncApp, database: Database, host: str, port: int) -> None:
    import uvicorn
    from slack_bolt.adapter.asgi.async_handler import AsyncSlackRequestHandler

    from bot.web import EVENTS_PATH, build_web

    handler = AsyncSlackRequestHandler(slack, path=EVENTS_PATH)
    web = build_web(handler, database.is_ready)  # type: ignore[arg-type]  # Bolt narrows ASGI's types
    uvicorn.run(web, host=host, port=port, log_config=None, access_log=False)
