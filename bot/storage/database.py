"""One database: SQLite in a file by default, PostgreSQL by its address. Sync sessions; callers use threads."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from bot.errors import StorageError

logger = logging.getLogger(__name__)


class Database:
    """The engine and its sessions. Nothing is opened before the first session."""

    def __init__(self, url: str) -> None:
        self.url = _with_driver(url)
        self.engine = _engine(self.url)

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction: committed at the end, rolled back on an error. The driver's errors leave as StorageError."""
        try:
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                yield session
        except SQLAlchemyError as exc:
            raise StorageError(f"{self.shown}: {type(exc).__name__}: {exc}") from exc

    def upgrade(self) -> None:
        """Bring the tables to the newest revision; nothing happens when they are there already."""
        try:
            command.upgrade(_config(self.engine), "head")
        except (SQLAlchemyError, OSError) as exc:
            raise StorageError(f"cannot prepare {self.shown}: {type(exc).__name__}: {exc}") from exc
        logger.info("database ready url=%s revision=%s", self.shown, newest_revision())

    def is_ready(self) -> bool:
        """True when the database answers and stands at the newest revision."""
        try:
            with self.engine.connect() as connection:
                connection.execute(text("select 1"))
                current = MigrationContext.configure(connection).get_current_revision()
        except SQLAlchemyError:
            logger.warning("database not ready url=%s", self.shown)
            return False
        return current == newest_revision()

    @property
    def shown(self) -> str:
        """The address without its password."""
        return self.url.render_as_string(hide_password=True)

    def close(self) -> None:
        self.engine.dispose()


def newest_revision() -> str | None:
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(engine: Engine | None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def _with_driver(url: str) -> URL:
    """`postgres://` and `postgresql://` mean psycopg 3, the one driver that is installed."""
    parsed = make_url(url)
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def _engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url)
    event.listen(engine, "connect", _tune_sqlite)
    return engine


def _tune_sqlite(connection: Any, _record: object) -> None:
    """WAL lets readers and one writer work at once; NORMAL syncs at checkpoints; writers wait 10 s for each other."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000", "foreign_keys=ON"):
        cursor.execute(f"pragma {pragma}")
    cursor.close()
