"""Subscriptions: which channel wants which digest, and when."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any, cast

from sqlmodel import col, select

from bot.question import Language
from bot.storage.database import Database
from bot.storage.records import Subscription, Workspace
from bot.storage.tables import SubscriptionRow


class Subscriptions:
    """The subscriptions of one workspace."""

    def __init__(self, database: Database, workspace: Workspace) -> None:
        self._database, self._workspace = database, workspace

    def put(self, subscription: Subscription) -> Subscription:
        """Store it; a channel has one subscription a topic, so another one replaces the first."""
        with self._database.session() as session:
            row = session.exec(self._query(subscription.channel, subscription.topic)).first()
            row = SubscriptionRow(id=row.id if row else None, **_columns(subscription))
            row = session.merge(row)
            session.flush()
            return _subscription(row)

    def remove(self, channel: str, topic: str | None = None) -> int:
        """Remove the channel's subscriptions, of one topic or all; how many there were."""
        with self._database.session() as session:
            rows = session.exec(self._query(channel, topic)).all()
            for row in rows:
                session.delete(row)
            return len(rows)

    def of_channel(self, channel: str) -> tuple[Subscription, ...]:
        with self._database.session() as session:
            return tuple(_subscription(row) for row in session.exec(self._query(channel)))

    def _query(self, channel: str, topic: str | None = None):  # type: ignore[no-untyped-def]
        query = select(SubscriptionRow).where(
            SubscriptionRow.enterprise_id == self._workspace.enterprise_id,
            SubscriptionRow.team_id == self._workspace.team_id,
            SubscriptionRow.channel == channel,
        )
        return query if topic is None else query.where(SubscriptionRow.topic == topic)


def every_subscription(database: Database) -> tuple[Subscription, ...]:
    """Those of all workspaces, for the schedule; each carries its workspace."""
    with database.session() as session:
        return tuple(_subscription(row) for row in session.exec(select(SubscriptionRow).order_by(col(SubscriptionRow.id))))


def find_subscription(database: Database, subscription_id: int) -> Subscription | None:
    """One by its number, for the job that delivers it; None when it was removed meanwhile."""
    with database.session() as session:
        row = session.get(SubscriptionRow, subscription_id)
        return _subscription(row) if row else None


def _columns(given: Subscription) -> dict[str, Any]:
    return {
        "enterprise_id": given.workspace.enterprise_id,
        "team_id": given.workspace.team_id,
        "channel": given.channel,
        "topic": given.topic,
        "weekday": given.weekday,
        "hour": given.at.hour,
        "minute": given.at.minute,
        "timezone": given.timezone,
        "language": given.language,
        "created_by": given.created_by,
        "created_at": given.created_at or datetime.now(UTC),
    }


def _subscription(row: SubscriptionRow) -> Subscription:
    return Subscription(
        workspace=Workspace(row.team_id, row.enterprise_id),
        channel=row.channel,
        topic=row.topic,
        at=time(row.hour, row.minute),
        timezone=row.timezone,
        weekday=row.weekday,
        language=cast(Language, row.language),
        created_by=row.created_by,
        created_at=row.created_at,
        id=row.id,
    )
