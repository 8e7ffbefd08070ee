"""Serving estimates."""

from __future__ import annotations

from bot.errors import UnsupportedWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate
from bot.estimator.workload import ServingWorkload


def estimate_serving(workload: ServingWorkload, data: EstimatorData) -> ServingEstimate:
    raise UnsupportedWorkload("not yet")
