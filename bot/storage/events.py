"""Events that were seen: Slack delivers again what was not acknowledged in three seconds."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, delete

from bot.storage.database import Database
from bot.storage.records import Workspace
from bot.storage.tables import SeenEventRow

KEPT = timedelta(hours=2)  # Slack's last retry comes about six minutes after the first delivery


class SeenEvents:
    def __init__(self, database: Database, workspace: Workspace) -> None:
        self._database, self._workspace = database, workspace

    def is_first(self, event_id: str, *, now: datetime) -> bool:
        """Note the event; False when it was noted before, by this process or another one."""
        values = {"enterprise_id": self._workspace.enterprise_id, "team_id": self._workspace.team_id}
        with self._database.session() as session:
            session.exec(delete(SeenEventRow).where(col(SeenEventRow.at) < now - KEPT))
            try:
                with session.begin_nested():
                    session.execute(insert(SeenEventRow).values(**values, event_id=event_id, at=now))
            except IntegrityError:
                return False
        return True
