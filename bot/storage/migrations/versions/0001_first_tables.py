"""The first tables: turns of threads, events seen, subscriptions, digests posted, feedback.

Turns hold questions as read (JSON), never the text of messages. A post is written before the message goes out and
completed with its `ts` afterwards, so that a crash between the two can be told from a digest never sent.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "turns",
        *_workspace(primary_key=True),
        sa.Column("channel", sa.String(), primary_key=True),
        sa.Column("reply_ts", sa.String(), primary_key=True),
        sa.Column("thread_ts", sa.String(), nullable=False),
        sa.Column("asked_ts", sa.String()),
        sa.Column("asker", sa.String(), nullable=False),
        sa.Column("question", sa.String()),
        sa.Column("before", sa.String()),
        sa.Column("at", WHEN, nullable=False),
    )
    op.create_index("ix_turns_thread", "turns", ["team_id", "channel", "thread_ts", "at"])
    op.create_index("ix_turns_asked", "turns", ["team_id", "channel", "asked_ts"])
    op.create_index("ix_turns_at", "turns", ["at"])
    op.create_table(
        "seen_events",
        *_workspace(primary_key=True),
        sa.Column("event_id", sa.String(), primary_key=True),
        sa.Column("at", WHEN, nullable=False),
    )
    op.create_index("ix_seen_events_at", "seen_events", ["at"])
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.Integer(), primary_key=True),
        *_workspace(primary_key=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("weekday", sa.Integer()),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("minute", sa.Integer(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.UniqueConstraint("enterprise_id", "team_id", "channel", "topic", name="uq_subscriptions_channel_topic"),
    )
    op.create_table(
        "posts",
        sa.Column("id", sa.String(), primary_key=True),
        *_workspace(primary_key=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("subscription_id", sa.Integer(), nullable=False),
        sa.Column("snapshot", sa.Date(), nullable=False),
        sa.Column("intended_at", WHEN, nullable=False),
        sa.Column("ts", sa.String()),
    )
    op.create_index("ix_posts_subscription", "posts", ["subscription_id", "snapshot"])
    op.create_table(
        "feedback",
        *_workspace(primary_key=True),
        sa.Column("channel", sa.String(), primary_key=True),
        sa.Column("reply_ts", sa.String(), primary_key=True),
        sa.Column("user", sa.String(), primary_key=True),
        sa.Column("helpful", sa.Boolean(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
    )


def _workspace(*, primary_key: bool) -> tuple[sa.Column[str], sa.Column[str]]:
    return (
        sa.Column("enterprise_id", sa.String(), primary_key=primary_key, nullable=False),
        sa.Column("team_id", sa.String(), primary_key=primary_key, nullable=False),
    )
