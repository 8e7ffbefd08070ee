"""Buttons under an answer: the sum, the configuration, another question, Adjust… and the two thumbs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.question import Question, Reader, Thread
from bot.slack.adjusting import adjust_view
from bot.slack.conversing import answer_openly, deliver, handle_of, in_thread, tell
from bot.slack.desk import Desk
from bot.slack.place import Place, place_of_action
from bot.slack.posting import CannotPost, Message, post, reply_to_asker
from bot.slack.readers import Readers
from bot.storage import Feedback, save_feedback

ASK = re.compile(r"ask_\d+")  # a button that stands for a message, which is its value


def register(app: AsyncApp, desk: Desk, readers: Readers) -> None:
    async def pressed(
        body: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext
    ) -> tuple[Place, Reader, Question | None]:
        """Where the button is, who pressed it, and the question above it."""
        place = place_of_action(body, context)
        reader = await readers.find(client, place.workspace.team_id, place.user, now=desk.clock())
        turn = await in_thread(desk.turns(place.workspace).of_reply, place.channel, place.ts or "")
        return place, reader, turn.question if turn else None

    async def unfold(
        body: Mapping[str, Any],
        client: AsyncWebClient,
        context: AsyncBoltContext,
        respond: AsyncRespond,
        unfolded: Callable[[Question, Reader], Message | None],
    ) -> None:
        """Post a further part of the answer into its thread."""
        place, reader, question = await pressed(body, client, context)
        if question is None:
            await reply_to_asker(respond, desk.notice(reader.language or "en", "slack.no_longer_known"))
            return
        message = await in_thread(unfolded, question, reader)
        if message is None:
            await reply_to_asker(respond, desk.notice(question.language, "slack.nothing_more"))
            return
        try:
            await post(client, message, channel=place.channel, thread_ts=place.answer_thread)
        except CannotPost:
            await reply_to_asker(respond, message)

    @app.action("show_sum")
    async def on_sum(
        ack: AsyncAck, body: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext, respond: AsyncRespond
    ) -> None:
        await ack()
        await unfold(body, client, context, respond, desk.sum_of)

    @app.action("show_recipe")
    async def on_recipe(
        ack: AsyncAck, body: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext, respond: AsyncRespond
    ) -> None:
        await ack()
        await unfold(body, client, context, respond, desk.recipe_of)

    @app.action(ASK)
    async def on_ask(
        ack: AsyncAck,
        body: Mapping[str, Any],
        client: AsyncWebClient,
        context: AsyncBoltContext,
        respond: AsyncRespond,
    ) -> None:
        await ack()
        place, reader, question = await pressed(body, client, context)
        text = body["actions"][0].get("value") or ""
        draft = await in_thread(desk.answer, text, Thread(question), reader)
        if place.answer_thread or place.is_direct:
            await deliver(desk, client, place, draft, asked_ts=None)
        else:
            await answer_openly(desk, client, respond, place, draft, text=text, bot=handle_of(context))

    @app.action("adjust")
    async def on_adjust(
        ack: AsyncAck, body: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext, respond: AsyncRespond
    ) -> None:
        await ack()
        place, reader, question = await pressed(body, client, context)
        if question is None:
            await reply_to_asker(respond, desk.notice(reader.language or "en", "slack.no_longer_known"))
            return
        view = await in_thread(adjust_view, desk, place, question)
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    @app.action("feedback")
    async def on_feedback(
        ack: AsyncAck,
        body: Mapping[str, Any],
        action: Mapping[str, Any],
        client: AsyncWebClient,
        context: AsyncBoltContext,
    ) -> None:
        await ack()
        place, reader, question = await pressed(body, client, context)
        helpful = action.get("value") == "good"
        given = Feedback(place.channel, place.ts or "", place.user, helpful, desk.clock())
        await in_thread(save_feedback, desk.database, place.workspace, given)
        language = question.language if question else reader.language or "en"
        await tell(client, place, desk.notice(language, "slack.thanks" if helpful else "slack.sorry"))
