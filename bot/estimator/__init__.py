"""Workload x hardware -> estimate. Pure functions: no files, no clock, no globals.

`estimate_training` and `estimate_serving` answer one workload; the planners search layouts and counts. What they assume
and how they are calibrated comes in as `EstimatorData`.

A name is imported when it is first used: a question about training does not load what serving needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.estimator.architecture import Architecture, architecture_of, with_usual_shape
    from bot.estimator.data import EstimatorData, load_estimator_data
    from bot.estimator.estimate import Assumed, ServingEstimate, TrainingEstimate
    from bot.estimator.loading import Loading, loading_of
    from bot.estimator.serving import estimate_serving, fits_memory
    from bot.estimator.serving_cost import TokenCost, cost_per_mtok
    from bot.estimator.serving_measurements import load_serving_measurements, nearest_serving
    from bot.estimator.serving_offload import OffloadSplit, offload_split
    from bot.estimator.serving_planner import (
        ServingPlan,
        SmallestServing,
        longest_serving_context,
        most_users,
        plan_serving,
        smallest_serving,
    )
    from bot.estimator.serving_recipes import serving_recipe
    from bot.estimator.serving_saving import serving_savings
    from bot.estimator.serving_search import CardOption, search_cards
    from bot.estimator.serving_service import Load, ServicePlan, plan_service
    from bot.estimator.serving_shortcuts import prefix_cached_prefill_s, speculative_gain
    from bot.estimator.serving_tails import Tails, tails_of
    from bot.estimator.training import estimate_training, training_verdict
    from bot.estimator.training_limits import largest_training_batch, largest_training_model, longest_training_seq
    from bot.estimator.training_measurements import (
        TrainingMeasurement,
        estimated_training,
        load_training_measurements,
        nearest_training,
    )
    from bot.estimator.training_planner import (
        SmallestTraining,
        TrainingPlan,
        best_plan,
        plan_training,
        sensible_counts,
        smallest_training,
        training_within_gpu_hours,
        training_within_hours,
    )
    from bot.estimator.training_recipes import training_recipe
    from bot.estimator.training_saving import training_savings
    from bot.estimator.weight_bound import is_outweighed
    from bot.estimator.workload import Hardware, Parallelism, ServingWorkload, TrainingWorkload

_NAMES = {
    "architecture": "Architecture architecture_of with_usual_shape",
    "data": "EstimatorData load_estimator_data",
    "estimate": "Assumed ServingEstimate TrainingEstimate",
    "loading": "Loading loading_of",
    "serving": "estimate_serving fits_memory",
    "serving_cost": "TokenCost cost_per_mtok",
    "serving_measurements": "load_serving_measurements nearest_serving",
    "serving_offload": "OffloadSplit offload_split",
    "serving_planner": "ServingPlan SmallestServing longest_serving_context most_users plan_serving smallest_serving",
    "serving_recipes": "serving_recipe",
    "serving_saving": "serving_savings",
    "serving_search": "CardOption search_cards",
    "serving_service": "Load ServicePlan plan_service",
    "serving_shortcuts": "prefix_cached_prefill_s speculative_gain",
    "serving_tails": "Tails tails_of",
    "training": "estimate_training training_verdict",
    "training_limits": "largest_training_batch largest_training_model longest_training_seq",
    "training_measurements": "TrainingMeasurement estimated_training load_training_measurements nearest_training",
    "training_planner": "SmallestTraining TrainingPlan best_plan plan_training sensible_counts smallest_training"
    " training_within_gpu_hours training_within_hours",
    "training_recipes": "training_recipe",
    "training_saving": "training_savings",
    "weight_bound": "is_outweighed",
    "workload": "Hardware Parallelism ServingWorkload TrainingWorkload",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


__all__ = [
    "Architecture",
    "Assumed",
    "CardOption",
    "EstimatorData",
    "Hardware",
    "Load",
    "Loading",
    "OffloadSplit",
    "Parallelism",
    "ServicePlan",
    "ServingEstimate",
    "ServingPlan",
    "ServingWorkload",
    "SmallestServing",
    "SmallestTraining",
    "Tails",
    "TokenCost",
    "TrainingEstimate",
    "TrainingMeasurement",
    "TrainingPlan",
    "TrainingWorkload",
    "architecture_of",
    "best_plan",
    "cost_per_mtok",
    "estimate_serving",
    "estimate_training",
    "estimated_training",
    "fits_memory",
    "is_outweighed",
    "largest_training_batch",
    "largest_training_model",
    "load_estimator_data",
    "load_serving_measurements",
    "load_training_measurements",
    "loading_of",
    "longest_serving_context",
    "longest_training_seq",
    "most_users",
    "nearest_serving",
    "nearest_training",
    "offload_split",
    "plan_service",
    "plan_serving",
    "plan_training",
    "prefix_cached_prefill_s",
    "search_cards",
    "sensible_counts",
    "serving_recipe",
    "serving_savings",
    "smallest_serving",
    "smallest_training",
    "speculative_gain",
    "tails_of",
    "training_recipe",
    "training_savings",
    "training_verdict",
    "training_within_gpu_hours",
    "training_within_hours",
    "with_usual_shape",
]
