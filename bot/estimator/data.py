"""What the estimator is given besides the workload: defaults, calibrations and published measurements, as loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EstimatorData:
    """`defaults` is `knowledge/defaults.yaml`; `training` and `serving` are the files of `knowledge/calibration/`;
    the measurements are the rows of `knowledge/measurements/`."""

    defaults: Mapping[str, Any]
    training: Mapping[str, Any]
    serving: Mapping[str, Any]
