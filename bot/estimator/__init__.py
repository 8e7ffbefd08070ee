"""Workload x hardware -> estimate. Pure functions: no files, no clock, no globals.

`estimate_training` and `estimate_serving` answer one workload; the planners search layouts and counts. What they assume
and how they are calibrated comes in as `EstimatorData`.
"""

from bot.estimator.architecture import Architecture, architecture_of, with_usual_shape
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import Assumed, ServingEstimate, TrainingEstimate
from bot.estimator.serving import estimate_serving
from bot.estimator.training import estimate_training
from bot.estimator.workload import Hardware, Parallelism, ServingWorkload, TrainingWorkload

__all__ = [
    "Architecture",
    "Assumed",
    "EstimatorData",
    "Hardware",
    "Parallelism",
    "ServingEstimate",
    "ServingWorkload",
    "TrainingEstimate",
    "TrainingWorkload",
    "architecture_of",
    "estimate_serving",
    "estimate_training",
    "with_usual_shape",
]
