"""Migrations: from empty, twice in a row, equal to the models, and blind to tables that are not ours."""

from __future__ import annotations

import hashlib
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlmodel import SQLModel

import bot.storage.migrations
from bot.storage import Database
from bot.storage.tables import OURS

VERSIONS = Path(bot.storage.migrations.__file__).parent / "versions"
RELEASED: dict[str, str] = {}  # file name: digest, once a release carries it


def test_an_empty_database_gets_every_table(database: Database) -> None:
    assert set(inspect(database.engine).get_table_names()) >= OURS


def test_upgrading_twice_changes_nothing(database: Database) -> None:
    database.upgrade()
    assert database.is_ready()


def test_a_database_without_tables_is_not_ready(empty_database: Database) -> None:
    assert not empty_database.is_ready()


def test_the_migrations_end_at_the_models(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_name": lambda name, kind, _: kind != "table" or name in OURS, "compare_type": True}
        )
        assert compare_metadata(context, SQLModel.metadata) == []


def test_foreign_tables_survive_an_upgrade(empty_database: Database) -> None:
    with empty_database.engine.begin() as connection:
        connection.execute(text("create table workflow_status (id integer)"))
    empty_database.upgrade()
    assert "workflow_status" in inspect(empty_database.engine).get_table_names()


def test_every_table_of_a_workspace_carries_it() -> None:
    for table in SQLModel.metadata.sorted_tables:
        if table.name in OURS:
            assert {"enterprise_id", "team_id"} <= set(table.c.keys()), table.name


def test_released_migrations_stay_as_they_are() -> None:
    """A released migration has run elsewhere: write a new one instead of editing it."""
    for name, digest in RELEASED.items():
        assert hashlib.sha256((VERSIONS / name).read_bytes()).hexdigest() == digest, name
