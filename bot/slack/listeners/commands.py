"""`/gpu QUESTION` answers in the channel; `/gpu help|why|subscribe …|unsubscribe|show` answers the asker alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.digests import read_verb
from bot.question import Language, Reader, Thread
from bot.slack.conversing import answer_openly, handle_of, in_thread, language_of, obey
from bot.slack.desk import Desk
from bot.slack.place import Place, place_of_command
from bot.slack.posting import CannotPost, Message, reply_to_asker
from bot.slack.readers import Readers
from bot.slack.subscribing import Order, settle
from bot.slack.text import typed
from bot.storage import thread_of

COMMAND = "/gpu"


def register(app: AsyncApp, desk: Desk, readers: Readers) -> None:
    @app.command(COMMAND)
    async def on_gpu(
        ack: AsyncAck,
        command: Mapping[str, Any],
        client: AsyncWebClient,
        respond: AsyncRespond,
        context: AsyncBoltContext,
    ) -> None:
        await ack()
        place = place_of_command(command, context)
        text = typed(command.get("text"), context.bot_user_id)
        reader = await readers.find(client, place.workspace.team_id, place.user, now=desk.clock())
        language = language_of(text, reader)
        verb, rest = read_verb(text or "help", desk.digest_words)
        bot = handle_of(context)
        if verb == "subscribe":
            try:
                await obey(desk, client, place, Order(verb, rest, language), reader)
            except CannotPost:
                await reply_to_asker(respond, desk.notice(language, "slack.invite_first", bot=bot))
        elif verb in ("unsubscribe", "show"):
            await reply_to_asker(respond, await in_thread(settle, desk, place, Order(verb, rest, language), reader))
        elif verb == "why":
            await reply_to_asker(respond, await in_thread(_last_explained, desk, place, reader, language))
        else:
            question = desk.words(language, "slack.help_message") if verb == "help" else text
            draft = await in_thread(desk.answer, question, Thread(), reader)
            await answer_openly(desk, client, respond, place, draft, text=text, bot=bot)


def _last_explained(desk: Desk, place: Place, reader: Reader, language: Language) -> Message:
    """Why the asker's last answer in this channel is what it is."""
    thread = thread_of(desk.turns(place.workspace).last_of_channel(place.channel, asker=place.user))
    if thread.question is None:
        return desk.notice(language, "slack.nothing_known")
    return desk.answer(desk.words(thread.question.language, "slack.why_message"), thread, reader).message
