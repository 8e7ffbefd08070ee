"""Due times on wall clocks, both changes of New York's clocks in 2026 included."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest
from freezegun import freeze_time

from bot.digests import due_time, last_due, next_due
from bot.storage import Subscription, Workspace

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def daily(
    at: time, zone: str = "America/New_York", *, weekday: int | None = None, since: datetime = LONG_AGO
) -> Subscription:
    return Subscription(Workspace("T1"), "C1", "prices", at, zone, weekday=weekday, created_at=since, id=1)


@pytest.mark.parametrize(
    ("at", "day", "utc"),
    [
        (time(9), date(2026, 3, 7), "14:00"),  # winter time, UTC-5
        (time(9), date(2026, 3, 8), "13:00"),  # the clocks went forward at 02:00
        (time(2, 30), date(2026, 3, 8), "07:30"),  # a time that does not exist: an hour later by the clock, 03:30
        (time(1, 59), date(2026, 3, 8), "06:59"),
        (time(9), date(2026, 10, 31), "13:00"),
        (time(9), date(2026, 11, 1), "14:00"),  # the clocks went back at 02:00
        (time(1, 30), date(2026, 11, 1), "05:30"),  # a time that comes twice: its first coming
    ],
)
def test_a_due_time_follows_the_wall_clock(at: time, day: date, utc: str) -> None:
    assert due_time(daily(at), day).strftime("%H:%M") == utc


@pytest.mark.parametrize("day", [date(2026, 3, 8), date(2026, 11, 1)])
@pytest.mark.parametrize("at", [time(0, 30), time(1, 30), time(2, 30), time(9)])
def test_each_local_date_comes_due_once_when_the_clocks_change(day: date, at: time) -> None:
    """Every minute of three days around the change: each date appears, and never again once another one has."""
    subscription, seen = daily(at), []
    start = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=1)
    for minute in range(0, 3 * 24 * 60):
        with_frozen = start + timedelta(minutes=minute)
        due = last_due(subscription, with_frozen, within=timedelta(minutes=1))
        if due is not None and due not in seen[-1:]:
            seen.append(due)
    assert seen == sorted(set(seen))
    assert day in seen


@pytest.mark.parametrize(
    ("frozen", "day"), [("2026-03-08 13:00:30", date(2026, 3, 8)), ("2026-11-01 14:00:30", date(2026, 11, 1))]
)
def test_the_digest_of_nine_is_due_at_nine_on_both_days_of_change(frozen: str, day: date) -> None:
    with freeze_time(frozen):
        now = datetime.now(UTC)
    assert last_due(daily(time(9)), now, within=timedelta(minutes=1)) == day
    assert last_due(daily(time(9)), now - timedelta(minutes=1), within=timedelta(minutes=1)) is None


def test_a_week_is_made_up_for_and_no_more() -> None:
    monday = daily(time(9), "Asia/Shanghai", weekday=0)
    assert last_due(monday, datetime(2026, 12, 6, 12, tzinfo=UTC)) == date(2026, 11, 30)
    assert last_due(monday, datetime(2026, 11, 30, 0, 59, tzinfo=UTC)) == date(2026, 11, 23)


def test_nothing_was_due_before_it_was_ordered() -> None:
    ordered = datetime(2026, 11, 30, 1, 1, tzinfo=UTC)  # a minute after nine in Shanghai
    monday = daily(time(9), "Asia/Shanghai", weekday=0, since=ordered)
    assert last_due(monday, ordered + timedelta(hours=5)) is None
    assert next_due(monday, ordered) == datetime(2026, 12, 7, 1, tzinfo=UTC)
