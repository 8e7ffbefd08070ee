"""`python -m bot.estimator.calibration.serving_fit [--write] [--cross]`: the speed constants of `calibration/serving.yaml`.

Least squares of log ratios over the published runs, robust, each group (source, model, card) weighing once, each constant
drawn to the value that the file holds. With `--cross` the groups are left out in turn, six folds of them.
"""

from __future__ import annotations

import copy
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.optimize import least_squares  # type: ignore[import-untyped]

from bot.catalog.specs import load_specs
from bot.estimator.data import EstimatorData, load_estimator_data
from bot.estimator.serving_measurements import ServingMeasurement, load_serving_measurements
from bot.estimator.serving_pool import cache_pool, running_limit
from bot.estimator.serving_setup import ServingSetup, serving_setup
from bot.estimator.serving_speed import Speed, serving_speed
from bot.folder import Folder, data_root

_FILE = "calibration/serving.yaml"
_ROBUST_AT = 0.15  # log ratio from which a row counts linearly
_PRIOR_WEIGHT = 0.2  # a constant that doubles costs as much as one group that is 14 % off
_FOLDS = 6
_SPEEDS = {
    "ttft_ms", "tpot_ms", "batch_s", "request_tokens_per_s", "request_all_tokens_per_s", "decode_tokens_per_s",
    "decode_tokens_per_s_total", "prefill_tokens_per_s", "throughput_tokens_per_s",
}  # fmt: skip
# The most that a share of the datasheet can be: copies reach 0.95 of the bandwidth, large products 0.7 of the peak.
_MOST = dict.fromkeys(("weights", "packed", "cache", "experts", "experts_read", "packed_experts", "share"), 0.95)
_MOST |= {"prefill": 0.7, "decode": 0.7, "attention": 0.7}
_KEPT = {"admission", "hbm_gbs"}  # not told by speeds
Path = tuple[str, ...]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    measurement: ServingMeasurement
    setup: ServingSetup


def main(arguments: Sequence[str]) -> None:
    folder = Folder.knowledge()
    data = load_estimator_data(folder)
    rows = rows_of(load_serving_measurements(folder, load_specs(folder)), data)
    _show("as in the file", rows, log_ratios(rows, data))
    fitted = fit(rows, data)
    _show("fitted", rows, log_ratios(rows, fitted))
    if "--cross" in arguments:
        _show("groups left out", rows, cross_validated(rows, data))
    if "--write" in arguments:
        _write(dict(fitted.serving))


def rows_of(measurements: Sequence[ServingMeasurement], data: EstimatorData) -> list[Row]:
    """The runs whose speed is published, set up once."""
    return [Row(m, serving_setup(m.workload, data)) for m in measurements if m.quantity in _SPEEDS]


def log_ratios(rows: Sequence[Row], data: EstimatorData) -> Vector:
    """ln(estimate / measured) of each row."""
    out = []
    for row in rows:
        limit = running_limit(row.setup, cache_pool(row.setup, data.serving), data)
        speed = serving_speed(row.setup, limit, data)
        out.append(math.log(_figure(row, speed) / row.measurement.value) if speed else 0.0)
    return np.array(out)


def fit(rows: Sequence[Row], data: EstimatorData, mask: Vector | None = None) -> EstimatorData:
    """The data with its speed constants fitted to the rows of `mask` (1 counts, 0 does not)."""
    paths = list(_paths(data.serving))
    start = np.array([math.log(_get(data.serving, path)) for path in paths])
    groups = Counter(row.measurement.group for row in rows)
    weights = np.array([groups[row.measurement.group] ** -0.5 for row in rows]) * (1.0 if mask is None else mask)

    def moved(x: Vector) -> EstimatorData:
        table = copy.deepcopy(dict(data.serving))
        for path, value in zip(paths, x, strict=True):
            _put(table, path, float(f"{math.exp(value):.3g}"))
        return replace(data, serving=table)

    def residuals(x: Vector) -> Vector:
        ratio = log_ratios(rows, moved(x))
        robust = np.sign(ratio) * np.sqrt(2 * (np.sqrt(1 + (ratio / _ROBUST_AT) ** 2) - 1)) * _ROBUST_AT
        return np.concatenate([robust * weights, (x - start) * _PRIOR_WEIGHT])

    lower, upper = np.array([_bounds(path, value) for path, value in zip(paths, start, strict=True)]).T
    found = least_squares(residuals, start, bounds=(lower, upper), diff_step=0.02, max_nfev=8)
    return moved(found.x)


def cross_validated(rows: Sequence[Row], data: EstimatorData) -> Vector:
    """Log ratios of every row under constants fitted without its group."""
    names = sorted({row.measurement.group for row in rows})
    out = np.zeros(len(rows))
    for fold in range(_FOLDS):
        left_out = set(names[fold::_FOLDS])
        mask = np.array([0.0 if row.measurement.group in left_out else 1.0 for row in rows])
        ratios = log_ratios(rows, fit(rows, data, mask))
        out = np.where(mask == 0, ratios, out)
    return out


def _figure(row: Row, speed: Speed) -> float:
    load, setup = row.measurement.workload, row.setup
    output, prompt = load.output_len or 1, load.input_len or 0
    whole = speed.ttft_s + (output - 1) * speed.tpot_s
    return {
        "ttft_ms": speed.ttft_s * 1000,
        "tpot_ms": speed.tpot_s * 1000,
        "decode_tokens_per_s": 1 / speed.tpot_s,
        "decode_tokens_per_s_total": setup.busy * speed.running / speed.tpot_s,
        "prefill_tokens_per_s": max(setup.input_len, 1) / speed.prefill_s,
        "throughput_tokens_per_s": setup.busy * speed.throughput,
        "request_tokens_per_s": output / whole,
        "request_all_tokens_per_s": (output + prompt) / whole,
        "batch_s": whole,
    }[row.measurement.quantity]


def _paths(table: Any, path: Path = ()) -> Iterator[Path]:
    """Every number under `speed` and `links`; zeros and what speeds do not tell are left alone."""
    for key, value in table.items():
        if isinstance(value, dict) and (path or key in ("speed", "links")):
            yield from _paths(value, (*path, key))
        elif isinstance(value, int | float) and path and value > 0 and key not in _KEPT and path[1:2] != ("default",):
            yield (*path, key)


def _bounds(path: Path, start: float) -> tuple[float, float]:
    """Logarithms: a share of the datasheet stays below it, a factor of a generation near one."""
    if "generations" in path or path[:2] == ("speed", "cards"):
        return min(start - 1e-6, math.log(0.5)), max(start + 1e-6, math.log(1.25))
    return -14.0, max(start + 1e-6, math.log(_MOST[path[-1]])) if path[-1] in _MOST else 12.0


def _get(table: Any, path: Path) -> float:
    for key in path:
        table = table[key]
    return float(table)


def _put(table: Any, path: Path, value: float) -> None:
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value


def _show(title: str, rows: Sequence[Row], ratios: Vector) -> None:
    print(title)  # noqa: T201
    for name in sorted({row.measurement.quantity for row in rows}):
        errors = [abs(math.expm1(r)) for r, row in zip(ratios, rows, strict=True) if row.measurement.quantity == name]
        print(f"  {name}: {len(errors)} rows, median {np.median(errors):.1%}, p90 {np.quantile(errors, 0.9):.1%}")  # noqa: T201


def _write(table: dict[str, Any]) -> None:
    """The file anew, its comments at the top kept."""
    path = data_root() / "knowledge" / _FILE
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    body = yaml.safe_dump(table, sort_keys=False, default_flow_style=None, width=130)
    path.write_text("\n".join(head) + "\n" + body, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
