"""How close the training estimates come to the published runs: errors by quantity, the worst rows, and the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.answer import Band, Verdict
from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.training import estimate_training
from bot.estimator.training_measurements import TrainingMeasurement, estimated_training

_KINDS = {
    "memory": (
        "memory_gib_per_gpu",
        "memory_allocated_gib_per_gpu",
        "memory_device_gib_per_gpu",
        "memory_gib_total",
    ),
    "speed": ("tokens_per_s_per_gpu", "step_s", "model_tflops_per_gpu", "mfu"),
    "gpu_hours": ("gpu_hours",),
    "energy": ("energy_mwh", "gpu_energy_mwh"),
}
_SLOWER_IS_MORE = ("step_s",)  # turned round, so that errors of all speeds point the same way


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A measured run with its estimate. `error` is estimate over measured, less one."""

    measurement: TrainingMeasurement
    band: Band
    error: float


@dataclass(frozen=True, slots=True)
class TrainingScore:
    """One kind of figure. Groups (one source, model and method) count once each in all shares and quantiles."""

    kind: str
    rows: int
    groups: int
    answered: float
    median: float
    p90: float
    signed_median: float
    under_by_10: float
    coverage: float
    worst: tuple[ScoredRow, ...]


@dataclass(frozen=True, slots=True)
class VerdictScore:
    """Runs that ended out of memory or fitted, against the verdicts given. Accuracy is of those decided, yes or no."""

    rows: int
    decided: float
    accuracy: float
    oom_said_yes: int


def training_scores(
    measurements: Sequence[TrainingMeasurement], data: EstimatorData, *, worst: int = 5
) -> tuple[TrainingScore, ...]:
    """A score for each kind of figure that was measured."""
    scores = []
    for kind, quantities in _KINDS.items():
        rows = [m for m in measurements if m.quantity in quantities]
        if rows:
            scores.append(_score(kind, rows, data, worst))
    return tuple(scores)


def verdict_score(measurements: Iterable[TrainingMeasurement], data: EstimatorData) -> VerdictScore:
    """Stated out-of-memory runs and runs that fitted, a memory figure being proof of the latter."""
    given: list[tuple[bool, Verdict]] = []
    for m in measurements:
        if m.quantity == "fits" or m.quantity in _KINDS["memory"]:
            try:
                verdict = estimate_training(m.workload, data).fits
            except InvalidWorkload:
                continue
            if verdict is not None:
                given.append((m.quantity != "fits" or m.value > 0, verdict))
    decided = [(ran, verdict) for ran, verdict in given if verdict != "tight"]
    right = sum(ran == (verdict == "yes") for ran, verdict in decided)
    bad = sum(not ran and verdict == "yes" for ran, verdict in decided)
    return VerdictScore(len(given), len(decided) / len(given), right / len(decided), bad)


def _score(kind: str, measurements: Sequence[TrainingMeasurement], data: EstimatorData, worst: int) -> TrainingScore:
    scored = [row for row in (_scored(m, data) for m in measurements) if row is not None]
    counts = Counter(row.measurement.group for row in scored)
    weights = [1 / counts[row.measurement.group] for row in scored]
    errors = [row.error for row in scored]
    sizes = [abs(error) for error in errors]
    inside = [row.band.low <= row.measurement.value <= row.band.high for row in scored]
    return TrainingScore(
        kind=kind,
        rows=len(measurements),
        groups=len({m.group for m in measurements}),
        answered=len(scored) / len(measurements),
        median=weighted_quantile(sizes, weights, 0.5),
        p90=weighted_quantile(sizes, weights, 0.9),
        signed_median=weighted_quantile(errors, weights, 0.5),
        under_by_10=_share([error < -0.1 for error in errors], weights),
        coverage=_share(inside, weights),
        worst=tuple(sorted(scored, key=lambda row: -abs(row.error))[:worst]),
    )


def _scored(m: TrainingMeasurement, data: EstimatorData) -> ScoredRow | None:
    try:
        band = estimated_training(estimate_training(m.workload, data), m)
    except InvalidWorkload:
        return None
    if band is None:
        return None
    error = m.value / band.best - 1 if m.quantity in _SLOWER_IS_MORE else band.best / m.value - 1
    return ScoredRow(m, band, error)


def _share(flags: Sequence[bool], weights: Sequence[float]) -> float:
    return sum(weight for flag, weight in zip(flags, weights, strict=True) if flag) / sum(weights)


def weighted_quantile(values: Sequence[float], weights: Sequence[float], share: float) -> float:
    """Quantile by the midpoint convention: equal weights 1, 2, 3 have the median 2."""
    pairs = sorted(zip(values, weights, strict=True))
    total, passed, points = sum(weights), 0.0, []
    for value, weight in pairs:
        points.append(((passed + weight / 2) / total, value))
        passed += weight
    before = points[0]
    for point in points:
        if point[0] >= share:
            span = point[0] - before[0]
            return point[1] if span <= 0 else before[1] + (point[1] - before[1]) * (share - before[0]) / span
        before = point
    return before[1]
