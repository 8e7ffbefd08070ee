"""`suanli scoreboard`: the estimates beside the published runs in `knowledge/measurements/`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from bot.estimator.serving_scores import ServingScore
    from bot.estimator.training_scores import TrainingScore, VerdictScore


def register(app: typer.Typer) -> None:
    app.command("scoreboard")(scoreboard)


def scoreboard(
    worst: int = typer.Option(5, "--worst", help="Rows of the largest error to list for each kind; 0 for none."),
) -> None:
    """Accuracy of the estimates on published measurements, by kind of figure, and the worst rows."""
    from bot.estimator.serving_measurements import load_serving_measurements
    from bot.estimator.serving_scores import serving_scores
    from bot.estimator.training_measurements import load_training_measurements
    from bot.estimator.training_scores import training_scores, verdict_score
    from bot.wiring import build_estimator, folder_once, load_specs_once

    folder, specs, data = folder_once(), load_specs_once(), build_estimator()
    training = load_training_measurements(folder, specs)
    scores = training_scores(training, data, worst=worst)
    typer.echo("Training (each group of source, model and method counts once)")
    typer.echo(_table(_TRAINING_HEAD, [_training_row(score) for score in scores]))
    typer.echo(_verdicts(verdict_score(training, data)))
    for score in scores if worst else ():
        typer.echo(_worst(score))
    typer.echo("\nServing (each group of source, model and card counts once)")
    serving = serving_scores(load_serving_measurements(folder, specs), data)
    typer.echo(_table(_SERVING_HEAD, [_serving_row(score) for score in serving]))


_TRAINING_HEAD = ("figure", "rows", "groups", "answered", "median", "p90", "bias", "under by 10 %", "80 % band covers")
_SERVING_HEAD = ("figure", "rows", "groups", "answered", "median", "median of groups", "p90", "80 % band covers")


def _training_row(score: TrainingScore) -> tuple[str, ...]:
    shares = (score.answered, score.median, score.p90)
    rest = (f"{score.signed_median:+.1%}", f"{score.under_by_10:.1%}", f"{score.coverage:.1%}")
    return (score.kind, str(score.rows), str(score.groups), *(f"{share:.1%}" for share in shares), *rest)


def _serving_row(score: ServingScore) -> tuple[str, ...]:
    shares = (score.answered, score.row_median, score.group_median, score.row_p90)
    covered = "exact" if score.coverage is None else f"{score.coverage:.1%}"
    return (score.quantity, str(score.rows), str(score.groups), *(f"{share:.1%}" for share in shares), covered)


def _verdicts(score: VerdictScore) -> str:
    accuracy = f"{score.accuracy:.1%} of them right, {score.oom_said_yes} run(s) out of memory told yes"
    return f"\nFits: {score.rows} runs, {score.decided:.1%} decided (yes or no), {accuracy}"


def _worst(score: TrainingScore) -> str:
    lines = [f"\nWorst of {score.kind}"]
    for row in score.worst:
        m, w = row.measurement, row.measurement.workload
        gpu = w.hardware.gpu.name if w.hardware.gpu else "card"
        what = f"{w.model.name} {w.method} on {w.hardware.n_gpus or '?'} x {gpu}, {w.framework or 'framework not said'}"
        lines.append(f"  {m.id} {row.error:+.0%}: {m.quantity} {m.value:.4g}, estimated {row.band.best:.4g}; {what}")
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    aligned = (
        "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in (head, *rows)
    )
    return "\n".join(aligned)
