"""Messages on their way to Slack: posted, whispered to one person, or written over an older one.

A message refused as `invalid_blocks` goes out once more in plain blocks, so that a block that a client or workspace
does not know costs the table its looks and not the reader the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import SuanliError

logger = logging.getLogger(__name__)

T = TypeVar("T")
Blocks = tuple[Mapping[str, Any], ...]

_REFUSED_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format"})
_NO_ENTRY = frozenset({"not_in_channel", "channel_not_found", "is_archived", "restricted_action", "no_permission"})
_HTTP_OK = 200
_MOST_FRAMED = 48  # Slack takes 50 blocks; the frame needs two


class CannotPost(SuanliError):
    """The bot may not write there: not a member, archived, or restricted. `code` is Slack's word for it."""

    def __init__(self, channel: str, code: str) -> None:
        super().__init__(f"cannot post in {channel}: {code}; invite the bot there")
        self.code = code


@dataclass(frozen=True, slots=True)
class Message:
    """Fallback text and blocks; `plain` makes the same blocks in the plain profile."""

    text: str
    blocks: Blocks = ()
    plain: Callable[[], Blocks] | None = None


def framed(message: Message, above: str | None = None, below: str | None = None) -> Message:
    """The message between two lines of small print (mrkdwn, escaped already)."""

    def between(blocks: Blocks) -> Blocks:
        return (*_notes(above), *blocks[:_MOST_FRAMED], *_notes(below))

    plain = message.plain
    return replace(message, blocks=between(message.blocks), plain=(lambda: between(plain())) if plain else None)


async def post(client: AsyncWebClient, message: Message, *, channel: str, thread_ts: str | None = None) -> str:
    """Post it; the new message's `ts`. Raises CannotPost where the bot is no member."""

    async def call(blocks: Blocks) -> str:
        answer = await client.chat_postMessage(
            channel=channel,
            thread_ts=thread_ts,
            text=message.text,
            blocks=_sent(blocks),
            unfurl_links=False,  # sources would explode into previews
            unfurl_media=False,
        )
        return str(answer["ts"])

    return await _sent_or_plain(call, message, channel)


async def update(client: AsyncWebClient, message: Message, *, channel: str, ts: str) -> None:
    async def call(blocks: Blocks) -> None:
        await client.chat_update(channel=channel, ts=ts, text=message.text, blocks=_sent(blocks) or [])

    await _sent_or_plain(call, message, channel)


async def whisper(
    client: AsyncWebClient, message: Message, *, channel: str, user: str, thread_ts: str | None = None
) -> None:
    """Show it to one person only. Raises CannotPost where the bot is no member."""

    async def call(blocks: Blocks) -> None:
        await client.chat_postEphemeral(
            channel=channel, user=user, thread_ts=thread_ts, text=message.text, blocks=_sent(blocks)
        )

    await _sent_or_plain(call, message, channel)


async def reply_to_asker(respond: AsyncRespond, message: Message) -> None:
    """Answer a command or a button through its response address: works where the bot is no member."""
    answer = await respond(
        response_type="ephemeral", replace_original=False, text=message.text, blocks=_sent(message.blocks)
    )
    if answer.status_code != _HTTP_OK and message.plain is not None:
        logger.warning("blocks refused status=%d, sending plain", answer.status_code)
        await respond(response_type="ephemeral", replace_original=False, text=message.text, blocks=_sent(message.plain()))


async def _sent_or_plain(call: Callable[[Blocks], Awaitable[T]], message: Message, channel: str) -> T:
    try:
        return await call(message.blocks)
    except SlackApiError as exc:
        code = str(exc.response.get("error"))
        if code in _NO_ENTRY:
            raise CannotPost(channel, code) from exc
        if code not in _REFUSED_BLOCKS or message.plain is None:
            raise
        logger.warning("blocks refused code=%s, sending plain", code)
        return await call(message.plain())


def _notes(text: str | None) -> Blocks:
    return ({"type": "context", "elements": [{"type": "mrkdwn", "text": text}]},) if text else ()


def _sent(blocks: Blocks) -> list[dict[str, Any]] | None:
    return [dict(block) for block in blocks] or None
