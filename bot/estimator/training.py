"""Training estimates."""

from __future__ import annotations

from bot.errors import UnsupportedWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import TrainingEstimate
from bot.estimator.workload import TrainingWorkload


def estimate_training(workload: TrainingWorkload, data: EstimatorData) -> TrainingEstimate:
    raise UnsupportedWorkload("not yet")
