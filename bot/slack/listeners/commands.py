"""`/gpu QUESTION` answers in the channel; `/gpu help|why|subscribe …|unsubscribe|show` answers the asker alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.compose.escape import slack_text
from bot.digests import read_verb
from bot.question import Language, Reader, Thread
from bot.slack.conversing import in_thread, language_of, obey
from bot.slack.desk import Desk, Draft
from bot.slack.place import Place, place_of_command
from bot.slack.posting import CannotPost, Message, framed, post, reply_to_asker
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
        bot = _handle(context)
        if verb == "subscribe":
            try:
                await obey(desk, client, place, Order(verb, rest, language), reader)
            except CannotPost:
                await reply_to_asker(respond, desk.notice(language, "slack.invite_first", bot=bot))
        elif verb in ("unsubscribe", "show"):
            await reply_to_asker(respond, await in_thread(settle, desk, place, Order(verb, rest, language), reader))
        elif verb == "why":
            await reply_to_asker(respond, await in_thread(_last_sum, desk, place, reader, language))
        else:
            draft = await in_thread(desk.answer, verb or text, Thread(), replace(reader, language=language))
            await _answer(desk, client, respond, place, draft, text=text, bot=bot)


async def _answer(
    desk: Desk, client: AsyncWebClient, respond: AsyncRespond, place: Place, draft: Draft, *, text: str, bot: str
) -> None:
    """In the channel, with the question quoted; to the asker alone when private or where the bot is no member."""
    if draft.private:
        await reply_to_asker(respond, draft.message)
        return
    language = draft.answer.language
    try:
        ts = await post(client, _asked_by(desk, draft.message, language, place.user, text), channel=place.channel)
    except CannotPost:
        invitation = slack_text(desk.words(language, "slack.invite", bot=bot))
        await reply_to_asker(respond, framed(draft.message, None, invitation))
        return
    await in_thread(desk.keep, draft, place, reply_ts=ts, asked_ts=None)


def _asked_by(desk: Desk, message: Message, language: Language, user: str, question: str) -> Message:
    """A command leaves no message of its own, so its answer quotes the question and invites replies in its thread."""
    quoted = slack_text(desk.words(language, "slack.asked", question=question))
    invitation = slack_text(desk.words(language, "slack.reply_here"))
    return framed(message, f"<@{user}> {quoted}", invitation)


def _last_sum(desk: Desk, place: Place, reader: Reader, language: Language) -> Message:
    """The sum of the last answer in this channel."""
    question = thread_of(desk.turns(place.workspace).last_of_channel(place.channel)).question
    if question is None:
        return desk.notice(language, "slack.nothing_known")
    return desk.sum_of(question, reader) or desk.notice(question.language, "slack.no_sum")


def _handle(context: AsyncBoltContext) -> str:
    """The bot's own name as people type it into `/invite`."""
    name = context.authorize_result.user if context.authorize_result else None
    return f"@{name or 'suanli'}"
