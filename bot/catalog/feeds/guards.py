"""What of a feed is believed. Each guard stands for a fault that real feeds had; what fails is refused with its reason.

Rows: no price (0, empty, NaN), an unknown seller or card, a fraction of a GPU, a count that no machine has or that our own
table contradicts, a memory size of another card, a price outside the range of the card, a currency that nobody quotes, a
day in the future, a duplicate. Sellers: too many rows lost at once, one price for many unlike cards.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal

from pydantic import ValidationError

from bot.catalog.feeds.rows import RawOffer
from bot.catalog.offers import Offers, usd_per_gpu_hour
from bot.catalog.records import Instance, Offer, OfferKey
from bot.catalog.specs import Specs

Reason = Literal[
    "no_price",
    "unknown_provider",
    "unknown_gpu",
    "fraction_of_gpu",
    "impossible_count",
    "count_contradicts_table",
    "memory_of_another_card",
    "outside_range",
    "unknown_currency",
    "no_date",
    "future_date",
    "other_kind",
    "duplicate",
    "invalid",
    "lost_rows",
    "one_price_for_all",
]

_SIZES = frozenset({1, 2, 3, 4, 8, 16})  # GPUs of one machine; beyond them whole nodes of eight
_MEMORY_SLACK = 0.08  # 143 for 141, 262 for 268: makers and drivers round differently
_UNLIKE_CARDS = 4
_HINTS = re.compile(r"(?<![a-z0-9])(sxm|pcie|nvl|40gb|80gb)(?![a-z])|(?<=[_\-.])(sxm)\d", re.IGNORECASE)
_BILLINGS = ("on-demand", "spot", "reserved", "community")


@dataclass(frozen=True, slots=True)
class Refused:
    """A row, or all rows of a seller, that the catalog does not take."""

    where: str  # "line 12", or the seller
    what: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True)
class Judge:
    """Knows the catalog, and judges rows against it."""

    specs: Specs
    offers: Offers
    today: date
    fewer_rows: bool = False  # a list that shrank is believed

    def judge(self, rows: Iterable[RawOffer]) -> tuple[list[Offer], list[Refused]]:
        """Rows that may be taken, the cheapest of each offer, and those refused."""
        kept: dict[OfferKey, Offer] = {}
        refused: list[Refused] = []
        for row in rows:
            judged = self._judged(row)
            if isinstance(judged, Refused):
                refused.append(judged)
            elif judged.key not in kept:
                kept[judged.key] = judged
            else:
                # Zones of one region, or a row twice: the lowest price of the offer stands.
                kept[judged.key] = min(kept[judged.key], judged, key=usd_per_gpu_hour)
        sellers = self._sellers(list(kept.values()))
        bad = {refusal.where for refusal in sellers}
        return [offer for offer in kept.values() if offer.provider not in bad], [*refused, *sellers]

    def _judged(self, row: RawOffer) -> Offer | Refused:
        provider = self.offers.find_provider(row.provider)
        if provider is None:
            return _no(row, "unknown_provider", row.provider)
        if row.billing not in _BILLINGS:
            return _no(row, "other_kind", row.billing)
        if row.price is None:
            return _no(row, "no_price")
        instance = self._instances.get((provider.id, row.instance or ""))
        found = self._gpu(row, instance)
        if found is None:
            return _no(row, "unknown_gpu", row.gpu)
        gpu, listed_as = found
        wrong = self._count_wrong(row, instance) or self._memory_wrong(row, gpu) or self._date_wrong(row)
        if wrong is not None:
            return wrong
        count = int(row.gpu_count or 1)
        each = row.price if row.per == "gpu" else row.price / Decimal(count)
        try:
            offer = Offer.model_validate(
                {
                    "provider": provider.id,
                    "gpu": gpu,
                    "listed_as": listed_as,
                    "gpu_count": count,
                    "instance": row.instance,
                    "region": row.region,
                    "currency": row.currency,
                    "price_per_gpu_hour": each,
                    "billing": row.billing,
                    "read_on": row.read_on,
                    "source": row.source or provider.url or "",
                    "notes": row.notes,
                }
            )
        except ValidationError as exc:
            return _no(row, "invalid", exc.errors()[0]["msg"])
        return self._in_range(row, offer)

    def _in_range(self, row: RawOffer, offer: Offer) -> Offer | Refused:
        usd = usd_per_gpu_hour(offer)
        if not usd.is_finite():
            return _no(row, "unknown_currency", offer.currency)
        outside = self.offers.limits.outside(offer.gpu, usd, offer.billing)
        return _no(row, "outside_range", f"{usd:.4f}: {outside}") if outside else offer

    @cached_property
    def _instances(self) -> dict[tuple[str, str], Instance]:
        return {(instance.provider, instance.instance): instance for instance in self.offers.instances}

    def _gpu(self, row: RawOffer, instance: Instance | None) -> tuple[str, str | None] | None:
        """(GPU id, the listed name where it leaves the variant open). Our table of types wins over the feed's name."""
        if instance is not None:
            return instance.gpu, None
        name, memory = row.gpu, row.memory_gb
        hints = [(m[1] or m[2]).casefold() for m in _HINTS.finditer(row.instance or "")]
        size = f"-{memory:g}G" if memory else next((f"-{h[:-2]}G" for h in hints if h.endswith("gb")), "")
        form = next((f"-{h}" for h in hints if not h.endswith("gb")), "")
        plain = re.sub(r"-?(\d+)GB$", r"-\1G", name)
        for spelled in (f"{plain}{size}{form}", f"{plain}{form}", f"{plain}{size}", plain, name):
            gpu = self.specs.find_gpu(spelled)
            if gpu is not None:
                several = len([v for v in self.specs.members(spelled) if not v.rare]) > 1
                # The family's own name, so that `Tesla-V100` and, later, `V100` stay one offer.
                return gpu.id, self.specs.family_name(spelled) if several else None
        return None

    def _count_wrong(self, row: RawOffer, instance: Instance | None) -> Refused | None:
        count = row.gpu_count
        if count is None or count != int(count) or count < 1:
            return _no(row, "fraction_of_gpu", f"{count}")
        if instance is not None and instance.gpu_count != count:
            return _no(row, "count_contradicts_table", f"{count:g}, the table has {instance.gpu_count}")
        if count not in _SIZES and count % 8:
            return _no(row, "impossible_count", f"{count:g}")
        return None

    def _memory_wrong(self, row: RawOffer, gpu_id: str) -> Refused | None:
        """Only where a feed states it: 40 GB for an A100-SXM-80 means that name or price belong to another card."""
        if row.memory_gb is None:
            return None
        gpu = self.specs.gpu_by_id[gpu_id]
        near = any(abs(row.memory_gb - size) <= _MEMORY_SLACK * size for size in (gpu.memory_gb, gpu.usable_gib))
        return None if near else _no(row, "memory_of_another_card", f"{row.memory_gb:g} GB for {gpu.title}")

    def _date_wrong(self, row: RawOffer) -> Refused | None:
        if row.read_on is None:
            return _no(row, "no_date")
        return _no(row, "future_date", row.read_on.isoformat()) if row.read_on > self.today else None

    def _sellers(self, offers: list[Offer]) -> list[Refused]:
        """Sellers whose rows cannot be believed as a whole."""
        return [*_columns_mixed(offers), *(() if self.fewer_rows else self._lost(offers))]

    def _lost(self, offers: list[Offer]) -> list[Refused]:
        """Sellers of whom far fewer rows came than the same list had before: a broken feed, not fewer offers."""
        now_listed = Counter((offer.provider, offer.source) for offer in offers)
        before = Counter((o.provider, o.source) for o in self.offers.as_of(self.today).values())
        limit = self.offers.limits.lost_rows
        return [
            Refused(provider, f"{have} of {before[provider, source]} rows", "lost_rows")
            for (provider, source), have in now_listed.items()
            if before[provider, source] >= 4 and have < (1 - limit) * before[provider, source]
        ]


def _columns_mixed(offers: list[Offer]) -> list[Refused]:
    """Sellers with one price for many unlike cards: a page scraped by position."""
    cards: dict[tuple[str, Decimal], set[str]] = defaultdict(set)
    for offer in offers:
        if offer.billing == "on-demand":
            cards[offer.provider, offer.price_per_gpu_hour].add(offer.gpu)
    return [
        Refused(provider, f"{price} for {len(gpus)} cards", "one_price_for_all")
        for (provider, price), gpus in cards.items()
        if len(gpus) >= _UNLIKE_CARDS
    ]


def _no(row: RawOffer, reason: Reason, detail: str = "") -> Refused:
    what = " ".join(part for part in (row.provider, row.instance or row.gpu, row.region, row.billing) if part)
    return Refused(f"line {row.line}", what, reason, detail)
