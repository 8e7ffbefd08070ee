"""What an hour of cards costs today, for answers whose subject is something else."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from bot.advise.context import AdviceContext
from bot.advise.pricing import Price, offer_source, price_of, read_said, seller_name
from bot.advise.setup import Cards
from bot.answer import Source, Text, say
from bot.catalog.offers import age_days, usd_per_gpu_hour
from bot.catalog.records import GpuSpec, Offer
from bot.question import Question


def price_for(gpu: GpuSpec | None, question: Question, context: AdviceContext) -> Price | None:
    """The price as stated, else of the provider named, else the usual one; None where there is none to be quoted."""
    return price_of((gpu,), question, context) if gpu is not None else None


def prices_alike(gpus: Sequence[GpuSpec | None], question: Question, context: AdviceContext) -> list[Price | None]:
    """Prices that can be compared: on demand from the one seller who lists all the cards, else each card's own."""
    own = [price_for(gpu, question, context) for gpu in gpus]
    if question.slots.provider or any(price is None or price.offer is None for price in own):
        return own
    listed = [_by_seller(gpu, context) for gpu in gpus if gpu is not None]
    common = set.intersection(*(set(offers) for offers in listed))
    if not common:
        return own
    limit = context.offers.limits.say_age_days

    def preference(name: str) -> tuple[bool, Decimal]:
        """Fresh readings before old ones, then the lower prices together."""
        offers = [found[name] for found in listed]
        old = any(age_days(offer, context.now) > limit for offer in offers)
        return old, sum((usd_per_gpu_hour(offer) for offer in offers), Decimal(0))

    seller = min(common, key=preference)
    return [_as_price(offers[seller]) for offers in listed]


def _by_seller(gpu: GpuSpec, context: AdviceContext) -> dict[str, Offer]:
    """The cheapest recent on-demand offer of each seller."""
    found = context.offers.cheapest(gpu.id, n=50, billing="on-demand", now=context.now)
    return {offer.provider: offer for offer in reversed(found)}


def _as_price(offer: Offer) -> Price:
    return Price(float(offer.price_per_gpu_hour), offer.currency, offer)


def sources_of(prices: Sequence[Price | None], context: AdviceContext) -> tuple[Source, ...]:
    found = (offer_source(price.offer, context) for price in prices if price is not None and price.offer is not None)
    return tuple(dict.fromkeys(found))


def hourly_said(price: Price, n_gpus: int, cards: Cards, context: AdviceContext) -> Text:
    """`1 × A100 80G costs from $1.79 an hour (RunPod, on demand, read 2026-11-09)`."""
    offer = price.offer
    return say(
        "money.hourly" if offer else "money.stated",
        n=n_gpus,
        gpu=cards.label,
        like=_stands_in(offer, cards, context) if offer else None,
        total=price.amount * n_gpus,
        currency=price.currency,
        seller=seller_name(offer, context) if offer else None,
        billing=say(f"money.{offer.billing}") if offer else None,
        read=read_said(offer, context) if offer else None,
    )


def _stands_in(offer: Offer, cards: Cards, context: AdviceContext) -> str | None:
    """The card whose price is taken, where that is not the card itself but one with the same chip."""
    own = cards.gpu is not None and offer.gpu == cards.gpu.id
    return None if own else context.specs.gpu_by_id[offer.gpu].title
