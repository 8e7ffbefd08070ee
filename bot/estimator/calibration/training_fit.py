"""Least squares of log ratios, robust, each group of runs weighing once, each constant drawn to its prior.

A group is one source, model and method: its rows share their faults, so they count together. The prior is what the
literature or the code of the frameworks says; it keeps a constant that few rows know of near its physical value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares  # type: ignore[import-untyped, unused-ignore]

from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.training import speed_setup, with_layout
from bot.estimator.training_constants import TrainingConstants
from bot.estimator.training_measurements import TrainingMeasurement
from bot.estimator.training_memory import GIB, Memory, memory_of
from bot.estimator.training_run import run_of
from bot.estimator.training_setup import Setup, resolve_training
from bot.estimator.training_speed import Speed, speed_of

_ROBUST_AT = 0.10  # log ratio from which a row counts linearly, so that one odd row cannot bend a constant
_PRIOR_SHARE = 0.35  # a constant this far (in log) from its prior costs as much as one group that is wholly off

_MEMORY: dict[str, Callable[[Memory], float]] = {
    "memory_gib_per_gpu": lambda m: m.reserved / GIB,
    "memory_allocated_gib_per_gpu": lambda m: m.allocated / GIB,
    "memory_device_gib_per_gpu": lambda m: m.device / GIB,
    "memory_gib_total": lambda m: m.total / GIB,
}
_SPEED: dict[str, Callable[[Speed], float | None]] = {
    "tokens_per_s_per_gpu": lambda s: s.tokens_per_s,
    "step_s": lambda s: 1 / s.step_s if s.step_s else None,
    "model_tflops_per_gpu": lambda s: s.model_tflops,
    "mfu": lambda s: s.mfu,
}


@dataclass(frozen=True)
class Row:
    """One measurement made ready: its set-up is resolved once, only the constants change."""

    setup: Setup
    quantity: str
    value: float
    group: str


def rows_of(part: str, measurements: Sequence[TrainingMeasurement], data: EstimatorData) -> list[Row]:
    """The rows that a part (`memory` or `speed`) is fitted on. Steps become steps a second, so that more is faster."""
    known = {**_MEMORY} if part == "memory" else {**_SPEED, "gpu_hours": None}
    rows = []
    for m in measurements:
        if m.quantity not in known:
            continue
        try:
            setup = resolve_training(with_layout(m.workload, data), data)
            setup = speed_setup(setup, data) if part == "speed" else setup
        except InvalidWorkload:
            continue
        rows.append(Row(setup, m.quantity, 1 / m.value if m.quantity == "step_s" else m.value, m.group))
    return rows


def log_ratios(part: str, rows: Sequence[Row], constants: TrainingConstants) -> np.ndarray:
    """log(estimate / measured) of each row."""
    return np.array([_log_ratio(part, row, constants) for row in rows])


def _log_ratio(part: str, row: Row, constants: TrainingConstants) -> float:
    if part == "memory":
        return math.log(_MEMORY[row.quantity](memory_of(row.setup, constants.memory)) / row.value)
    speed = speed_of(row.setup, constants)
    if row.quantity == "gpu_hours":
        run = run_of(row.setup, speed, constants.speed)
        return math.log(run.gpu_hours / row.value) if run else 0.0
    estimate = _SPEED[row.quantity](speed) if speed else None
    return math.log(estimate / row.value) if estimate else 0.0


def fit(
    part: str, rows: Sequence[Row], constants: TrainingConstants, entries: Mapping[str, Mapping[str, Any]]
) -> TrainingConstants:
    """The constants with those of `entries` that are fitted on rows at their best values."""
    names = [name for name, entry in entries.items() if entry["fitted"] == "rows"]
    priors = np.array([float(entries[name].get("prior", entries[name]["value"])) for name in names])
    counts = Counter(row.group for row in rows)
    weights = np.sqrt([1 / counts[row.group] for row in rows])

    def residuals(logs: np.ndarray) -> np.ndarray:
        tried = with_values(part, constants, dict(zip(names, priors * np.exp(logs), strict=True)))
        return np.concatenate([weights * log_ratios(part, rows, tried), logs * _ROBUST_AT / _PRIOR_SHARE])

    found = least_squares(residuals, np.zeros(len(names)), loss="soft_l1", f_scale=_ROBUST_AT, diff_step=0.02, max_nfev=25)
    return with_values(part, constants, dict(zip(names, priors * np.exp(found.x), strict=True)))


def cross_validated(
    part: str, rows: Sequence[Row], constants: TrainingConstants, entries: Mapping[str, Mapping[str, Any]], folds: int = 8
) -> np.ndarray:
    """log ratios of each row under constants fitted without its group: whole groups go into one of `folds`."""
    groups = sorted({row.group for row in rows})
    fold_of = {group: index % folds for index, group in enumerate(groups)}
    ratios = np.zeros(len(rows))
    for fold in range(folds):
        kept = [row for row in rows if fold_of[row.group] != fold]
        left = [index for index, row in enumerate(rows) if fold_of[row.group] == fold]
        fitted = fit(part, kept, constants, entries)
        ratios[left] = log_ratios(part, [rows[index] for index in left], fitted)
    return ratios


def with_values(part: str, constants: TrainingConstants, values: Mapping[str, float]) -> TrainingConstants:
    floats = {name: float(value) for name, value in values.items()}
    if part == "memory":
        return replace(constants, memory=replace(constants.memory, **floats))
    return replace(constants, speed=replace(constants.speed, **floats))
