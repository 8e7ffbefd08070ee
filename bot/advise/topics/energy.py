"""How much energy, and what does a better PUE save?"""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Say, Table, say
from bot.estimator.infrastructure import energy_kwh, pue_saving
from bot.estimator.training_run import GPU_POWER_SHARE, SERVER_OVER_GPU

_COLUMNS = (say("topics.col_pue"), say("topics.col_kwh"), say("topics.col_power_cost"))
_SHOWN_PUE = (1.1, 1.3)


def answer(inputs: Inputs) -> Answer | None:
    if inputs.question.slots.models:
        return None  # the energy of a run comes with the run
    cards = _of_cards(inputs)
    return cards or _of_site(inputs)


def _of_site(inputs: Inputs) -> Answer | None:
    if len(inputs.pues) != 2 or inputs.pues[0] == inputs.pues[1]:
        return None
    old, new = max(inputs.pues), min(inputs.pues)
    headline = say("topics.pue", old=old, new=new, saved=pue_saving(old, new))
    return inputs.answer(headline, sources=inputs.sources(claims=("C003-27", "C003-28")))


def _of_cards(inputs: Inputs) -> Answer | None:
    gpu, n_gpus, days = inputs.gpu, inputs.n_gpus, inputs.days
    if gpu is None or not gpu.tdp_w or n_gpus is None:
        return None
    if inputs.question.slots.unit_price is not None:
        return None  # a price of power in the asker's own currency: a bill, see bot/advise/electricity.py
    hours = (days or 1) * 24
    pue, price = inputs.value("pue"), inputs.value("usd_per_kwh")
    pues = sorted({pue, *inputs.pues, *_SHOWN_PUE})
    used = {p: energy_kwh(n_gpus, gpu.tdp_w, hours, p) for p in pues}
    rows = tuple((Cell(p, "plain"), Cell(kwh, "count"), Cell(kwh * price, "usd")) for p, kwh in used.items())
    headline = say("topics.energy", n=n_gpus, gpu=gpu.title, hours=hours, kwh=used[pue], cost=used[pue] * price, pue=pue)
    return inputs.answer(
        headline,
        body=(_sum(inputs, gpu.tdp_w, hours, pue),),
        table=Table(_COLUMNS, rows),
        assumptions=inputs.assume("pue", "usd_per_kwh"),
        sources=(gpu.as_source(), *inputs.sources("pue", "usd_per_kwh", claims=("C003-28",))),
    )


def _sum(inputs: Inputs, watts: float, hours: float, pue: float) -> Say:
    n_gpus = inputs.n_gpus or 1
    kwh = energy_kwh(n_gpus, watts, hours, pue)
    shares = {"load": GPU_POWER_SHARE, "host": SERVER_OVER_GPU}
    return say("topics.energy_sum", n=n_gpus, watts=watts, hours=hours, pue=pue, kwh=kwh, **shares)
