"""gpurentalprices.com daily snapshots (CC BY 4.0, by adriannutiu/gpu-rental-prices): JSON, USD for one GPU for one hour.

A provider that failed that day is carried forward with its old `fetched_at`; that day is the day of the reading.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.catalog.feeds.rows import FeedRefused, RawOffer, day_in, number_in, price_in

_BILLING = {"on-demand": "on-demand", "secure": "on-demand", "community": "community", "spot": "spot"}
_NOTE = "via gpurentalprices.com (CC BY 4.0)"


def read_gpurentalprices(path: Path) -> list[RawOffer]:
    """Offers of the file; serverless ones are kept with their own billing word, so that they are counted as refused."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as exc:
        raise FeedRefused(f"{path.name}: not JSON: {exc}") from exc
    offers = document.get("offers") if isinstance(document, dict) else None
    if not isinstance(offers, list):
        raise FeedRefused(f"{path.name}: a JSON object with a list `offers` is expected")
    day = day_in(document.get("date"))
    providers = document.get("providers") or {}
    return [_offer(number, offer, day, providers) for number, offer in enumerate(offers, 1) if isinstance(offer, dict)]


def _offer(number: int, offer: dict[str, Any], day: Any, providers: dict[str, Any]) -> RawOffer:
    provider = str(offer.get("provider", ""))
    kind = str(offer.get("kind", ""))
    return RawOffer(
        line=number,
        provider=provider,
        gpu=str(offer.get("gpu", "")),
        price=price_in(offer.get("usd_hr")),
        per="gpu",
        gpu_count=number_in(offer.get("min_gpus")) or 1,
        memory_gb=number_in(offer.get("vram_gb")),
        billing=_BILLING.get(kind, kind),
        read_on=day_in(offer.get("fetched_at")) or day,
        source=str(offer.get("source_url") or providers.get(provider, {}).get("source_url") or ""),
        notes=_NOTE,
    )
