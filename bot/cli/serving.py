"""The parts that `serve` and `digest` put together from the settings: database, desk, mailroom, Slack app."""

from __future__ import annotations

import typer
from slack_bolt.app.async_app import AsyncApp

from bot.assistant import Assistant
from bot.compose import Composer
from bot.digests import load_digest_words
from bot.digests.deliver import Mailroom, build_sync_client
from bot.digests.prices import PriceDigests
from bot.settings import Settings
from bot.slack.app import build_app, build_client
from bot.slack.desk import Desk
from bot.storage import Database
from bot.wiring import folder_once, load_specs_once


def open_database(settings: Settings) -> Database:
    """The database with the newest tables."""
    database = Database(settings.database_url)
    database.upgrade()
    return database


def build_slack(settings: Settings, assistant: Assistant, database: Database) -> AsyncApp:
    desk = Desk(assistant, database, load_digest_words(folder_once()), profile=settings.blocks)
    secret = settings.slack_signing_secret
    client = build_client(bot_token(settings), settings.slack_api_url)
    return build_app(client, desk, signing_secret=secret.get_secret_value() if secret else None)


def build_mailroom(settings: Settings, database: Database) -> Mailroom:
    return Mailroom(
        database=database,
        write=PriceDigests(folder_once(), load_specs_once()),
        composer=Composer(),
        client=build_sync_client(bot_token(settings), settings.slack_api_url),
        profile=settings.blocks,
    )


def bot_token(settings: Settings) -> str:
    if settings.slack_bot_token is None:
        raise typer.BadParameter("SLACK_BOT_TOKEN is not set; the bot's token (xoxb-…) is in the app's settings")
    return settings.slack_bot_token.get_secret_value()
