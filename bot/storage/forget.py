"""Forgetting a workspace: all its rows, when the app is removed from it."""

from __future__ import annotations

from sqlmodel import SQLModel

from bot.storage.database import Database
from bot.storage.records import Workspace
from bot.storage.tables import OURS


def forget_workspace(database: Database, workspace: Workspace) -> int:
    """Delete every row of the workspace from every table; how many there were."""
    gone = 0
    with database.session() as session:
        for table in SQLModel.metadata.sorted_tables:
            if table.name not in OURS:
                continue
            ours = (table.c.team_id == workspace.team_id) & (table.c.enterprise_id == workspace.enterprise_id)
            gone += session.execute(table.delete().where(ours)).rowcount  # type: ignore[attr-defined]
    return gone
