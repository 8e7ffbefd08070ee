"""The tables. Their history is in `migrations/`; `create_all` is not a migration."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sqlalchemy import DateTime, Dialect, Index, TypeDecorator, UniqueConstraint
from sqlmodel import Field, SQLModel


class UtcDateTime(TypeDecorator[datetime]):
    """Aware times in and out, in UTC; SQLite itself keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class TurnRow(SQLModel, table=True):
    __tablename__ = "turns"
    __table_args__ = (
        Index("ix_turns_thread", "team_id", "channel", "thread_ts", "at"),
        Index("ix_turns_asked", "team_id", "channel", "asked_ts"),
        Index("ix_turns_at", "at"),
    )

    enterprise_id: str = Field(primary_key=True)
    team_id: str = Field(primary_key=True)
    channel: str = Field(primary_key=True)
    reply_ts: str = Field(primary_key=True)
    thread_ts: str
    asked_ts: str | None = None
    asker: str
    question: str | None = None  # JSON of the Question, without any text of the message
    before: str | None = None
    at: datetime = Field(sa_type=UtcDateTime)


class SeenEventRow(SQLModel, table=True):
    __tablename__ = "seen_events"
    __table_args__ = (Index("ix_seen_events_at", "at"),)

    enterprise_id: str = Field(primary_key=True)
    team_id: str = Field(primary_key=True)
    event_id: str = Field(primary_key=True)
    at: datetime = Field(sa_type=UtcDateTime)


class SubscriptionRow(SQLModel, table=True):
    __tablename__ = "subscriptions"
    __table_args__ = (
        UniqueConstraint("enterprise_id", "team_id", "channel", "topic", name="uq_subscriptions_channel_topic"),
    )

    id: int | None = Field(default=None, primary_key=True)
    enterprise_id: str
    team_id: str
    channel: str
    topic: str
    weekday: int | None = None
    hour: int
    minute: int
    timezone: str
    language: str
    created_by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class PostRow(SQLModel, table=True):
    __tablename__ = "posts"
    __table_args__ = (Index("ix_posts_subscription", "subscription_id", "snapshot"),)

    id: str = Field(primary_key=True)
    enterprise_id: str
    team_id: str
    channel: str
    subscription_id: int
    snapshot: date
    intended_at: datetime = Field(sa_type=UtcDateTime)
    ts: str | None = None


class FeedbackRow(SQLModel, table=True):
    __tablename__ = "feedback"

    enterprise_id: str = Field(primary_key=True)
    team_id: str = Field(primary_key=True)
    channel: str = Field(primary_key=True)
    reply_ts: str = Field(primary_key=True)
    user: str = Field(primary_key=True)
    helpful: bool
    at: datetime = Field(sa_type=UtcDateTime)


OURS = frozenset(table.name for table in SQLModel.metadata.sorted_tables)
