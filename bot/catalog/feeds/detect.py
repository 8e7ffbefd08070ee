"""Which feed a file is, by its ending and its columns."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

from bot.catalog.feeds.generic import NEEDED, read_generic
from bot.catalog.feeds.gpurentalprices import read_gpurentalprices
from bot.catalog.feeds.rows import FeedRefused, RawOffer
from bot.catalog.feeds.skypilot import COLUMNS, read_skypilot


def read_feed(path: Path, *, provider: str | None = None, read_on: date | None = None) -> tuple[str, list[RawOffer]]:
    """(name of the feed, its rows). Raises FeedRefused for a file that is none of the known ones."""
    if not path.is_file():
        raise FeedRefused(f"{path}: no such file")
    if path.suffix == ".json":
        return "gpurentalprices", read_gpurentalprices(path)
    columns = _columns(path)
    if columns >= COLUMNS:
        return "skypilot", read_skypilot(path, provider=provider or path.stem.split("-")[0], read_on=read_on)
    if columns & NEEDED:
        return "list", read_generic(path)
    raise FeedRefused(
        f"{path.name}: neither a SkyPilot vms.csv, a gpurentalprices JSON nor a list with {', '.join(sorted(NEEDED))}"
    )


def _columns(path: Path) -> set[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            lines = (line for line in handle if not line.startswith("#"))
            return set(next(csv.reader(lines), []))
    except UnicodeDecodeError as exc:
        raise FeedRefused(f"{path.name}: not UTF-8 text: {exc.reason}") from exc
