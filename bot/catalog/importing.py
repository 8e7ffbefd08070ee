"""A feed's file becomes a dated snapshot in a folder of its own, layered over `knowledge/prices/`."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bot.catalog.feeds import FeedRefused, RawOffer
from bot.catalog.feeds.guards import Judge, Refused
from bot.catalog.offers import Offers, contradict
from bot.catalog.records import Offer
from bot.catalog.specs import Specs

_HALF = 0.5
_FIELDS = (
    *("provider", "gpu", "listed_as", "gpu_count", "instance", "region", "currency", "price_per_gpu_hour"),
    *("billing", "read_on", "standing", "source", "notes"),
)
_REDATED_ROWS = 20
_REDATED_DAYS = 14
# Rows that a feed has for other purposes than ours are left out, but are no sign of a broken feed.
_HARMLESS = frozenset({"other_kind", "unknown_gpu", "unknown_provider", "no_price"})


@dataclass(frozen=True, slots=True)
class Imported:
    """A snapshot as it would be kept: its day, what was taken and refused, and prices that another list disputes."""

    feed: str
    day: date
    offers: tuple[Offer, ...]
    refused: tuple[Refused, ...]
    disputed: tuple[tuple[Offer, Offer], ...]
    unchanged: tuple[str, ...]  # sellers whose every price is that of their last reading


def judge_feed(
    feed: str, rows: list[RawOffer], *, specs: Specs, offers: Offers, today: date, fewer_rows: bool = False
) -> Imported:
    """What of the feed may be taken. Raises FeedRefused where it cannot be believed as a whole.

    `fewer_rows`: a person has looked, and the seller really lists so much less than before.
    """
    if not rows:
        raise FeedRefused(f"{feed}: no rows with GPUs")
    kept, refused = Judge(specs, offers, today, fewer_rows).judge(rows)
    faulty = [refusal for refusal in refused if refusal.reason not in _HARMLESS]
    if not kept or len(faulty) > _HALF * len(rows):
        raise FeedRefused(f"{feed}: of {len(rows)} rows {len(kept)} can be believed ({_commonest(refused)})")
    day = max(offer.read_on for offer in kept)
    _refuse_redated(feed, kept, offers, day)
    return Imported(
        feed=feed,
        day=day,
        offers=tuple(
            sorted(kept, key=lambda o: (o.provider, o.gpu, o.billing, o.gpu_count, o.region or "", o.instance or ""))
        ),
        refused=tuple(refused),
        disputed=tuple(_disputed(kept, offers, day)),
        unchanged=tuple(_unchanged(kept, offers)),
    )


def _commonest(refused: list[Refused]) -> str:
    """What most rows were refused for; a seller refused as a whole first, since that took all of its rows."""
    whole = next((r for r in refused if r.reason in ("lost_rows", "one_price_for_all")), None)
    if whole:
        return f"{whole.reason}: {whole.where}, {whole.what}"
    reasons = [refusal.reason for refusal in refused]
    return max(set(reasons), key=reasons.count) if reasons else "no row left"


def _refuse_redated(feed: str, kept: list[Offer], offers: Offers, day: date) -> None:
    """A large feed with a new day and not one new price was re-dated, not re-read."""
    before = offers.as_of(day)
    pairs = [(offer, before[offer.key]) for offer in kept if offer.key in before]
    if len(pairs) < _REDATED_ROWS or len(pairs) < len(kept):
        return
    same = all(a.price_per_gpu_hour == b.price_per_gpu_hour for a, b in pairs)
    oldest = min(b.read_on for _, b in pairs)
    if same and (day - oldest).days >= _REDATED_DAYS:
        raise FeedRefused(f"{feed}: all {len(pairs)} prices are those of {oldest}: re-dated, not re-read")


def _unchanged(kept: list[Offer], offers: Offers) -> list[str]:
    """Sellers with no new price. Said, not refused: a short list may well stand still."""
    told: dict[str, bool] = {}
    for offer in kept:
        known = offers.as_of(offer.read_on).get(offer.key)
        same = known is not None and known.price_per_gpu_hour == offer.price_per_gpu_hour
        told[offer.provider] = told.get(offer.provider, True) and same
    return sorted(provider for provider, same in told.items() if same)


def _disputed(kept: list[Offer], offers: Offers, day: date) -> list[tuple[Offer, Offer]]:
    """Prices of large clouds that another list, not too old, puts elsewhere: both are kept and both are shown."""
    limits = offers.limits
    others: dict[tuple[str, str, str], list[Offer]] = defaultdict(list)
    for other in offers.as_of(day).values():
        if (day - other.read_on).days <= limits.cheapest_days:
            others[other.provider, other.gpu, other.billing].append(other)
    return [
        (offer, other)
        for offer in kept
        if offers.provider_by_id[offer.provider].kind == "hyperscaler"
        for other in others[offer.provider, offer.gpu, offer.billing]
        if contradict(offer, other, limits.disagreement)
    ]


def write_snapshot(imported: Imported, folder: Path) -> Path:
    """`folder`/prices/DAY-FEED.csv. The same file again for the same day and feed replaces its own earlier import alone."""
    path = folder / "prices" / f"{imported.day}-{_file_part(imported)}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    with temporary.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, _FIELDS, lineterminator="\n")
        writer.writeheader()
        for offer in imported.offers:
            values = {name: getattr(offer, name) for name in _FIELDS}
            writer.writerow({name: "" if value is None else value for name, value in values.items()})
    temporary.replace(path)  # readers see the whole snapshot or none of it
    return path


def _file_part(imported: Imported) -> str:
    """SkyPilot has one file a cloud, so the cloud is part of the name."""
    providers = {offer.provider for offer in imported.offers}
    return f"{imported.feed}-{providers.pop()}" if imported.feed == "skypilot" and len(providers) == 1 else imported.feed
