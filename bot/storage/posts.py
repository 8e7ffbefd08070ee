"""Digests on their way out: the intention is written before the post, its `ts` after it."""

from __future__ import annotations

from datetime import date

from sqlmodel import col, select

from bot.errors import StorageError
from bot.storage.database import Database
from bot.storage.records import Post, Workspace
from bot.storage.tables import PostRow


def intend_post(database: Database, post: Post) -> Post:
    """Write the intention, or return the one written earlier under the same id."""
    with database.session() as session:
        row = session.get(PostRow, post.id)
        if row is None:
            row = PostRow(
                id=post.id,
                enterprise_id=post.workspace.enterprise_id,
                team_id=post.workspace.team_id,
                channel=post.channel,
                subscription_id=post.subscription_id,
                snapshot=post.snapshot,
                intended_at=post.intended_at,
            )
            session.add(row)
            session.flush()
            return post
        return _post(row)


def complete_post(database: Database, post_id: str, ts: str) -> None:
    with database.session() as session:
        row = session.get(PostRow, post_id)
        if row is None:
            raise StorageError(f"post {post_id} was never intended; call intend_post first")
        row.ts = ts


def last_snapshot(database: Database, subscription_id: int) -> date | None:
    """The newest snapshot that the subscription was told of."""
    query = select(PostRow).where(PostRow.subscription_id == subscription_id, col(PostRow.ts).is_not(None))
    with database.session() as session:
        row = session.exec(query.order_by(col(PostRow.snapshot).desc()).limit(1)).first()
        return row.snapshot if row else None


def _post(row: PostRow) -> Post:
    return Post(
        id=row.id,
        workspace=Workspace(row.team_id, row.enterprise_id),
        channel=row.channel,
        subscription_id=row.subscription_id,
        snapshot=row.snapshot,
        intended_at=row.intended_at,
        ts=row.ts,
    )
