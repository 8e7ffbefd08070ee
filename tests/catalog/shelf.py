"""A small catalog for tests: `offer("runpod", "h100-sxm", 3.99, "2026-11-09")`, and the knowledge as it ships."""

from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from bot.catalog.limits import load_limits
from bot.catalog.offers import Offers, load_instances, load_offers, load_providers
from bot.catalog.records import Offer
from bot.catalog.specs import Specs, load_specs
from bot.folder import Folder

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@lru_cache(maxsize=1)
def folder() -> Folder:
    return Folder.knowledge()


@lru_cache(maxsize=1)
def specs() -> Specs:
    return load_specs(folder())


@lru_cache(maxsize=1)
def shipped() -> Offers:
    return load_offers(folder(), specs())


def offer(provider: str, gpu: str, price: float | str, day: str, **more: Any) -> Offer:
    return Offer(
        provider=provider,
        gpu=gpu,
        price_per_gpu_hour=Decimal(str(price)),
        read_on=date.fromisoformat(day),
        source=more.pop("source", f"https://example.org/{provider}"),
        **more,
    )


def offers(*readings: Offer) -> Offers:
    days = sorted({reading.read_on for reading in readings})
    return Offers(
        tuple(readings), tuple(days), load_providers(folder()), load_instances(folder(), specs()), load_limits(folder())
    )
