"""What would make it fit: the estimator's own steps, the most useful first."""

from __future__ import annotations

import bot.estimator
from bot.advise.context import AdviceContext
from bot.advise.readings import Reading
from bot.answer import Saving

_MOST = 6


def savings_of(reading: Reading, context: AdviceContext) -> tuple[Saving, ...]:
    if reading.estimate is None or reading.refused is not None:
        return ()
    name = "serving_savings" if reading.task == "inference" else "training_savings"
    function = getattr(bot.estimator, name, None)
    return tuple(function(reading.workload, context.estimator))[:_MOST] if function else ()
