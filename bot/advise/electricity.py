"""The electricity of cards over time: kilowatt-hours at the plug, and what they cost in the reader's currency."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.advise.context import AdviceContext
from bot.advise.pricing import readers_currency
from bot.advise.setup import Cards, bilingual_why
from bot.answer import Answer, Assumption, SumLine, say
from bot.catalog.records import GpuSpec
from bot.estimator.infrastructure import energy_kwh
from bot.question import Question

_PUE = re.compile(r"pue\D{0,8}?(\d(?:\.\d{1,3})?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Electricity:
    """Energy of cards for a time, with what it costs and what was assumed."""

    kwh: float
    cost: float
    currency: str
    assumed: tuple[Assumption, ...]
    sum: tuple[SumLine, ...]


def electricity_of(gpu: GpuSpec, n: int, hours: float, question: Question, context: AdviceContext) -> Electricity | None:
    """None for a card whose power is not known."""
    if gpu.tdp_w is None:
        return None
    known = context.estimator.defaults["topics"]
    said = pue_in(question.text)
    pue = said or known["pue"]["value"]
    assumed = () if said else (Assumption("pue", pue, bilingual_why(known["pue"])),)
    price = electricity_price(question, context)
    kwh = energy_kwh(n, gpu.tdp_w, hours, pue)
    formula = f"{n:,} x {gpu.tdp_w:g} W x {hours:,.0f} h, PUE {pue:g}"
    lines = (
        SumLine(say("cost.sum_energy"), kwh, "kWh", formula, gpu.as_source()),
        SumLine(say("cost.sum_bill"), kwh * price.amount, price.currency, f"x {price.amount:g} {price.currency}"),
    )
    return Electricity(kwh, kwh * price.amount, price.currency, (*assumed, *price.assumed), lines)


@dataclass(frozen=True, slots=True)
class PowerPrice:
    """Of a kilowatt-hour."""

    amount: float
    currency: str
    assumed: tuple[Assumption, ...] = ()


def electricity_price(question: Question, context: AdviceContext) -> PowerPrice:
    """As stated, else the usual price in the reader's currency, else in USD."""
    currency = readers_currency(question, context)
    stated = question.slots.unit_price
    if stated is not None:
        return PowerPrice(stated.amount, stated.currency or currency)
    own = context.folder.yaml("costs.yaml")["electricity"].get(currency)
    entry = own or context.estimator.defaults["topics"]["usd_per_kwh"]
    assumed = Assumption("electricity_price", entry["value"], bilingual_why(entry))
    return PowerPrice(entry["value"], currency if own else "USD", (assumed,))


def pue_in(text: str) -> float | None:
    """`PUE 1.3` -> 1.3; a value that no site can have is not taken."""
    found = _PUE.search(text)
    value = float(found[1]) if found else 0.0
    return value if 1 <= value <= 3 else None


def electricity_answer(cards: Cards, hours: float, question: Question, context: AdviceContext) -> Answer | None:
    """`1,000 x H100 for a year`; None for a card whose power is not known."""
    n, gpu = cards.count or 1, cards.gpu
    found = electricity_of(gpu, n, hours, question, context) if gpu else None
    if gpu is None or found is None:
        return None
    amount = float(f"{found.cost:.3g}")
    headline = say(
        "cost.electricity",
        n=n,
        gpu=cards.label,
        hours=hours,
        mwh=found.kwh / 1000,
        amount=amount,
        currency=found.currency,
    )
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="estimator",
        assumptions=found.assumed,
        sum=found.sum,
        sources=(gpu.as_source(),),
    )
