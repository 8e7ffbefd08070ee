"""`suanli ask`: one answer."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)


def ask() -> None:
    """Answer a question."""
