"""Ratios of two cards that a message states (7 times the price, 12x faster), against prices and peaks that are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from bot.advise.context import AdviceContext
from bot.advise.correction import Correction
from bot.advise.figures import Figure, Mention, Reading
from bot.answer import Source, say
from bot.catalog.records import GpuSpec, Offer
from bot.faq.claims import Quantity, load_claims
from bot.question import Question

_SLACK = 1.15  # ratios are quoted rounded
# Measured ratios of pairs that a claim settles; other pairs are bounded by their peaks alone.
_MEASURED = {("H100", "A100"): "C000-12"}
_LISTED = {("H100", "A100"): "C003-68"}


def ratio_corrections(reading: Reading, question: Question, context: AdviceContext) -> Iterator[Correction]:
    for figure in reading.of("times"):
        pair = _pair_of(reading, figure)
        if pair is None or not _is_stated(reading, figure, question):
            continue
        if reading.clause_says(figure, "price"):
            found = _price(figure.value, *pair, context)
        elif reading.clause_says(figure, "memory", "bandwidth"):
            found = None
        else:
            found = _speed(figure.value, *pair, context)
        if found:
            yield found


def _pair_of(reading: Reading, figure: Figure) -> tuple[Mention, Mention] | None:
    """The two different cards nearest to the figure."""
    near = sorted(reading.mentions, key=lambda m: min(abs(m.end - figure.start), abs(m.start - figure.end)))
    for first, second in pairwise(near):
        if first.name.split("-")[0] != second.name.split("-")[0]:
            return first, second
    return None


def _is_stated(reading: Reading, figure: Figure, question: Question) -> bool:
    """`8 x A100` is a count; `H100 is 12 x A100`, `7 times`, 7倍 and 1/7 are ratios."""
    said = reading.text[figure.start : figure.end].rstrip()
    if not said.casefold().endswith("x"):
        return True
    if not any(mention.end <= figure.start for mention in reading.mentions):
        return False  # "is 8 x A100 enough": nothing is compared with it yet
    counted = any(gpu.count == figure.value for gpu in question.slots.gpus)
    words = reading.words["states_surely" if counted else "states"]
    states = "|".join(re.escape(word) for word in words)
    return re.search(rf"(?:{states})[ 约]?$", reading.before(figure), re.IGNORECASE) is not None


def _price(stated: float, first: Mention, second: Mention, context: AdviceContext) -> Correction | None:
    """Ratios of the same seller's on-demand prices; where no seller lists both, what a claim says of public lists."""
    ratios, offers = _listed_ratios(first, second, context)
    dear, cheap = _by_price(first, second)
    if ratios:
        low, high = min(ratios.values()), max(ratios.values())
        if low / _SLACK <= stated <= high * _SLACK:
            return None
        values = {"dear": dear.name, "cheap": cheap.name, "stated": stated, "low": low, "high": high}
        newest = max(offer.read_on for offer in offers)
        sellers = tuple(sorted(ratios)[:4])
        records = tuple(Source(o.provider, o.source, o.read_on, o.standing) for o in offers[:2])
        text = say("corrections.price_ratio", **values, sellers=sellers, read_on=newest)
        return Correction("price_ratio", text, _claims_of(_LISTED, first, second), records=records)
    return _price_by_claim(stated, dear, cheap, context)


def _price_by_claim(stated: float, dear: Mention, cheap: Mention, context: AdviceContext) -> Correction | None:
    claim_ids = _claims_of(_LISTED, dear, cheap)
    if not claim_ids:
        return None
    span = load_claims(context.folder).claim(claim_ids[0]).corrected[0]
    if span.min is None or span.max is None or span.min / _SLACK <= stated <= span.max * _SLACK:
        return None
    values = {"dear": dear.name, "cheap": cheap.name, "stated": stated, "low": span.min, "high": span.max}
    return Correction("price_ratio", say("corrections.price_ratio", **values, sellers=(), read_on=None), claim_ids)


def _speed(stated: float, first: Mention, second: Mention, context: AdviceContext) -> Correction | None:
    """No job runs further apart than the peaks: dense compute at the best common precision, or bandwidth."""
    a, b = (context.specs.find_gpu(m.name) or m.variants[0] for m in (first, second))
    fast, slow = (a, b) if (a.bf16_tflops or 0) >= (b.bf16_tflops or 0) else (b, a)
    if not (fast.bf16_tflops and slow.bf16_tflops and fast.bandwidth_gbs and slow.bandwidth_gbs):
        return None
    compute, bandwidth = fast.bf16_tflops / slow.bf16_tflops, fast.bandwidth_gbs / slow.bandwidth_gbs
    fp8 = fast.fp8_tflops / (slow.fp8_tflops or slow.bf16_tflops) if fast.fp8_tflops else compute
    measured = _measured(first, second, context)
    most = max(compute, bandwidth, *(m.max or 0 for m in measured))
    if stated <= most * _SLACK:
        return None
    values = {"fast": fast.title, "slow": slow.title, "stated": stated, "compute": compute, "bandwidth": bandwidth}
    train = next(((m.min, m.max) for m in measured if "training" in m.unit), None)
    text = say("corrections.speed_ratio", **values, fp8=fp8, slow_has_fp8=bool(slow.fp8_tflops), train=train)
    return Correction(
        "speed_ratio", text, _claims_of(_MEASURED, first, second), records=(fast.as_source(), slow.as_source())
    )


def _measured(first: Mention, second: Mention, context: AdviceContext) -> tuple[Quantity, ...]:
    claims = _claims_of(_MEASURED, first, second)
    return load_claims(context.folder).claim(claims[0]).corrected if claims else ()


def _claims_of(settled: Mapping[tuple[str, str], str], first: Mention, second: Mention) -> tuple[str, ...]:
    families = {first.name.split("-")[0], second.name.split("-")[0]}
    return next(((claim,) for pair, claim in settled.items() if set(pair) == families), ())


def _by_price(first: Mention, second: Mention) -> tuple[Mention, Mention]:
    """The dearer one first, judged by compute: the statement's own order may be either way (1/7, 7 times)."""
    strength = [max((gpu.bf16_tflops or 0) for gpu in mention.variants) for mention in (first, second)]
    return (first, second) if strength[0] >= strength[1] else (second, first)


def _listed_ratios(first: Mention, second: Mention, context: AdviceContext) -> tuple[dict[str, float], list[Offer]]:
    """{seller: ratio} of the cheapest on-demand prices of sellers that list both cards, and the offers used."""
    dear, cheap = _by_price(first, second)
    prices = [_cheapest_by_seller(mention.variants, context) for mention in (dear, cheap)]
    both = prices[0].keys() & prices[1].keys()
    ratios = {seller: float(prices[0][seller].price_per_gpu_hour / prices[1][seller].price_per_gpu_hour) for seller in both}
    return ratios, [by_seller[seller] for seller in sorted(both) for by_seller in prices]


def _cheapest_by_seller(variants: tuple[GpuSpec, ...], context: AdviceContext) -> dict[str, Offer]:
    found: dict[str, Offer] = {}
    if context.offers is None:
        return found
    for offer in context.offers.listed({gpu.id for gpu in variants}, now=context.now, billing="on-demand"):
        recent = (context.now.date() - offer.read_on).days <= context.offers.limits.cheapest_days
        if recent and offer.currency == "USD":
            found.setdefault(offer.provider, offer)
    return found
