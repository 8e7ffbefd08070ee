"""`suanli estimate --jsonl`: explicit workloads in, estimates out."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    app.command("estimate")(estimate)


def estimate(
    jsonl: bool = typer.Option(False, "--jsonl", help="Read one workload a line from standard input."),
) -> None:
    """Estimate explicit workloads: memory, speed, time, energy. Reads JSON lines (README, "Machine-readable commands")."""
    from bot.cli.lines import serve_lines
    from bot.cli.workloads import estimate_item
    from bot.wiring import build_estimator, load_specs_once

    if not jsonl:
        raise typer.BadParameter("only --jsonl is offered here; for a question in words use `suanli ask TEXT`")
    specs, data = load_specs_once(), build_estimator()
    serve_lines(lambda item: estimate_item(item, specs, data))
