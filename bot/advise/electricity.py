"""The electricity of cards over time: kilowatt-hours at the plug, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.advise.context import AdviceContext
from bot.advise.pricing import readers_currency
from bot.advise.setup import Cards, bilingual_why
from bot.answer import Answer, Assumption, SumLine, say
from bot.catalog.records import GpuSpec
from bot.question import Question

_PUE = re.compile(r"pue\D{0,8}?(\d(?:\.\d{1,3})?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Electricity:
    """Energy of `n` cards for `hours`. 1,000 H100 (700 W) for a year: 8.76e6 h x 0.7 x 0.85 x 1.35 x 1.3 = 9.1 GWh."""

    kwh: float
    cost: float
    currency: str
    assumed: tuple[Assumption, ...]
    sum: tuple[SumLine, ...]


def electricity_of(gpu: GpuSpec, n: int, hours: float, question: Question, context: AdviceContext) -> Electricity | None:
    """None for a card whose power is not known."""
    if gpu.tdp_w is None:
        return None
    known: Mapping[str, Any] = context.folder.yaml("costs.yaml")
    assumed = []
    share, server = known["power_share"]["value"], known["server_over_gpu"]["value"]
    pue = pue_in(question.text)
    if pue is None:
        pue = known["pue"]["value"]
        assumed.append(Assumption("pue", pue, bilingual_why(known["pue"])))
    price, currency, why = _price(question, known, context)
    if why is not None:
        assumed.append(why)
    boards_kw = n * gpu.tdp_w * share / 1000
    kwh = boards_kw * server * pue * hours
    lines = (
        SumLine(say("cost.sum_boards"), boards_kw, "kW", f"{n:,} x {gpu.tdp_w:g} W x {share:g}", gpu.as_source()),
        SumLine(say("cost.sum_site"), boards_kw * server * pue, "kW", f"x {server:g} x {pue:g}"),
        SumLine(say("cost.sum_energy"), kwh, "kWh", f"x {hours:,.0f} h"),
    )
    return Electricity(kwh, kwh * price, currency, tuple(assumed), lines)


def _price(question: Question, known: Mapping[str, Any], context: AdviceContext) -> tuple[float, str, Assumption | None]:
    """The price of a kilowatt-hour: as stated, else the usual one of the reader's currency."""
    currency = readers_currency(question, context)
    stated = question.slots.unit_price
    if stated is not None:
        return stated.amount, stated.currency or currency, None
    entry = known["electricity"].get(currency) or known["electricity"]["USD"]
    currency = currency if currency in known["electricity"] else "USD"
    return entry["value"], currency, Assumption("electricity_price", entry["value"], bilingual_why(entry))


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
    return Answer(
        question=question,
        headline=say(
            "cost.electricity",
            n=n,
            gpu=cards.label,
            hours=hours,
            mwh=found.kwh / 1000,
            amount=float(f"{found.cost:.3g}"),
            currency=found.currency,
        ),
        language=question.language,
        answered_from="estimator",
        assumptions=found.assumed,
        sum=found.sum,
        sources=(gpu.as_source(),),
    )
