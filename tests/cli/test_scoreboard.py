"""`suanli scoreboard`: accuracy on published runs, and the rows where it is worst."""

from __future__ import annotations

from typer.testing import CliRunner

from bot.cli import app


def test_the_scoreboard_shows_both_kinds_and_the_worst_rows():
    shown = CliRunner().invoke(app, ["scoreboard", "--worst", "1"])
    assert shown.exit_code == 0
    for part in ("Training", "memory", "gpu_hours", "Worst of speed", "Serving", "80 % band covers", "told yes"):
        assert part in shown.output
