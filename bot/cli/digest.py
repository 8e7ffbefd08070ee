"""`suanli digest`: post what is due, without a running server (a cron job, a test, a digest made up for)."""

from __future__ import annotations

from datetime import UTC, datetime

import typer

digest = typer.Typer(name="digest", help="Digests that channels subscribed to.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(digest)


@digest.callback()
def _group() -> None:
    """Commands of the digests."""


@digest.command("run-due")
def run_due(
    now: str | None = typer.Option(None, "--now", help="ISO time to take for now, such as 2026-12-07T09:00+08:00."),
) -> None:
    """Post every digest that is due and was not posted yet; each goes out once, however often this runs."""
    from bot.cli.serving import build_mailroom, open_database
    from bot.digests.engine import DigestEngine
    from bot.wiring import settings_once

    moment = _moment(now)
    settings = settings_once()
    database = open_database(settings)
    engine = DigestEngine(build_mailroom(settings, database), executor="run-due")
    engine.start(on_schedule=False)
    try:
        outcomes = engine.run_due(moment)
    finally:
        engine.stop()
    for digest_id, outcome in outcomes.items():
        typer.echo(f"{digest_id}: {outcome}")
    if not outcomes:
        typer.echo("nothing is due")


def _moment(text: str | None) -> datetime:
    if text is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as exc:
        raise typer.BadParameter(f"{text!r} is not an ISO time such as 2026-12-07T09:00+08:00", param_hint="--now") from exc
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
