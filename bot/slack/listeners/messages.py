"""Messages without a mention: direct ones, replies in threads that the bot answered, and edits of answered questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.question import Reader, Thread
from bot.slack.conversing import answer_message, answer_reply, in_thread
from bot.slack.desk import Desk
from bot.slack.place import Place, place_of_event
from bot.slack.posting import update
from bot.slack.readers import Readers
from bot.slack.text import mentions, typed
from bot.storage import Turn

_TYPED = frozenset({None, "file_share", "thread_broadcast"})  # the subtypes that are messages of people


def register(app: AsyncApp, desk: Desk, readers: Readers) -> None:
    @app.event("message")
    async def on_message(event: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext) -> None:
        subtype = event.get("subtype")
        if subtype == "message_changed":
            await _on_edit(event, client, context)
        elif subtype in _TYPED and event.get("user") and not event.get("bot_id"):
            await _on_new(event, client, context)

    async def _on_new(event: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext) -> None:
        place, text = place_of_event(event, context), typed(event.get("text"), context.bot_user_id)
        if place.is_direct:
            await answer_message(desk, client, place, text, await _reader(client, place))
        elif place.thread_ts and not mentions(event.get("text")):  # a mention of the bot comes as app_mention too
            await answer_reply(desk, client, place, text, await _reader(client, place))

    async def _on_edit(event: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """An answered question that was edited gets its answer updated in place."""
        message, before = event.get("message") or {}, event.get("previous_message") or {}
        if message.get("bot_id") or not message.get("user") or message.get("text") == before.get("text"):
            return  # also an unfurled link or a reply counted: the words are the same
        place = place_of_event({**message, "channel": event["channel"], "channel_type": event.get("channel_type")}, context)
        turn = await in_thread(desk.turns(place.workspace).of_asked, place.channel, message["ts"])
        if turn is None:
            return
        text = typed(message.get("text"), context.bot_user_id)
        await _answer_anew(client, place, turn, text, await _reader(client, place))

    async def _answer_anew(client: AsyncWebClient, place: Place, turn: Turn, text: str, reader: Reader) -> None:
        draft = await in_thread(desk.answer, text, Thread(turn.before), reader)
        await update(client, draft.message, channel=place.channel, ts=turn.reply_ts)
        await in_thread(desk.keep, draft, place, reply_ts=turn.reply_ts, asked_ts=turn.asked_ts)

    async def _reader(client: AsyncWebClient, place: Place) -> Reader:
        return await readers.find(client, place.workspace.team_id, place.user, now=desk.clock())
