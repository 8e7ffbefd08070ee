"""What an hour of a card costs today, for answers whose subject is something else."""

from __future__ import annotations

from collections.abc import Sequence

from bot.advise.context import AdviceContext
from bot.answer import Band, Cost, Source, Text, say
from bot.catalog.offers import usd_per_gpu_hour
from bot.catalog.records import GpuSpec, Offer


def offer_for(gpu: GpuSpec | None, context: AdviceContext) -> Offer | None:
    """The cheapest listed price that is recent enough to be quoted; None where there is none."""
    if gpu is None or context.offers is None:
        return None
    return context.offers.price_for(gpu.id, context.now)


def offers_alike(gpus: Sequence[GpuSpec | None], context: AdviceContext) -> list[Offer | None]:
    """Prices that can be compared: on demand from the one seller who lists all the cards, else each card's own best."""
    if context.offers is None or any(gpu is None for gpu in gpus):
        return [offer_for(gpu, context) for gpu in gpus]
    listed = [_by_seller(gpu, context) for gpu in gpus if gpu is not None]
    common = set.intersection(*(set(offers) for offers in listed))
    if not common:
        return [offer_for(gpu, context) for gpu in gpus]
    seller = min(common, key=lambda name: sum(usd_per_gpu_hour(offers[name]) for offers in listed))
    return [offers[seller] for offers in listed]


def _by_seller(gpu: GpuSpec, context: AdviceContext) -> dict[str, Offer]:
    """The cheapest recent on-demand offer of each seller."""
    assert context.offers is not None
    found = context.offers.cheapest(gpu.id, n=50, billing="on-demand", now=context.now)
    return {offer.provider: offer for offer in reversed(found)}


def cost_of(offer: Offer, gpu_hours: Band, *, per: str = "run") -> Cost:
    """Money for so many GPU hours at the offer's price."""
    price = float(offer.price_per_gpu_hour)
    return Cost(
        amount=gpu_hours.times(price),
        currency=offer.currency,
        price_per_gpu_hour=price,
        provider=offer.provider,
        billing=offer.billing,
        region=offer.region,
        read_on=offer.read_on,
        source=source_of(offer),
        per=per,  # type: ignore[arg-type]
    )


def source_of(offer: Offer) -> Source:
    return Source(offer.provider, offer.source, offer.read_on, offer.standing)


def price_said(offer: Offer, n_gpus: int, label: str) -> Text:
    """`1 × A100 80G, from $1.79 an hour (RunPod, on demand, read 2026-11-09)`."""
    return say(
        "money.hourly",
        n=n_gpus,
        gpu=label,
        price=float(offer.price_per_gpu_hour),
        total=float(offer.price_per_gpu_hour) * n_gpus,
        currency=offer.currency,
        provider=offer.provider,
        billing=offer.billing,
        read_on=offer.read_on,
    )
