"""What changed between two days: the matter of a price digest.

Prices are compared in the currency of their list. A row that disappears is no price cut, a renamed one is no news, more
coverage is no new offer, and a jump is held back until a second reading confirms it. Marketplace and community prices
flap by the hour, so they count as the median of seven days.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from statistics import median
from typing import Literal

from bot.catalog.offers import Offers, usd_per_gpu_hour
from bot.catalog.records import Offer, OfferKey

_DRIFT_ROWS, _DRIFT, _DRIFT_SPREAD = 3, 0.05, 0.002  # three prices up by 1.3 % each is an exchange rate
_MEDIAN_DAYS = 7
_MEDIAN_READINGS = 3  # fewer readings in the window say nothing about a flapping price

HeldReason = Literal["jump", "outside_range", "lost_rows"]


@dataclass(frozen=True, slots=True)
class PriceChange:
    """One offer at two readings. `sold_differently`: the seller now lists it under another name, count or region."""

    before: Offer
    after: Offer
    sold_differently: bool = False
    regions: tuple[str, ...] = ()  # where the same offer changed in the same way

    @property
    def ratio(self) -> float:
        """+0.47 for 2.99 -> 4.41."""
        return float(self.after.price_per_gpu_hour / self.before.price_per_gpu_hour) - 1


@dataclass(frozen=True, slots=True)
class Held:
    """A change that is not believed yet, and why."""

    change: PriceChange
    reason: HeldReason


@dataclass(frozen=True, slots=True)
class Changes:
    """Sorted, the largest first. `lost`: providers whose list shrank too much to be believed; their rows are not `gone`."""

    since: date
    until: date
    changed: tuple[PriceChange, ...] = ()
    new: tuple[Offer, ...] = ()
    gone: tuple[Offer, ...] = ()
    held: tuple[Held, ...] = ()
    lost: tuple[str, ...] = ()
    new_providers: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.changed or self.new or self.gone or self.held)

    def over(self, share: float) -> Changes:
        """Only changes of at least `share`, in either direction."""
        return replace(self, changed=tuple(change for change in self.changed if abs(change.ratio) >= share))

    def about(self, *, gpus: frozenset[str] | None = None, provider: str | None = None) -> Changes:
        """Only what concerns these cards and this provider."""

        def wanted(offer: Offer) -> bool:
            return (gpus is None or offer.gpu in gpus) and (provider is None or offer.provider == provider)

        return replace(
            self,
            changed=tuple(change for change in self.changed if wanted(change.after)),
            new=tuple(offer for offer in self.new if wanted(offer)),
            gone=tuple(offer for offer in self.gone if wanted(offer)),
            held=tuple(held for held in self.held if wanted(held.change.after)),
        )


def last_changes(offers: Offers) -> Changes | None:
    """The difference of the two newest snapshots; None while there are fewer than two."""
    if len(offers.snapshots) < 2:
        return None
    since, until = offers.snapshots[-2:]
    return changes_between(offers, since, until)


def changes_between(offers: Offers, since: date, until: date) -> Changes:
    """What the readings after `since`, up to `until`, say differently from the newest ones before."""
    before, after = offers.as_of(since), offers.as_of(until)
    fresh = {key: offer for key, offer in after.items() if offer.read_on > since}
    lost = _lost_providers(before, after, offers.limits.lost_rows)
    known_providers = {offer.provider for offer in before.values()}
    pairs = [PriceChange(before[key], fresh[key]) for key in fresh.keys() & before.keys()]
    known_lists = {(offer.provider, offer.source) for offer in before.values()}  # a list that is new is coverage, not news
    new = [offer for key, offer in fresh.items() if key not in before and (offer.provider, offer.source) in known_lists]
    gone = [offer for key, offer in before.items() if key not in after and offer.provider not in lost]
    resold, new, gone = _sold_differently(new, gone)
    judged = [_judged(pair, offers, since, until) for pair in (*pairs, *resold)]
    return Changes(
        since=since,
        until=until,
        changed=_sorted(_over_regions(_without_currency_drift([c for c in judged if isinstance(c, PriceChange)]))),
        new=_once_for_all_regions([offer for offer in new if not _flaps(offer, offers)]),
        gone=_once_for_all_regions([offer for offer in gone if not _flaps(offer, offers)]),
        held=tuple(sorted((h for h in judged if isinstance(h, Held)), key=lambda h: -abs(h.change.ratio))),
        lost=tuple(sorted(lost)),
        new_providers=tuple(sorted({offer.provider for offer in fresh.values()} - known_providers)),
    )


def _without_currency_drift(changes: list[PriceChange]) -> list[PriceChange]:
    """Without sellers whose prices all moved alike and little: a list in another currency, converted by the feed."""
    by_seller: dict[str, list[PriceChange]] = defaultdict(list)
    for change in changes:
        by_seller[change.after.provider].append(change)
    kept: list[PriceChange] = []
    for moved in by_seller.values():
        ratios = [change.ratio for change in moved]
        alike = len(moved) >= _DRIFT_ROWS and max(ratios) - min(ratios) < _DRIFT_SPREAD
        if not (alike and max(abs(ratio) for ratio in ratios) < _DRIFT):
            kept += moved
    return kept


def _over_regions(changes: Iterable[PriceChange]) -> list[PriceChange]:
    """One change where a seller lists one type at one price in many regions."""
    groups: dict[tuple[object, ...], list[PriceChange]] = defaultdict(list)
    for change in changes:
        prices = (change.before.price_per_gpu_hour, change.after.price_per_gpu_hour)
        groups[(*_anywhere(change.after), *prices)].append(change)
    return [
        replace(group[0], regions=tuple(sorted({change.after.region for change in group if change.after.region})))
        for group in groups.values()
    ]


def _once_for_all_regions(offers: list[Offer]) -> tuple[Offer, ...]:
    first: dict[tuple[object, ...], Offer] = {}
    for offer in sorted(offers, key=_order):
        first.setdefault((*_anywhere(offer), offer.price_per_gpu_hour), offer)
    return tuple(first.values())


def _anywhere(offer: Offer) -> tuple[object, ...]:
    return tuple(offer.key._replace(region=None))


def _order(offer: Offer) -> tuple[str, str, Decimal]:
    return offer.provider, offer.gpu, usd_per_gpu_hour(offer)


def _sorted(changes: Iterable[PriceChange]) -> tuple[PriceChange, ...]:
    return tuple(sorted(changes, key=lambda change: (-abs(change.ratio), change.after.provider, change.after.gpu)))


def _lost_providers(before: dict[OfferKey, Offer], after: dict[OfferKey, Offer], share: float) -> frozenset[str]:
    """Providers that lost more than `share` of their rows at once: a broken feed, not news."""
    had = Counter(offer.provider for offer in before.values())
    kept = Counter(offer.provider for key, offer in before.items() if key in after)
    have = Counter(offer.provider for offer in after.values())
    return frozenset(
        name for name, count in had.items() if count >= 4 and kept[name] < count and have[name] < (1 - share) * count
    )


def _sold_differently(new: list[Offer], gone: list[Offer]) -> tuple[list[PriceChange], list[Offer], list[Offer]]:
    """An offer gone and one new of the same seller, card and billing are one offer: renamed, or sold in other numbers.

    DigitalOcean's H100 in groups of 8 at 2.99, then singly at 4.41: +47 % to a reader, not "removed" and "added".
    """
    by_place: dict[tuple[str, str, str, str], list[Offer]] = defaultdict(list)
    for offer in new:
        by_place[offer.provider, offer.gpu, offer.billing, offer.currency].append(offer)
    pairs: list[PriceChange] = []
    left: list[Offer] = []
    for offer in gone:
        twins = by_place.get((offer.provider, offer.gpu, offer.billing, offer.currency), [])
        if len(twins) == 1:
            pairs.append(PriceChange(offer, twins.pop(), sold_differently=True))
        else:
            left.append(offer)
    paired = {id(pair.after) for pair in pairs}
    return pairs, [offer for offer in new if id(offer) not in paired], left


def _judged(change: PriceChange, offers: Offers, since: date, until: date) -> PriceChange | Held | None:
    """The change as it may be told; `Held` where it is not believed; None where it is no news."""
    limits = offers.limits
    if limits.outside(change.after.gpu, usd_per_gpu_hour(change.after), change.after.billing):
        return Held(change, "outside_range")
    if _flaps(change.after, offers):
        steady = _by_median(change, offers, since, until)
        return steady if steady and abs(steady.ratio) >= limits.quiet_change else None
    if abs(change.ratio) < limits.quiet_change:
        return None
    halved = change.ratio < 1 / (1 + limits.jump) - 1
    if (change.ratio > limits.jump or halved) and not _confirmed(change.after, offers, since):
        return Held(change, "jump")
    return change


def _flaps(offer: Offer, offers: Offers) -> bool:
    seller = offers.provider_by_id.get(offer.provider)
    return offer.billing in ("community", "spot") or (seller is not None and seller.kind == "marketplace")


def _by_median(change: PriceChange, offers: Offers, since: date, until: date) -> PriceChange | None:
    """The change from the median of the week before `since` to that of the week before `until`."""
    prices = [
        [o.price_per_gpu_hour for o in offers.by_key[offer.key] if 0 <= (day - o.read_on).days < _MEDIAN_DAYS]
        for offer, day in ((change.before, since), (change.after, until))
    ]
    if min(len(found) for found in prices) < _MEDIAN_READINGS:
        return None
    before, after = (
        offer.model_copy(update={"price_per_gpu_hour": Decimal(median(found))})
        for offer, found in zip((change.before, change.after), prices, strict=True)
    )
    return replace(change, before=before, after=after)


def _confirmed(offer: Offer, offers: Offers, since: date) -> bool:
    """Whether an earlier reading, after `since`, already had this price."""
    near = Decimal("0.01") * offer.price_per_gpu_hour
    return any(
        since < other.read_on < offer.read_on and abs(other.price_per_gpu_hour - offer.price_per_gpu_hour) <= near
        for other in offers.by_key[offer.key]
    )
