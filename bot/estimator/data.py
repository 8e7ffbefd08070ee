"""What the estimator is given besides the workload: defaults, calibrations and published measurements, as loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bot.estimator.frameworks import Framework, read_frameworks
from bot.estimator.training_constants import TrainingConstants, read_training_constants
from bot.folder import Folder


@dataclass(frozen=True, eq=False)  # compared by identity, so that tables derived from it can be cached
class EstimatorData:
    """`defaults`, `engines`, `formats` and `frameworks` are the files of `knowledge/` with these names; `training` and
    `serving` are those of `knowledge/calibration/`; the measurements are the rows of `knowledge/measurements/`."""

    defaults: Mapping[str, Any]
    training: Mapping[str, Any]
    serving: Mapping[str, Any]
    engines: Mapping[str, Any] = field(default_factory=dict)
    formats: Mapping[str, Any] = field(default_factory=dict)
    frameworks: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def frameworks_by_name(self) -> dict[str, Framework]:
        return read_frameworks(self.frameworks)

    @cached_property
    def training_constants(self) -> TrainingConstants:
        return read_training_constants(self.training)


def load_estimator_data(folder: Folder) -> EstimatorData:
    return EstimatorData(
        defaults=folder.yaml("defaults.yaml"),
        training=folder.yaml("calibration/training.yaml"),
        serving=folder.yaml("calibration/serving.yaml"),
        engines=folder.yaml("engines.yaml"),
        formats=folder.yaml("formats.yaml"),
        frameworks=folder.yaml("frameworks.yaml"),
    )
