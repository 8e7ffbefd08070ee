"""What would make it fit: the estimator's own steps, the most useful first."""

from __future__ import annotations

from bot import estimator
from bot.advise.context import AdviceContext
from bot.advise.readings import Reading
from bot.answer import Saving, Text
from bot.estimator.workload import ServingWorkload

_MOST = 6


def savings_of(reading: Reading, context: AdviceContext) -> tuple[Saving, ...]:
    if reading.estimate is None or reading.refused is not None:
        return ()
    if isinstance(reading.workload, ServingWorkload):
        return estimator.serving_savings(reading.workload, context.estimator)[:_MOST]
    return estimator.training_savings(reading.workload, context.estimator)[:_MOST]


# Steps that leave the method, the cards, the length and the load as they were asked for.
_SAME_JOB = frozenset(
    {
        "training.save_flash",
        "training.save_loss",
        "training.save_checkpointing",
        "training.save_adamw_8bit",
        "training.save_pure",
        "training.save_pure_8bit",
        "training.save_offload_optimizer",
        "training.save_offload_param",
        "training.save_shard",
        "serving.save_fp8_cache",
        "serving.save_share",
    }
)


def way_out(savings: tuple[Saving, ...]) -> Saving | None:
    """The first step that makes the job fit as it was asked for, without other cards or another method."""
    return next((step for step in savings if step.verdict == "yes" and _is_same_job(step)), None)


def _is_same_job(step: Saving) -> bool:
    return isinstance(step.change, Text) and step.change.key in _SAME_JOB
