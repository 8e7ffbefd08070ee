"""How likely is an interruption, by cards and days, and how often should checkpoints be written?"""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Table, say
from bot.estimator.infrastructure import checkpoint_every_h, hours_between, interruption_chance

_COLUMNS = (say("topics.col_cards"), say("topics.col_chance"), say("topics.col_between"))
_COUNTS = (8, 64, 512, 4096)
_WRITE_H = 5 / 60  # a write of five minutes, the usual order for 70B to a parallel file system


def answer(inputs: Inputs) -> Answer | None:
    n_gpus = inputs.n_gpus
    if n_gpus is None:
        return None
    days = inputs.said.get("days") or inputs.days or inputs.value("days")
    rate = inputs.value("interruptions_per_gpu_week")
    between = hours_between(n_gpus, rate)
    counts = sorted({*_COUNTS, n_gpus})
    rows = tuple(
        (Cell(n, "count"), Cell(interruption_chance(n, days, rate), "percent"), Cell(hours_between(n, rate), "hours"))
        for n in counts
    )
    headline = say(
        "topics.interruptions", n=n_gpus, days=days, chance=interruption_chance(n_gpus, days, rate), hours=between
    )
    return inputs.answer(
        headline,
        body=(say("topics.interruptions_advice", hours=checkpoint_every_h(_WRITE_H, between), write=_WRITE_H),),
        table=Table(_COLUMNS, rows),
        assumptions=inputs.assume("interruptions_per_gpu_week", days=days),
        sources=inputs.sources("interruptions_per_gpu_week"),
    )
