"""`@suanli …` in a channel: answered in its thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.conversing import answer_message, in_thread
from bot.slack.desk import Desk
from bot.slack.place import place_of_event
from bot.slack.readers import Readers
from bot.slack.text import typed


def register(app: AsyncApp, desk: Desk, readers: Readers) -> None:
    @app.event("app_mention")
    async def on_mention(event: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext) -> None:
        if event.get("bot_id") or not event.get("user"):
            return
        place = place_of_event(event, context)
        if place.is_direct:
            return  # a direct message is answered as one, mention or not
        turns = desk.turns(place.workspace)
        if event.get("edited") and await in_thread(turns.of_asked, place.channel, event["ts"]):
            return  # an edit of an answered question also comes as message_changed, which updates the answer
        reader = await readers.find(client, place.workspace.team_id, place.user, now=desk.clock())
        text = typed(event.get("text"), context.bot_user_id)
        await answer_message(desk, client, place, text, reader)
