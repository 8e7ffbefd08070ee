"""H100 or A100 without a model named: the ratio of prices against the ratio of speeds, for training and for serving."""

from __future__ import annotations

from bot.advise.money import prices_alike
from bot.advise.pricing import Price, offer_source, seller_name
from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Source, Table, say
from bot.faq.claims import Quantity, load_claims

_COLUMNS = (say("topics.col_job"), say("topics.col_speed"), say("topics.col_price"), say("topics.col_cheaper"))
_MEASURED = "C000-12"  # speed ratios by kind of work, measured
_JOBS = ("train", "batch", "stream")


def answer(inputs: Inputs) -> Answer | None:
    if inputs.question.slots.models:
        return None  # with a model, its own times and costs are compared
    specs = [inputs.context.specs.find_gpu(name) for name in ("H100-SXM", "A100-80G-SXM")]
    prices = [price for price in prices_alike(specs, inputs.question, inputs.context) if price is not None]
    if len(prices) != 2 or prices[0].currency != prices[1].currency:
        return None
    ratio = prices[0].amount / prices[1].amount
    measured = load_claims(inputs.context.folder).claim(_MEASURED).corrected
    rows = tuple(_row(job, _span(figure), ratio) for job, figure in zip(_JOBS, measured, strict=False))
    low, high = _span(measured[0])
    offer = prices[0].offer
    headline = say(
        "topics.price_against_speed",
        ratio=ratio,
        dear=prices[0].amount,
        cheap=prices[1].amount,
        currency=prices[0].currency,
        seller=seller_name(offer, inputs.context) if offer else "",
        low=low,
        high=high,
        cheaper=_cheaper(low, high, ratio),
    )
    return inputs.answer(
        headline,
        body=(say("topics.price_against_speed_rule", low=low, high=high),),
        table=Table(_COLUMNS, rows),
        sources=(*_pages(prices, inputs), *inputs.sources(claims=(_MEASURED, "C003-70"))),
    )


def _row(job: str, span: tuple[float, float], ratio: float) -> tuple[Cell, ...]:
    return (
        Cell(say(f"topics.job_{job}")),
        Cell(say("topics.times", low=span[0], high=span[1])),
        Cell(say("topics.times", low=ratio, high=ratio)),
        Cell(say(f"topics.cheaper_{_cheaper(*span, ratio)}")),
    )


def _cheaper(low: float, high: float, ratio: float) -> str:
    """Which card costs less for the same work; inside the measured span it is about the same."""
    if ratio < low:
        return "h100"
    return "a100" if ratio > high else "equal"


def _span(figure: Quantity) -> tuple[float, float]:
    low = figure.min if figure.min is not None else float(figure.value or 0)
    return low, figure.max if figure.max is not None else low


def _pages(prices: list[Price], inputs: Inputs) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(offer_source(price.offer, inputs.context) for price in prices if price.offer))
