"""What mentions, direct messages, thread replies and buttons have in common: find the thread, answer, post, remember."""

from __future__ import annotations

import asyncio

from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.compose.escape import slack_text
from bot.digests import read_verb
from bot.question import Language, Reader
from bot.slack.desk import Desk, Draft
from bot.slack.place import Place
from bot.slack.posting import CannotPost, Message, framed, post, reply_to_asker, whisper
from bot.slack.subscribing import Order, settle

in_thread = asyncio.to_thread  # sync work (the answer, the database) leaves the event loop free


async def answer_message(desk: Desk, client: AsyncWebClient, place: Place, text: str, reader: Reader) -> None:
    """Answer a message that is meant for the bot; digest commands work here as they do after /gpu. Nothing is help."""
    text = text or desk.words(language_of("", reader), "slack.help_message")
    verb, rest = read_verb(text, desk.digest_words)
    if verb in ("subscribe", "unsubscribe", "show"):
        await obey(desk, client, place, Order(verb, rest, language_of(text, reader)), reader)
        return
    thread = await in_thread(desk.known, place)
    draft = await in_thread(desk.answer, text, thread, reader)
    await deliver(desk, client, place, draft, asked_ts=place.ts)


async def answer_reply(desk: Desk, client: AsyncWebClient, place: Place, text: str, reader: Reader) -> None:
    """Answer a reply in a thread that the bot answered before, if it is a question or a follow-up; else stay silent."""
    thread = await in_thread(desk.known, place)
    if thread.question is None:
        return
    draft = await in_thread(desk.answer_if_meant, text, thread, reader)
    if draft is not None:
        await deliver(desk, client, place, draft, asked_ts=place.ts)


async def deliver(desk: Desk, client: AsyncWebClient, place: Place, draft: Draft, *, asked_ts: str | None) -> None:
    """Post the answer and remember it. Help and refusals go to the asker only, except in a direct message."""
    if draft.private and not place.is_direct:
        await tell(client, place, draft.message)
        return
    ts = await post(client, draft.message, channel=place.channel, thread_ts=place.answer_thread)
    await in_thread(desk.keep, draft, place, reply_ts=ts, asked_ts=asked_ts)


async def answer_openly(
    desk: Desk, client: AsyncWebClient, respond: AsyncRespond, place: Place, draft: Draft, *, text: str, bot: str
) -> None:
    """Answer a question that is no message of its own: in the channel, with the question quoted.

    To the asker alone when the answer is private or the bot is no member there.
    """
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


async def tell(client: AsyncWebClient, place: Place, message: Message) -> None:
    """For the asker's eyes only. In a direct message there are no others."""
    if place.is_direct:
        await post(client, message, channel=place.channel, thread_ts=place.thread_ts)
    else:
        await whisper(client, message, channel=place.channel, user=place.user, thread_ts=place.thread_ts)


async def obey(desk: Desk, client: AsyncWebClient, place: Place, order: Order, reader: Reader) -> None:
    """Store, remove or show the channel's subscription, and say so. Raises CannotPost, with nothing stored."""
    message = await in_thread(settle, desk, place, order, reader)
    try:
        await tell(client, place, message)
    except CannotPost:
        if order.verb == "subscribe":  # a digest could not be posted either
            await in_thread(desk.subscriptions(place.workspace).remove, place.channel)
        raise


def language_of(text: str, reader: Reader) -> Language:
    """Chinese when any of the text is Chinese, else what the reader set in Slack, else English."""
    if any("一" <= character <= "鿿" for character in text):
        return "zh"
    return reader.language or "en"


def handle_of(context: AsyncBoltContext) -> str:
    """The bot's own name as people type it into `/invite`."""
    name = context.authorize_result.user if context.authorize_result else None
    return f"@{name or 'suanli'}"
