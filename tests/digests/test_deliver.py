"""A digest goes out once: not twice after a crash, not again without news, not where nobody wants it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
import pytest_asyncio

from bot.answer import Answer, Bilingual
from bot.compose import Composer
from bot.digests.deliver import EVENT_TYPE, Mailroom, build_sync_client, deliver
from bot.digests.digest import Digest
from bot.digests.engine import DigestEngine
from bot.question import Intent, Question
from bot.storage import Database, Post, Subscription, Subscriptions, Workspace, intend_post
from tests.slack.fake_slack import TEAM, FakeSlack

OURS = Workspace(TEAM)
ORDERED = datetime(2026, 11, 25, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 9, 5, tzinfo=UTC)
ID = "digest:1:2026-11-30"


@dataclass
class Writer:
    """Tells of the snapshot it is given; of nothing when it is given none."""

    snapshot: date | None = date(2026, 11, 29)
    asked: list[datetime] = field(default_factory=list)

    def __call__(self, subscription: Subscription, *, now: datetime) -> Digest | None:
        self.asked.append(now)
        if self.snapshot is None:
            return None
        question = Question("", Intent.DIGEST)
        return Digest(
            self.snapshot, Answer(question, Bilingual("3 prices changed.", "3 个价格有变化。"), subscription.language)
        )


@dataclass
class Office:
    slack: FakeSlack
    database: Database
    writer: Writer
    room: Mailroom

    def subscribe(self, channel: str = "C1", **changes: object) -> Subscription:
        weekly = Subscription(OURS, channel, "prices", time(9), "UTC", weekday=0, created_at=ORDERED)
        return Subscriptions(self.database, OURS).put(replace(weekly, **changes))  # type: ignore[arg-type]

    async def deliver(self, digest_id: str = ID, now: datetime = NOW) -> str:
        return await asyncio.to_thread(deliver, self.room, digest_id, 1, now)


@pytest_asyncio.fixture
async def office(database: Database) -> AsyncIterator[Office]:
    slack, writer = FakeSlack(), Writer()
    await slack.start()
    client = build_sync_client("xoxb-test", f"{slack.url}/api/")
    room = Mailroom(database, writer, Composer(), client, grace_s=0.0, clock=lambda: NOW)
    yield Office(slack, database, writer, room)
    await slack.stop()


async def test_a_digest_carries_its_id(office: Office) -> None:
    office.subscribe(language="zh")
    assert await office.deliver() == "posted"
    (posted,) = office.slack.posted
    assert posted["text"] == "3 个价格有变化。"
    assert posted["metadata"] == {"event_type": EVENT_TYPE, "event_payload": {"digest": ID}}


async def test_a_second_delivery_posts_nothing(office: Office) -> None:
    office.subscribe()
    assert [await office.deliver(), await office.deliver()] == ["posted", "unchanged"]
    assert len(office.slack.posted) == 1


async def test_the_same_snapshot_is_not_told_again_next_week(office: Office) -> None:
    office.subscribe()
    await office.deliver()
    assert await office.deliver("digest:1:2026-12-07") == "unchanged"
    office.writer.snapshot = date(2026, 12, 6)
    assert await office.deliver("digest:1:2026-12-07") == "posted"


async def test_nothing_is_posted_when_nothing_changed(office: Office) -> None:
    office.subscribe()
    office.writer.snapshot = None
    assert await office.deliver() == "unchanged"
    assert office.slack.calls == []


async def test_nothing_is_posted_after_unsubscribing(office: Office) -> None:
    assert await office.deliver() == "unsubscribed"


async def test_a_post_that_a_crash_left_unnoted_is_found_and_not_repeated(office: Office) -> None:
    office.subscribe()
    intend_post(office.database, Post(ID, OURS, "C1", 1, date(2026, 11, 29), NOW))
    carried = {"event_type": EVENT_TYPE, "event_payload": {"digest": ID}}
    office.slack.history = [{"ts": "5.5", "metadata": carried}]
    assert await office.deliver() == "posted before"
    assert office.slack.posted == []
    assert float(office.slack.of("conversations.history")[0]["oldest"]) == NOW.timestamp() - 5


async def test_an_intention_that_never_reached_slack_is_posted(office: Office) -> None:
    office.subscribe()
    intend_post(office.database, Post(ID, OURS, "C1", 1, date(2026, 11, 29), NOW))
    office.slack.history = [
        {"ts": "5.4"},
        {"ts": "5.5", "metadata": {"event_type": EVENT_TYPE, "event_payload": {"digest": "x"}}},
    ]
    assert await office.deliver() == "posted"


@pytest.mark.parametrize("error", ["not_in_channel", "is_archived"])
async def test_a_channel_that_refuses_the_bot_is_left_alone(office: Office, error: str) -> None:
    office.subscribe()
    office.slack.refuse("chat.postMessage", error)
    assert await office.deliver() == "refused"


async def test_refused_blocks_go_out_once_more_in_plain(office: Office) -> None:
    office.subscribe()
    office.slack.refuse("chat.postMessage", "invalid_blocks")
    assert await office.deliver() == "posted"


async def test_a_rate_limit_is_waited_out(office: Office) -> None:
    office.subscribe()
    office.slack.refuse("chat.postMessage", "ratelimited")
    assert await office.deliver() == "posted"


async def test_the_engine_posts_what_is_due_once(office: Office) -> None:
    office.subscribe("C1")
    office.subscribe("C2", weekday=None, timezone="Asia/Shanghai")
    office.subscribe("C3", weekday=5, created_at=NOW)

    def two_runs() -> tuple[dict[str, str], dict[str, str]]:
        engine = DigestEngine(office.room, executor="test")
        engine.start(on_schedule=False)
        try:
            return dict(engine.run_due(NOW)), dict(engine.run_due(NOW + timedelta(minutes=1)))
        finally:
            engine.stop()

    first, second = await asyncio.to_thread(two_runs)
    assert first == {"digest:1:2026-11-30": "posted", "digest:2:2026-11-30": "posted"}
    assert second == first  # the results of the same runs
    assert sorted(call["channel"] for call in office.slack.posted) == ["C1", "C2"]


async def test_the_engine_makes_up_at_its_start_for_what_was_missed(office: Office) -> None:
    office.subscribe("C1")
    engine = DigestEngine(office.room, executor="test")
    await asyncio.to_thread(engine.start, on_schedule=True)
    try:
        await asyncio.to_thread(engine.run_due, NOW)
    finally:
        await asyncio.to_thread(engine.stop)
    assert len(office.slack.posted) == 1
