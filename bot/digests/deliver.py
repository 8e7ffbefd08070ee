"""One digest, posted once: the intention is written first, and on a second attempt the channel is looked at first.

No job engine makes a post to Slack happen exactly once; a crash between the post and the note of it would post again.
So each message carries its digest's id as metadata, and an intention without a `ts` is looked up in the history of
its channel before anything is posted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler
from slack_sdk.web.client import WebClient

from bot.compose import BlockProfile, Composer, Reply
from bot.digests.digest import Digest, DigestWriter
from bot.question import Reader
from bot.storage import (
    Database,
    Post,
    Subscription,
    complete_post,
    find_subscription,
    intend_post,
    last_snapshot,
)

logger = logging.getLogger(__name__)

Outcome = Literal["posted", "unchanged", "posted before", "unsubscribed", "refused"]

EVENT_TYPE = "suanli_digest"  # of the metadata under a digest
_RETRIES = 5
_SLACK_CLOCK = timedelta(seconds=5)  # by how much Slack's clock and ours may differ
_REFUSED_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format"})
_NO_ENTRY = frozenset({"not_in_channel", "channel_not_found", "is_archived", "restricted_action", "account_inactive"})


def build_sync_client(token: str, api_url: str) -> WebClient:
    """The client of the jobs, which run in threads; it waits as long as Slack asks when too much was posted."""
    client = WebClient(token=token, base_url=api_url)
    client.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=_RETRIES))
    return client


@dataclass(frozen=True)
class Mailroom:
    """What a delivery needs. `grace_s`: how long a post of a crashed attempt may still be on its way."""

    database: Database
    write: DigestWriter
    composer: Composer
    client: WebClient
    profile: BlockProfile = "rich"
    grace_s: float = 10.0
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)


def deliver(room: Mailroom, digest_id: str, subscription_id: int, now: datetime) -> Outcome:
    """Write the digest as of `now` and post it, unless there is nothing new or it was posted before."""
    subscription = find_subscription(room.database, subscription_id)
    if subscription is None:
        return "unsubscribed"
    digest = room.write(subscription, now=now)
    told = last_snapshot(room.database, subscription_id)
    if digest is None or (told is not None and digest.snapshot <= told):
        return "unchanged"
    outcome = _post_once(room, digest_id, subscription, digest)
    logger.info("digest id=%s outcome=%s", digest_id, outcome)
    return outcome


def _post_once(room: Mailroom, digest_id: str, subscription: Subscription, digest: Digest) -> Outcome:
    intention = Post(
        id=digest_id,
        workspace=subscription.workspace,
        channel=subscription.channel,
        subscription_id=subscription.id or 0,
        snapshot=digest.snapshot,
        intended_at=room.clock(),
    )
    post = intend_post(room.database, intention)
    if post.ts is not None:
        return "posted before"
    if post is not intention:  # an earlier attempt came this far
        time.sleep(room.grace_s)
        found = _find_posted(room.client, post)
        if found is not None:
            complete_post(room.database, digest_id, found)
            return "posted before"
    ts = _post(room, post, digest, subscription)
    if ts is None:
        return "refused"
    complete_post(room.database, digest_id, ts)
    return "posted"


def _find_posted(client: WebClient, post: Post) -> str | None:
    """The `ts` of the message that carries this digest's id, if the earlier attempt reached Slack."""
    oldest = (post.intended_at - _SLACK_CLOCK).timestamp()
    try:
        history = client.conversations_history(
            channel=post.channel, oldest=f"{oldest:.6f}", include_all_metadata=True, limit=200
        )
    except SlackApiError as exc:
        logger.warning("history not read channel=%s error=%s", post.channel, exc.response.get("error"))
        return None
    for message in history.get("messages") or ():
        metadata = message.get("metadata") or {}
        if metadata.get("event_type") == EVENT_TYPE and (metadata.get("event_payload") or {}).get("digest") == post.id:
            return str(message["ts"])
    return None


def _post(room: Mailroom, post: Post, digest: Digest, subscription: Subscription) -> str | None:
    """Post it, in plain blocks when the rich ones are refused; None where the channel refuses the bot."""
    reader = Reader(language=subscription.language, timezone=subscription.timezone)

    def send(profile: BlockProfile) -> str:
        return _send(room.client, post, room.composer.compose(digest.answer, profile=profile, reader=reader))

    try:
        return send(room.profile)
    except SlackApiError as exc:
        code = str(exc.response.get("error"))
        if code in _REFUSED_BLOCKS:
            return send("plain")
        if code in _NO_ENTRY:
            logger.warning("digest refused id=%s channel=%s error=%s", post.id, post.channel, code)
            return None
        raise


def _send(client: WebClient, post: Post, reply: Reply) -> str:
    blocks: list[dict[str, Any]] = [dict(block) for block in reply.blocks]
    answer = client.chat_postMessage(
        channel=post.channel,
        text=reply.text,
        blocks=blocks,
        metadata={"event_type": EVENT_TYPE, "event_payload": {"digest": post.id}},
        unfurl_links=False,
        unfurl_media=False,
    )
    return str(answer["ts"])
