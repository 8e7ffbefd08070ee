"""SkyPilot catalog, `catalogs/<schema>/<cloud>/vms.csv`: prices in USD an hour for the whole instance, no date, no provider.

Columns are read by name, since their order differs by cloud. `GpuInfo` is not read: it has held host memory, and memory
multiplied by the count twice. Names like `A100-80GB-640GB` carry the total; the last part goes.
"""

from __future__ import annotations

import csv
import re
from datetime import date
from pathlib import Path

from bot.catalog.feeds.rows import FeedRefused, RawOffer, number_in, price_in

COLUMNS = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region"}
SOURCE = "https://github.com/skypilot-org/skypilot-catalog"

_TOTAL = re.compile(r"^(.*-\d+GB)-\d+GB$")


def read_skypilot(path: Path, *, provider: str | None, read_on: date | None) -> list[RawOffer]:
    """Rows with GPUs, two for one that also has a spot price. The file says neither seller nor day: both are needed."""
    if not provider or read_on is None:
        raise FeedRefused(f"{path.name}: a SkyPilot file names neither seller nor day; give --provider and --date")
    rows: list[RawOffer] = []
    with path.open(encoding="utf-8", newline="") as handle:
        for line, row in enumerate(csv.DictReader(handle), 2):
            if not row.get("AcceleratorName"):
                continue
            rows += _offers(line, row, provider, read_on)
    return rows


def _offers(line: int, row: dict[str, str], provider: str, read_on: date) -> list[RawOffer]:
    on_demand, spot = price_in(row.get("Price")), price_in(row.get("SpotPrice"))
    name = row["AcceleratorName"]
    total = _TOTAL.match(name)
    common = {
        "line": line,
        "provider": provider,
        "gpu": total[1] if total else name,
        "per": "instance",
        "gpu_count": number_in(row.get("AcceleratorCount")),
        "instance": row.get("InstanceType") or None,
        "region": row.get("Region") or None,
        "read_on": read_on,
        "source": SOURCE,
    }
    made = [RawOffer(price=on_demand, **common)] if on_demand is not None or spot is None else []  # type: ignore[arg-type]
    # A spot price equal to the price on demand is a placeholder: no spot is offered there.
    if spot is not None and spot != on_demand:
        made.append(RawOffer(price=spot, billing="spot", **common))  # type: ignore[arg-type]
    return made
