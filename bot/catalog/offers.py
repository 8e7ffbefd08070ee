"""Dated prices: the newest reading of every offer, and which of them may be called the cheapest.

A reading is never overwritten; a new one is a new row in a new file of `prices/`. Only the newest reading of an offer is
used, and one that its own list has since dropped is not used at all. Over `say_age_days` the age is said, over
`cheapest_days` a price is never "the cheapest". Listed is not in stock.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from bot.catalog.limits import PriceLimits, load_limits
from bot.catalog.records import Instance, Offer, OfferKey, Provider
from bot.catalog.specs import Specs, normal_key
from bot.errors import KnowledgeError
from bot.folder import Folder, validate_item, validate_rows

_PROVIDERS = "providers.yaml"
_FILE_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True)
class Offers:
    """All readings, in no order; `snapshots` are the dates of the price files, oldest first."""

    readings: tuple[Offer, ...]
    snapshots: tuple[date, ...]
    providers: tuple[Provider, ...]
    instances: tuple[Instance, ...]
    limits: PriceLimits

    @cached_property
    def provider_by_id(self) -> dict[str, Provider]:
        return {provider.id: provider for provider in self.providers}

    @cached_property
    def _provider_keys(self) -> dict[str, Provider]:
        names = ((name, p) for p in self.providers for name in (*p.aliases, p.name, p.name_zh, p.id) if name)
        return {normal_key(name): provider for name, provider in names}

    def find_provider(self, name: str) -> Provider | None:
        return self._provider_keys.get(normal_key(name))

    @cached_property
    def by_key(self) -> dict[OfferKey, list[Offer]]:
        """All readings of each offer, oldest first."""
        found: dict[OfferKey, list[Offer]] = defaultdict(list)
        for offer in self.readings:
            found[offer.key].append(offer)
        for readings in found.values():
            readings.sort(key=_day)
        return dict(found)

    @cached_property
    def _states(self) -> dict[date, dict[OfferKey, Offer]]:
        return {}

    def as_of(self, day: date) -> dict[OfferKey, Offer]:
        """The newest reading of each offer up to `day`; offers that their own list no longer had are left out."""
        if day not in self._states:
            self._states[day] = self._state(day)
        return self._states[day]

    def _state(self, day: date) -> dict[OfferKey, Offer]:
        newest: dict[OfferKey, Offer] = {}
        last_read: dict[tuple[str, str], date] = {}
        for key, readings in self.by_key.items():
            known = bisect_right(readings, day, key=_day)
            if known:
                offer = newest[key] = readings[known - 1]
                listing = (offer.provider, offer.source)
                last_read[listing] = max(offer.read_on, last_read.get(listing, offer.read_on))
        return {key: o for key, o in newest.items() if o.read_on == last_read[o.provider, o.source]}

    def listed(
        self,
        gpus: str | Collection[str] | None = None,
        *,
        now: datetime,
        billing: str | None = None,
        provider: str | None = None,
        region: str | None = None,
    ) -> list[Offer]:
        """Current offers, cheapest first, of whatever age: the caller says how old they are."""
        wanted = {gpus} if isinstance(gpus, str) else None if gpus is None else set(gpus)
        found = [
            offer
            for offer in self.as_of(now.date()).values()
            if (wanted is None or offer.gpu in wanted)
            and (billing is None or offer.billing == billing)
            and (provider is None or offer.provider == provider)
            and (region is None or (offer.region or "").casefold() == region.casefold())
        ]
        return sorted(found, key=lambda offer: (usd_per_gpu_hour(offer), offer.provider, offer.gpu, offer.gpu_count))

    def cheapest(
        self,
        gpus: str | Collection[str] | None = None,
        *,
        n: int = 5,
        billing: str | None = None,
        provider: str | None = None,
        region: str | None = None,
        now: datetime,
    ) -> list[Offer]:
        """The `n` cheapest offers that are recent enough to be called so, each provider and card once."""
        found = self.listed(gpus, now=now, billing=billing, provider=provider, region=region)
        recent = [offer for offer in found if age_days(offer, now) <= self.limits.cheapest_days]
        return _first_of_each(recent)[:n]

    def price_for(self, gpu_id: str, now: datetime) -> Offer | None:
        """The price that a cost is worked out with: the cheapest on-demand machine with an owner who answers for it.

        Readings of the last `say_age_days` win over older ones; community, spot and marketplace prices are used only where
        there is nothing else; over `cheapest_days` there is no price.
        """
        key = gpu_id, now.date()
        if key not in self._usual:
            recent = [o for o in self.listed(gpu_id, now=now) if age_days(o, now) <= self.limits.cheapest_days]
            self._usual[key] = min(recent, key=lambda offer: self._preference(offer, now), default=None)
        return self._usual[key]

    @cached_property
    def _usual(self) -> dict[tuple[str, date], Offer | None]:
        return {}

    def _preference(self, offer: Offer, now: datetime) -> tuple[bool, bool, bool, bool, Decimal]:
        seller = self.provider_by_id.get(offer.provider)
        return (
            offer.billing != "on-demand",
            seller is not None and seller.kind in ("marketplace", "serverless", "market"),
            offer.listed_as is not None,
            age_days(offer, now) > self.limits.say_age_days,
            usd_per_gpu_hour(offer),
        )


def _day(offer: Offer) -> date:
    return offer.read_on


def contradict(a: Offer, b: Offer, share: float) -> bool:
    """Whether two lists cannot both be right, by more than `share`.

    Of the same type and number they must agree; a price that is said to be the seller's lowest (no type, no region) must
    not be above one that another list has. AWS H100 at 12.29 "lowest" against 6.88 for a p5.48xlarge is a contradiction.
    """
    if a.source == b.source or (a.provider, a.gpu, a.billing, a.currency) != (b.provider, b.gpu, b.billing, b.currency):
        return False
    low, high = sorted((a, b), key=lambda offer: offer.price_per_gpu_hour)
    if float(high.price_per_gpu_hour / low.price_per_gpu_hour) - 1 <= share:
        return False
    same = (a.instance, a.region, a.gpu_count) == (b.instance, b.region, b.gpu_count)
    return same or (high.instance is None and high.region is None)


def age_days(offer: Offer, now: datetime) -> int:
    return (now.date() - offer.read_on).days


def usd_per_gpu_hour(offer: Offer) -> Decimal:
    """For sorting alone: the price in USD at the reference rate of its own day."""
    if offer.currency == "USD":
        return offer.price_per_gpu_hour
    from bot.catalog.currency import convert

    converted = convert(offer.price_per_gpu_hour, offer.currency, "USD", offer.read_on)
    return converted.amount if converted else Decimal("Infinity")


def _first_of_each(offers: Iterable[Offer]) -> list[Offer]:
    """One row a provider, card and billing: the regions of one seller do not fill the list."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for offer in offers:
        key = (offer.provider, offer.gpu, offer.billing)
        if key not in seen:
            seen.add(key)
            kept.append(offer)
    return kept


def load_offers(folder: Folder, specs: Specs) -> Offers:
    """`prices/*.csv`, `providers.yaml`, `instances.csv`. Raises KnowledgeError with every problem found."""
    problems: list[str] = []
    names = folder.names("prices/*.csv")
    rows = [row for name in names for row in folder.csv(name)]
    providers = load_providers(folder)
    known = {provider.id for provider in providers}
    readings: list[Offer] = []
    try:
        readings = validate_rows(rows, Offer)
    except KnowledgeError as exc:
        problems += exc.problems
    else:
        problems += [
            f"{row.file}:{row.line} {field}: no {what} has the id {value!r}"
            for row, offer in zip(rows, readings, strict=True)
            for field, value, ids, what in (
                ("gpu", offer.gpu, specs.gpu_by_id, "GPU"),
                ("provider", offer.provider, known, "provider"),
            )
            if value not in ids
        ]
    if problems:
        raise KnowledgeError(problems)
    dates = sorted({date.fromisoformat(found[1]) for name in names if (found := _FILE_DATE.search(name))})
    return Offers(tuple(readings), tuple(dates), providers, load_instances(folder, specs), load_limits(folder))


def load_providers(folder: Folder) -> tuple[Provider, ...]:
    """Raises KnowledgeError naming every provider that cannot be used by its place in `providers.yaml`."""
    problems: list[str] = []
    providers = [
        validate_item(folder, _PROVIDERS, str(values.get("id")), values, Provider, problems=problems)
        for values in folder.yaml(_PROVIDERS)
    ]
    if problems:
        raise KnowledgeError(problems)
    return tuple(provider for provider in providers if provider is not None)


def load_instances(folder: Folder, specs: Specs) -> tuple[Instance, ...]:
    rows = folder.csv("instances.csv")
    instances = validate_rows(rows, Instance)
    unknown = [
        f"{row.file}:{row.line} gpu: no GPU has the id {instance.gpu!r}"
        for row, instance in zip(rows, instances, strict=True)
        if instance.gpu not in specs.gpu_by_id
    ]
    if unknown:
        raise KnowledgeError(unknown)
    return tuple(instances)
