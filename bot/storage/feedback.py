"""Readers' marks under answers: one a reader and answer, the last one counts."""

from __future__ import annotations

from bot.storage.database import Database
from bot.storage.records import Feedback, Workspace
from bot.storage.tables import FeedbackRow


def save_feedback(database: Database, workspace: Workspace, given: Feedback) -> None:
    with database.session() as session:
        session.merge(
            FeedbackRow(
                enterprise_id=workspace.enterprise_id,
                team_id=workspace.team_id,
                channel=given.channel,
                reply_ts=given.reply_ts,
                user=given.user,
                helpful=given.helpful,
                at=given.at,
            )
        )
