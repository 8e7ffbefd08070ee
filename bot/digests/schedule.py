"""When a digest is due: a wall-clock time in a zone, once a local date, whatever the clocks do that day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.storage import Subscription

LOOK_BACK = timedelta(days=7)  # what came due while nothing ran is made up for, once, up to a week later


def due_time(subscription: Subscription, day: date) -> datetime:
    """The moment, in UTC, at which the wall clock there shows the subscription's time on that day.

    A time that the clocks skip in spring (02:30 in New York on 2026-03-08) falls as much later as they skip (03:30);
    one that comes twice in autumn (01:30 on 2026-11-01) is its first coming.
    """
    wall = datetime.combine(day, subscription.at, ZoneInfo(subscription.timezone))
    return wall.astimezone(UTC)


def is_day(subscription: Subscription, day: date) -> bool:
    return subscription.weekday is None or day.weekday() == subscription.weekday


def last_due(subscription: Subscription, now: datetime, *, within: timedelta = LOOK_BACK) -> date | None:
    """The local date of the newest due time up to `now`; None when there is none since then or since it was ordered."""
    since = max(now - within, subscription.created_at or now - within)
    today = now.astimezone(ZoneInfo(subscription.timezone)).date()
    for back in range(within.days + 2):
        day = today - timedelta(days=back)
        if is_day(subscription, day) and since <= due_time(subscription, day) <= now:
            return day
    return None


def next_due(subscription: Subscription, now: datetime) -> datetime:
    """The first due time after `now`, in UTC."""
    today = now.astimezone(ZoneInfo(subscription.timezone)).date()
    days = (today + timedelta(days=ahead) for ahead in range(9))
    return next(due for day in days if is_day(subscription, day) and (due := due_time(subscription, day)) > now)
