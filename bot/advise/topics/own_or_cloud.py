"""Own or rent? What an hour of a card of one's own costs at a utilisation, and from which utilisation it beats the rent."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.money import price_for
from bot.advise.pricing import offer_source
from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Table, say
from bot.catalog.records import GpuSpec
from bot.estimator.infrastructure import GPU_POWER_SHARE, SERVER_OVER_GPU, Owning
from bot.question import Question

_COLUMNS = (say("topics.col_utilisation"), say("topics.col_own"), say("topics.col_rent"), say("topics.col_cheaper"))
_SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
_SHOWN = ("utilisation", "years", "upkeep_share_a_year", "residual_share", "usd_per_kwh", "pue")


def answer(inputs: Inputs) -> Answer | None:
    gpu = inputs.gpu or inputs.context.specs.find_gpu("H100-SXM")
    if gpu is None:
        return None
    price = price_for(gpu, _renting(inputs.question), inputs.context)
    hardware = _hardware_usd(gpu, inputs)
    if price is None or price.currency != "USD" or hardware is None:
        return None
    owning = Owning(
        price_usd=hardware,
        years=inputs.value("years"),
        upkeep_share_a_year=inputs.value("upkeep_share_a_year"),
        residual_share=inputs.value("residual_share"),
        power_kw=(gpu.tdp_w or 0) / 1000 * GPU_POWER_SHARE * SERVER_OVER_GPU,
        pue=inputs.value("pue"),
        usd_per_kwh=inputs.value("usd_per_kwh"),
    )
    used, rent = inputs.value("utilisation"), price.amount
    own = owning.usd_per_used_hour(used)
    shares = sorted({*_SHARES, used})
    headline = say("topics.own", cheaper=own < rent, gpu=gpu.title, own=own, rent=rent, used=used,
                   break_even=owning.break_even(rent))  # fmt: skip
    return inputs.answer(
        headline,
        body=(
            say("topics.own_hidden", hidden=owning.hidden_share(used), years=owning.years,
                claimed=inputs.value("hidden_cost_claimed")),
            say("topics.own_advice"),
        ),
        table=Table(_COLUMNS, tuple(_row(owning, share, rent) for share in shares)),
        assumptions=inputs.assume(*_SHOWN, hardware_usd=hardware),
        sources=(
            *((offer_source(price.offer, inputs.context),) if price.offer else ()),
            *inputs.sources("hardware_usd", "upkeep_share_a_year", "usd_per_kwh", "pue", "utilisation"),
        ),
    )  # fmt: skip


def _renting(question: Question) -> Question:
    """The question without a price that is not a rent by the hour: that of power or of the hardware."""
    stated = question.slots.unit_price
    if stated is None or stated.period == "hour":
        return question
    return replace(question, slots=question.slots.with_(unit_price=None))


def _row(owning: Owning, share: float, rent: float) -> tuple[Cell, ...]:
    own = owning.usd_per_used_hour(share)
    verdict = "topics.cheaper_own" if own < rent else "topics.cheaper_rent"
    return Cell(share, "percent"), Cell(own, "usd"), Cell(rent, "usd"), Cell(say(verdict))


def _hardware_usd(gpu: GpuSpec, inputs: Inputs) -> float | None:
    """As said, or what a card with its share of the server is known to cost; None for other cards."""
    for given in (inputs.said, inputs.before):
        if "hardware_usd" in given:
            return given["hardware_usd"]
    known = inputs.defaults["hardware_usd"]["value"]
    return next((float(known[name]) for name in known if gpu.name == name), None)
