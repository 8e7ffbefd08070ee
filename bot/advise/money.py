"""What an hour of a card costs today, for answers whose subject is something else."""

from __future__ import annotations

from bot.advise.context import AdviceContext
from bot.answer import Band, Cost, Source, Text, say
from bot.catalog.records import GpuSpec, Offer


def offer_for(gpu: GpuSpec | None, context: AdviceContext) -> Offer | None:
    """The cheapest listed price that is recent enough to be quoted; None where there is none."""
    if gpu is None or context.offers is None:
        return None
    return context.offers.price_for(gpu.id, context.now)


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
