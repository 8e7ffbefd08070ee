"""Run by Alembic: the engine comes from `Database.upgrade`, and only our own tables are looked at."""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlmodel import SQLModel

from bot.storage.tables import OURS


def is_ours(name: str | None, kind: str, _parents: Any) -> bool:
    """The job engine keeps its tables in the same SQLite file; they are not ours to change."""
    return name in OURS if kind == "table" else True


def run() -> None:
    with context.config.attributes["engine"].connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=SQLModel.metadata,
            include_name=is_ours,
            render_as_batch=connection.dialect.name == "sqlite",
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()


run()
