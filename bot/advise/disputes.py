"""Two lists that disagree about one price: both are shown, neither is hidden."""

from __future__ import annotations

from itertools import combinations

from bot.advise.context import AdviceContext
from bot.advise.pricing import card_said, provider_name
from bot.answer import Say, say
from bot.catalog.offers import contradict
from bot.catalog.records import Offer
from bot.question import Question

_MOST = 2


def disputes_said(offers: list[Offer], question: Question, context: AdviceContext) -> list[Say]:
    """A line for each card and seller on which two lists differ by more than the limit of `price_limits.yaml`."""
    found: dict[tuple[str, str], tuple[Offer, Offer]] = {}
    for a, b in combinations(offers, 2):
        if contradict(a, b, context.offers.limits.disagreement):
            found.setdefault((a.provider, a.gpu), (a, b))
    return [_said(a, b, question, context) for a, b in list(found.values())[:_MOST]]


def _said(a: Offer, b: Offer, question: Question, context: AdviceContext) -> Say:
    return say(
        "prices.disputed",
        seller=provider_name(a.provider, context, question.language),
        card=card_said(a, context),
        a=float(a.price_per_gpu_hour),
        b=float(b.price_per_gpu_hour),
        currency=a.currency,
        read_a=a.read_on,
        read_b=b.read_on,
    )
