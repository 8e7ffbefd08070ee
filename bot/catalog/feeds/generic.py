"""A price list kept by hand: CSV with the columns of `knowledge/prices/`, or a price for the whole instance.

Needed: `provider`, `gpu`, `currency`, `read_on`, `source`, and `price_per_gpu_hour`, or `price` with `gpu_count`. `unit` may
be `hour` or `month` (730 hours). The currency is never guessed: a list in yuan stays in yuan.
"""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

from bot.catalog.feeds.rows import FeedRefused, RawOffer, day_in, number_in, price_in

NEEDED = {"provider", "gpu", "currency", "read_on", "source"}
_HOURS = {"": 1, "hour": 1, "month": 730}


def read_generic(path: Path) -> list[RawOffer]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        numbered = [(number, line) for number, line in enumerate(handle, 1) if not line.startswith("#")]
    reader = csv.DictReader(line for _, line in numbered)
    missing = NEEDED - set(reader.fieldnames or ())
    if missing:
        raise FeedRefused(f"{path.name}: columns are missing: {', '.join(sorted(missing))}")
    if not {"price", "price_per_gpu_hour"} & set(reader.fieldnames or ()):
        raise FeedRefused(f"{path.name}: a column `price` or `price_per_gpu_hour` is needed")
    return [_offer(numbered[min(reader.line_num, len(numbered)) - 1][0], row) for row in reader]


def _offer(line: int, row: dict[str, str | None]) -> RawOffer:
    cell = {key: (value or "").strip() for key, value in row.items() if key}
    each = price_in(cell.get("price_per_gpu_hour"))
    price = each if each is not None else price_in(cell.get("price"))
    hours = _HOURS.get(cell.get("unit", ""), 0)
    return RawOffer(
        line=line,
        provider=cell["provider"],
        gpu=cell["gpu"],
        price=price / Decimal(hours) if price is not None and hours else None,
        per="gpu" if each is not None else "instance",
        gpu_count=number_in(cell.get("gpu_count")) or 1,
        memory_gb=number_in(cell.get("memory_gb")),
        instance=cell.get("instance") or None,
        region=cell.get("region") or None,
        currency=cell["currency"].upper(),
        billing=cell.get("billing") or ("reserved" if hours == _HOURS["month"] else "on-demand"),
        read_on=day_in(cell["read_on"]),
        source=cell["source"],
        notes=cell.get("notes", ""),
    )
