"""`suanli db`: the database's tables."""

from __future__ import annotations

import typer

db = typer.Typer(name="db", help="The database: bring its tables up to date.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(db)


@db.callback()
def _group() -> None:
    """Commands of the database."""


@db.command("upgrade")
def upgrade() -> None:
    """Create the tables, or bring them to the newest revision. `suanli serve` does the same when it starts."""
    from bot.storage import Database
    from bot.wiring import settings_once

    database = Database(settings_once().database_url)
    database.upgrade()
    typer.echo(f"{database.shown}: up to date")
