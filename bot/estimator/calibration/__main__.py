"""`python -m bot.estimator.calibration [--write]`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from bot.catalog.specs import load_specs
from bot.estimator.calibration.training_fit import Row, cross_validated, fit, log_ratios, rows_of
from bot.estimator.data import load_estimator_data
from bot.estimator.training_constants import TrainingConstants
from bot.estimator.training_measurements import load_training_measurements
from bot.estimator.training_scores import weighted_quantile
from bot.folder import Folder, data_root

_FILE = "calibration/training.yaml"


def main(arguments: Sequence[str]) -> None:
    folder = Folder.knowledge()
    data = load_estimator_data(folder)
    measurements = load_training_measurements(folder, load_specs(folder))
    document, constants = folder.yaml(_FILE), data.training_constants
    for part in [name for name in ("memory", "speed") if name in arguments] or ["memory", "speed"]:
        rows = rows_of(part, measurements, data)
        _show(f"{part}, constants of the file", rows, log_ratios(part, rows, constants))
        constants = fit(part, rows, constants, document[part])
        _show(f"{part}, fitted", rows, log_ratios(part, rows, constants))
        if "--no-cross" not in arguments:
            _show(f"{part}, groups left out", rows, cross_validated(part, rows, constants, document[part]))
        for name, value in asdict(getattr(constants, part)).items():
            print(f"  {name}: {document[part][name]['value']:.4g} -> {value:.4g}")  # noqa: T201
    if "--write" in arguments:
        _write(constants)


def _show(title: str, rows: Sequence[Row], ratios: np.ndarray) -> None:
    """Median and ninth decile of the relative error, and the bias; each group weighs once."""
    counts = Counter(row.group for row in rows)
    weights = [1 / counts[row.group] for row in rows]
    errors = [float(error) for error in np.exp(ratios) - 1]
    sizes = [abs(error) for error in errors]
    median, ninth = (weighted_quantile(sizes, weights, share) for share in (0.5, 0.9))
    bias = weighted_quantile(errors, weights, 0.5)
    under = sum(weight for error, weight in zip(errors, weights, strict=True) if error < -0.1) / sum(weights)
    shown = f"median {median:.1%}  p90 {ninth:.1%}  signed {bias:+.1%}  under by 10 % {under:.1%}"
    print(f"{title}: {len(rows)} rows, {len(counts)} groups: {shown}")  # noqa: T201


def _write(constants: TrainingConstants) -> None:
    """Only the values change; units, meanings and comments of the file stay."""
    path = data_root() / "knowledge" / _FILE
    text = path.read_text(encoding="utf-8")
    for name, value in {**asdict(constants.memory), **asdict(constants.speed)}.items():
        text = re.sub(rf"(?m)^(  {name}: \{{value: )[^,]+", rf"\g<1>{value:.4g}", text)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
