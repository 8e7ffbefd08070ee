"""How close the serving estimates come to the published runs: errors and coverage by quantity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from bot.answer import Band
from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.serving import estimate_serving
from bot.estimator.serving_measurements import ServingMeasurement, estimated


@dataclass(frozen=True, slots=True)
class ServingScore:
    """One quantity. Errors are relative; groups (one source, model and card) count once each in `group_median`."""

    quantity: str
    rows: int
    groups: int
    answered: float
    row_median: float
    group_median: float
    row_p90: float
    coverage: float | None  # of the 80 % bands; None for exact figures


def serving_scores(measurements: Iterable[ServingMeasurement], data: EstimatorData) -> tuple[ServingScore, ...]:
    """A score for each quantity that was measured, in the order of the file."""
    by_quantity: dict[str, list[tuple[ServingMeasurement, Band | None]]] = defaultdict(list)
    for measurement in measurements:
        if measurement.quantity != "fits":
            by_quantity[measurement.quantity].append((measurement, _band(measurement, data)))
    return tuple(_score(quantity, pairs) for quantity, pairs in by_quantity.items())


def _band(measurement: ServingMeasurement, data: EstimatorData) -> Band | None:
    try:
        return estimated(estimate_serving(measurement.workload, data), measurement)
    except InvalidWorkload:
        return None


def _score(quantity: str, pairs: Sequence[tuple[ServingMeasurement, Band | None]]) -> ServingScore:
    answered = [(m, band) for m, band in pairs if band is not None]
    errors = sorted(abs(band.best / m.value - 1) for m, band in answered)
    by_group: dict[str, list[float]] = defaultdict(list)
    for m, band in answered:
        by_group[m.group].append(abs(band.best / m.value - 1))
    banded = [(m, band) for m, band in answered if band.low < band.high]
    inside = [band.low <= m.value <= band.high for m, band in banded]
    return ServingScore(
        quantity=quantity,
        rows=len(pairs),
        groups=len({m.group for m, _ in pairs}),
        answered=len(answered) / len(pairs),
        row_median=median(errors) if errors else float("nan"),
        group_median=median(median(group) for group in by_group.values()) if by_group else float("nan"),
        row_p90=errors[int(0.9 * (len(errors) - 1))] if errors else float("nan"),
        coverage=sum(inside) / len(inside) if inside else None,
    )
