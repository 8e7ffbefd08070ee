"""How much energy, and what does a better PUE save?"""

from __future__ import annotations

from dataclasses import replace

from bot.advise.electricity import Electricity, electricity_of, pue_in
from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Say, Table, say
from bot.estimator.infrastructure import GPU_POWER_SHARE, SERVER_OVER_GPU, pue_saving
from bot.question import Money, Question

_COLUMNS = (say("topics.col_pue"), say("topics.col_kwh"), say("topics.col_power_cost"))
_SHOWN_PUE = (1.1, 1.54)


def answer(inputs: Inputs) -> Answer | None:
    if inputs.question.slots.models:
        return None  # the energy of a run comes with the run
    return _of_cards(inputs) or _of_site(inputs)


def _of_site(inputs: Inputs) -> Answer | None:
    if len(inputs.pues) != 2 or inputs.pues[0] == inputs.pues[1]:
        return None
    old, new = max(inputs.pues), min(inputs.pues)
    headline = say("topics.pue", old=old, new=new, saved=pue_saving(old, new))
    return inputs.answer(headline, sources=inputs.sources(claims=("C003-27", "C003-28")))


def _of_cards(inputs: Inputs) -> Answer | None:
    gpu, n_gpus = inputs.gpu, inputs.n_gpus
    hours = (inputs.days or 1) * 24
    used = electricity_of(gpu, n_gpus, hours, _priced(inputs), inputs.context) if gpu and n_gpus else None
    if gpu is None or n_gpus is None or used is None:
        return None
    pue = pue_in(inputs.question.text) or inputs.defaults["pue"]["value"]
    rows = tuple(_row(used, at, at / pue) for at in sorted({pue, *inputs.pues, *_SHOWN_PUE}))
    bill = say("topics.money", amount=used.cost, currency=used.currency)
    made = inputs.answer(
        say("topics.energy", n=n_gpus, gpu=gpu.title, hours=hours, kwh=used.kwh, bill=bill, pue=pue),
        body=(_sum(n_gpus, gpu.tdp_w or 0, hours, pue, used.kwh),),
        table=Table(_COLUMNS, rows),
        assumptions=used.assumed,
        sources=(gpu.as_source(), *inputs.sources("pue", "usd_per_kwh", claims=("C003-28",))),
    )
    return replace(made, sum=used.sum)


def _priced(inputs: Inputs) -> Question:
    """The question with the price of a kilowatt-hour, where the message states one, as its unit price."""
    stated = next(iter(inputs.reading.of("usd_per_kwh", "cny_per_kwh")), None)
    if stated is None:
        return inputs.question
    price = Money(stated.value, "USD" if stated.unit == "usd_per_kwh" else "CNY")
    return replace(inputs.question, slots=inputs.question.slots.with_(unit_price=price))


def _row(used: Electricity, pue: float, factor: float) -> tuple[Cell, ...]:
    bill = say("topics.money", amount=used.cost * factor, currency=used.currency)
    return Cell(pue, "plain"), Cell(used.kwh * factor, "count"), Cell(bill)


def _sum(n_gpus: int, watts: float, hours: float, pue: float, kwh: float) -> Say:
    shares = {"load": GPU_POWER_SHARE, "host": SERVER_OVER_GPU}
    return say("topics.energy_sum", n=n_gpus, watts=watts, hours=hours, pue=pue, kwh=kwh, **shares)
