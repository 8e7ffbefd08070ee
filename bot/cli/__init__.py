"""The command line: one file a command group. Heavy imports happen inside the commands, so that `--help` is quick."""

from __future__ import annotations

import sys

import typer

from bot.cli import ask, catalog, chat, db, digest, estimate, faq, knowledge, parse, scoreboard, serve

app = typer.Typer(
    name="suanli",
    help="Ask in plain English or Chinese which GPUs a model needs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for group in (ask, chat, parse, estimate, faq, catalog, knowledge, scoreboard, serve, digest, db):
    group.register(app)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    app()
