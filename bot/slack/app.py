"""The Slack app: Bolt with its middleware, every listener, and the one broad catch."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.compose.escape import slack_text
from bot.question import Language
from bot.slack.conversing import in_thread
from bot.slack.desk import Desk
from bot.slack.listeners import actions, commands, lifecycle, mentions, messages, views
from bot.slack.place import workspace_of
from bot.slack.readers import Readers

logger = logging.getLogger(__name__)

_RETRIES = 2  # of a call refused for its rate, after the time that Slack names


def build_client(token: str, api_url: str) -> AsyncWebClient:
    """A client that waits and tries again when Slack says "too many"; by itself it does so on lost connections only."""
    client = AsyncWebClient(token=token, base_url=api_url)
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=_RETRIES))
    return client


def build_app(client: AsyncWebClient, desk: Desk, *, signing_secret: str | None = None) -> AsyncApp:
    """The app with everything registered. Listeners run inside the request: an answer takes milliseconds, and waiting
    for Bolt's acknowledgement loop would cost ten more (`process_before_response`)."""
    app = AsyncApp(client=client, signing_secret=signing_secret, process_before_response=True, name="suanli")
    readers = Readers()
    app.use(_once(desk))
    commands.register(app, desk, readers)
    mentions.register(app, desk, readers)
    messages.register(app, desk, readers)
    actions.register(app, desk, readers)
    views.register(app, desk, readers)
    lifecycle.register(app, desk)
    app.error(_apologise(desk))
    return app


def _once(desk: Desk) -> Callable[..., Awaitable[BoltResponse | None]]:
    async def once(
        body: Mapping[str, Any],
        context: AsyncBoltContext,
        next: Callable[[], Awaitable[None]],
    ) -> BoltResponse | None:
        """Let an event through once, however often it is delivered and by whichever process it is received."""
        event_id = body.get("event_id")
        if event_id and not await in_thread(desk.is_first_delivery, workspace_of(context), event_id):
            logger.info("event seen before id=%s", event_id)
            return BoltResponse(status=200)
        await next()
        return None

    return once


def _apologise(desk: Desk) -> Callable[..., Awaitable[BoltResponse]]:
    async def apologise(
        error: Exception, body: Mapping[str, Any], client: AsyncWebClient, context: AsyncBoltContext
    ) -> BoltResponse:
        """Whatever a listener raised is logged under a number, and the person who waits is told that number."""
        incident = secrets.token_hex(4)
        logger.error("incident id=%s", incident, exc_info=error)
        language: Language = "zh" if _is_chinese(body) else "en"
        text = slack_text(desk.words(language, "slack.incident", incident=incident))
        await _tell(client, context, body, text, incident)
        return BoltResponse(status=200)

    return apologise


async def _tell(
    client: AsyncWebClient, context: AsyncBoltContext, body: Mapping[str, Any], text: str, incident: str
) -> None:
    event = body.get("event") or {}
    try:
        if context.response_url and context.respond is not None:
            await context.respond(text=text, response_type="ephemeral", replace_original=False)
        elif context.channel_id and context.channel_id.startswith("D"):
            await client.chat_postMessage(channel=context.channel_id, text=text, thread_ts=event.get("thread_ts"))
        elif context.channel_id and context.user_id:
            await client.chat_postEphemeral(
                channel=context.channel_id, user=context.user_id, text=text, thread_ts=event.get("thread_ts")
            )
        elif context.user_id:  # a form has no channel: the bot writes to the person
            await client.chat_postMessage(channel=context.user_id, text=text)
    except SlackApiError as exc:
        logger.warning("incident id=%s not told: %s", incident, exc.response.get("error"))


def _is_chinese(body: Mapping[str, Any]) -> bool:
    text = str((body.get("event") or {}).get("text") or body.get("text") or "")
    return any("一" <= character <= "鿿" for character in text)
