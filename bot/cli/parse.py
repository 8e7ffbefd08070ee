"""`suanli parse`: how a message is read."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    app.command("parse")(parse)


def parse() -> None:
    """Read messages and print what was understood."""
