"""What every bill shares: the price of the cards' hour in words, the reader's currency, and what a price is not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.pricing import (
    Price,
    billing_said,
    in_readers_money,
    offer_source,
    price_of,
    provider_name,
    read_said,
    variants_of,
)
from bot.advise.setup import Cards, cards_in, usual_cards
from bot.answer import Answer, Assumption, Band, Cost, Say, Text, say
from bot.catalog.records import GpuSpec
from bot.question import Question


@dataclass(frozen=True, slots=True)
class Priced:
    """Cards of one kind with the price of their hour; None where no list has one that may be quoted."""

    cards: Cards
    price: Price | None

    @property
    def count(self) -> int:
        return self.cards.count or 1


def priced_cards(question: Question, context: AdviceContext) -> list[Priced]:
    """Every kind of card of the question, the usual one where none is named."""
    named = cards_in(question, context) or (usual_cards(context),)
    siblings = [found for slot in question.slots.gpus if (found := variants_of(slot, context))]
    made = []
    for index, cards in enumerate(named):
        own: tuple[GpuSpec, ...] = (cards.gpu,) if cards.gpu else ()
        variants = siblings[index] if index < len(siblings) else ()
        made.append(Priced(cards, price_of(tuple(dict.fromkeys((*own, *variants))), question, context)))
    return made


def price_said(price: Price, question: Question, context: AdviceContext) -> Text:
    """`$1.79 a GPU-hour: A100 SXM4 80GB, RunPod, on demand, read 2026-11-09 (21 days ago)`."""
    offer = price.offer
    if offer is None:
        return say("cost.price_stated", price=price.amount, currency=price.currency)
    return say(
        "cost.price_listed",
        price=price.amount,
        currency=price.currency,
        card=context.specs.gpu_by_id[offer.gpu].title,
        seller=provider_name(offer.provider, context, question.language),
        billing=billing_said(offer),
        read=read_said(offer, context),
    )


def with_price(answer: Answer, priced: Priced, cost: Cost, context: AdviceContext) -> Answer:
    """The answer with its cost, the reader's currency, the price list among the sources, and what a price is not."""
    offer = priced.price.offer if priced.price else None
    converted = in_readers_money(cost.amount, cost.currency, answer.question, context)
    stand_in = _stand_in(priced, context)
    lines: list[Say] = [*answer.body, *((converted,) if converted else ()), *((say("prices.not_stock"),) if offer else ())]
    sources = (*answer.sources, *((offer_source(offer, context),) if offer else ()))
    return replace(
        answer,
        headline=_headline(answer.headline, stand_in),
        cost=cost,
        body=tuple(lines),
        sources=sources,
        assumptions=(*answer.assumptions, *stand_in),
        catalog_date=offer.read_on if offer else None,
    )


def _headline(headline: Say, stand_in: tuple[Assumption, ...]) -> Say:
    """A bill at another card's price says so before it says an amount."""
    return say("cost.at_stand_in", why=stand_in[0].why, other=stand_in[0].value, rest=headline) if stand_in else headline


def _stand_in(priced: Priced, context: AdviceContext) -> tuple[Assumption, ...]:
    """Said where the price is of another variant than the card meant."""
    offer, gpu = priced.price.offer if priced.price else None, priced.cards.gpu
    if offer is None or gpu is None or offer.gpu == gpu.id:
        return ()
    other = context.specs.gpu_by_id[offer.gpu].title
    return (Assumption("price_of", other, say("cost.why_stand_in", gpu=gpu.title)),)


def seller_named(question: Question, context: AdviceContext) -> str | None:
    provider = question.slots.provider
    return provider_name(provider, context, question.language) if provider else None


def no_price(question: Question, priced: list[Priced], context: AdviceContext) -> Answer:
    """No price that may be quoted: say so, where to look, and what it would be elsewhere."""
    provider = context.offers.provider_by_id.get(question.slots.provider or "")
    hours = question.slots.duration_h
    headline = say(
        "cost.no_price",
        gpu=" / ".join(item.cards.label for item in priced),
        seller=seller_named(question, context),
        url=provider.url if provider else None,
        hours=hours,
        gpu_hours=priced[0].count * (hours or 0),
    )
    answer = Answer(question=question, headline=headline, language=question.language, answered_from="catalog")
    return with_elsewhere(answer, priced[0], hours, context)


def with_elsewhere(answer: Answer, wanted: Priced, hours: float | None, context: AdviceContext) -> Answer:
    """What the same cards would cost at another seller, where the one named has no price that may be quoted."""
    question = answer.question
    if question.slots.provider is None:
        return answer
    anywhere = replace(question, slots=question.slots.with_(provider=None))
    found = next((item for item in priced_cards(anywhere, context) if item.price is not None), None)
    if found is None or found.price is None:
        return answer
    amount = found.price.amount * wanted.count * (hours or 1)
    elsewhere = say(
        "cost.elsewhere",
        amount=amount,
        currency=found.price.currency,
        hours=hours,
        n=wanted.count,
        price=price_said(found.price, question, context),
    )
    cost = found.price.cost(Band.exact(amount), "run" if hours else "hour", context)
    return with_price(replace(answer, body=(*answer.body, elsewhere)), Priced(wanted.cards, found.price), cost, context)


def rounded(band: Band) -> Band:
    """Three figures: an estimate of 65,591 says more than it knows."""
    return Band(*(float(f"{value:.3g}") for value in (band.low, band.best, band.high)))
