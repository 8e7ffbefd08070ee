"""How the price of a card moved: the dated readings of its offers, never overwritten."""

from __future__ import annotations

from bot.advise.catalog_words import says
from bot.advise.context import AdviceContext
from bot.advise.pricing import billing_said, card_said, provider_name, sources_of
from bot.answer import Answer, Cell, Table, say
from bot.catalog.records import Offer
from bot.question import Question

_MOST_ROWS = 10
_HEADS = tuple(say(f"prices.head_{name}") for name in ("card", "seller", "billing", "read", "price"))


def asks_for_history(question: Question, context: AdviceContext) -> bool:
    return says("history", question.text, context.folder)


def history_answer(gpus: frozenset[str], question: Question, context: AdviceContext) -> Answer | None:
    """Offers that were read on several days, the one that moved most first; None where there is none."""
    series = [found for found in _series(gpus, question, context) if len(found) > 1]
    if not series:
        return None
    series.sort(key=lambda readings: (-abs(_moved(readings)), readings[-1].provider))
    first = series[0]
    rows = [offer for readings in series for offer in readings][:_MOST_ROWS]
    return Answer(
        question=question,
        headline=say(
            "prices.history",
            card=card_said(first[-1], context),
            seller=provider_name(first[-1].provider, context, question.language),
            billing=billing_said(first[-1]),
            before=float(first[0].price_per_gpu_hour),
            now=float(first[-1].price_per_gpu_hour),
            currency=first[-1].currency,
            since=first[0].read_on,
            until=first[-1].read_on,
            change=_moved(first),
        ),
        language=question.language,
        answered_from="catalog",
        table=Table(_HEADS, tuple(_row(offer, question, context) for offer in rows)),
        body=(say("prices.not_stock"),),
        sources=sources_of(rows, context),
        catalog_date=max(offer.read_on for offer in rows),
    )


def _series(gpus: frozenset[str], question: Question, context: AdviceContext) -> list[list[Offer]]:
    """The readings of each current offer of these cards up to now, oldest first."""
    provider, today = question.slots.provider, context.now.date()
    return [
        [offer for offer in context.offers.by_key[key] if offer.read_on <= today]
        for key, newest in context.offers.as_of(today).items()
        if newest.gpu in gpus and (provider is None or newest.provider == provider)
    ]


def _moved(readings: list[Offer]) -> float:
    """Share by which the last reading differs from the first: 3.29 -> 3.99 is +0.21."""
    return float(readings[-1].price_per_gpu_hour / readings[0].price_per_gpu_hour) - 1


def _row(offer: Offer, question: Question, context: AdviceContext) -> tuple[Cell, ...]:
    return (
        Cell(card_said(offer, context)),
        Cell(provider_name(offer.provider, context, question.language)),
        Cell(billing_said(offer)),
        Cell(offer.read_on, "date"),
        Cell(say("prices.amount", price=float(offer.price_per_gpu_hour), currency=offer.currency)),
    )
