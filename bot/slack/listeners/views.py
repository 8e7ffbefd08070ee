"""The Adjust… form sent back: errors beside their fields, or the question answered anew in its thread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.compose.escape import slack_text
from bot.slack.adjusting import CALLBACK, read_adjustment
from bot.slack.conversing import in_thread, tell
from bot.slack.desk import Desk
from bot.slack.place import Place, workspace_of
from bot.slack.posting import framed, post
from bot.slack.readers import Readers


def register(app: AsyncApp, desk: Desk, readers: Readers) -> None:
    @app.view(CALLBACK)
    async def on_adjusted(
        ack: AsyncAck,
        view: Mapping[str, Any],
        body: Mapping[str, Any],
        client: AsyncWebClient,
        context: AsyncBoltContext,
    ) -> None:
        place = _place(view, body, context)
        reader = await readers.find(client, place.workspace.team_id, place.user, now=desk.clock())
        turn = await in_thread(desk.turns(place.workspace).of_reply, place.channel, place.ts or "")
        if turn is None or turn.question is None:
            await ack()
            await tell(client, place, desk.notice(reader.language or "en", "slack.no_longer_known"))
            return
        adjusted = await in_thread(read_adjustment, desk, turn.question, view["state"]["values"])
        if adjusted.errors:
            await ack(response_action="errors", errors=dict(adjusted.errors))
            return
        await ack()
        if not adjusted.question.changed:
            await tell(
                client, replace(place, thread_ts=place.answer_thread), desk.notice(turn.question.language, "slack.unchanged")
            )
            return
        draft = await in_thread(desk.answer_again, adjusted.question, turn.question, reader)
        said = slack_text(desk.words(draft.answer.language, "slack.adjusted", changes=adjusted.changes))
        message = framed(draft.message, f"<@{place.user}> {said}")
        ts = await post(client, message, channel=place.channel, thread_ts=place.answer_thread)
        await in_thread(desk.keep, draft, place, reply_ts=ts, asked_ts=None)


def _place(view: Mapping[str, Any], body: Mapping[str, Any], context: AsyncBoltContext) -> Place:
    """The message under which the form was opened, as the form carries it."""
    opened = json.loads(view["private_metadata"])
    channel = opened["channel"]
    return Place(
        workspace_of(context),
        channel,
        body["user"]["id"],
        opened["thread_ts"],
        opened["reply_ts"],
        channel.startswith("D"),
    )
