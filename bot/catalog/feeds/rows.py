"""One row of any feed, before anything of it is believed; and the refusal of a whole feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from math import isfinite

from bot.errors import SuanliError


class FeedRefused(SuanliError):
    """A feed that cannot be used as a whole; the prices of the day before stay in force."""


@dataclass(frozen=True, slots=True)
class RawOffer:
    """A price as a feed gives it: for all `gpu_count` GPUs together (`per` instance) or for one (`per` gpu).

    `price` None: the feed has none (it writes 0, nothing, or "NaN"). `memory_gb` is for cross-checking alone: the size of
    a card comes from our own table, never from a feed.
    """

    line: int
    provider: str
    gpu: str
    price: Decimal | None
    per: str  # "gpu" or "instance"
    gpu_count: float | None = None
    memory_gb: float | None = None
    instance: str | None = None
    region: str | None = None
    currency: str = "USD"
    billing: str = "on-demand"
    read_on: date | None = None
    source: str = ""
    notes: str = ""


def price_in(text: object) -> Decimal | None:
    """A price above 0; None for 0, "", "NaN" and the like, which feeds write for "unknown", never for "free"."""
    try:
        value = Decimal(str(text).strip().replace(",", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() and value > 0 else None


def number_in(text: object) -> float | None:
    """A finite number, None for anything else."""
    try:
        value = float(str(text).strip())
    except ValueError:
        return None
    return value if isfinite(value) else None


def day_in(text: object) -> date | None:
    """The day of an ISO date or time stamp."""
    try:
        return date.fromisoformat(str(text).strip()[:10])
    except ValueError:
        return None
