"""What a digest of prices says, in both languages, from snapshots made for the test."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, time
from pathlib import Path

import pytest

from bot.catalog.specs import load_specs
from bot.compose import Composer, Reply
from bot.digests.prices import PriceDigests
from bot.folder import Folder
from bot.question import Reader
from bot.storage import Subscription, Workspace

NOW = datetime(2026, 12, 7, 9, tzinfo=UTC)
SPECS = load_specs(Folder.knowledge())
HEAD = "provider,gpu,billing,currency,price_per_gpu_hour,read_on,source\n"
OLD = "runpod,h100-sxm,on-demand,USD,3.00,2026-12-01,https://example.org/a\nrunpod,a100-sxm-80,on-demand,USD,1.50,2026-12-01,https://example.org/a\n"
NEW = OLD.replace("12-01", "12-06").replace("3.00", "3.60").replace("1.50", "1.20")


def subscription(language: str = "en") -> Subscription:
    return Subscription(Workspace("T1"), "C1", "prices", time(9), "UTC", language=language)  # type: ignore[arg-type]


def writer(tmp_path: Path, **snapshots: str) -> PriceDigests:
    """A writer over a knowledge folder with these price files alone, beside the packaged limits and providers."""
    packaged = Folder.knowledge().layers[0]
    (tmp_path / "prices").mkdir()
    for path in packaged.iterdir():
        if path.name != "prices":
            (tmp_path / path.name).symlink_to(path)
    for path in (packaged / "prices").iterdir():
        if not re.match(r"\d{4}-", path.name):
            (tmp_path / "prices" / path.name).symlink_to(path)
    for day, rows in snapshots.items():
        (tmp_path / "prices" / f"{day.removeprefix('d').replace('_', '-')}.csv").write_text(HEAD + rows)
    return PriceDigests(Folder((tmp_path,)), SPECS)


def words_of(reply: Reply) -> str:
    """All that a reader sees, unbreakable spaces as ordinary ones."""
    return json.dumps(reply.blocks, ensure_ascii=False).replace("\u00a0", " ")


def test_the_largest_change_leads_and_all_stand_in_the_table(tmp_path: Path) -> None:
    digest = writer(tmp_path, d2026_12_01=OLD, d2026_12_06=NEW)(subscription(), now=NOW)
    assert digest is not None
    assert digest.snapshot == date(2026, 12, 6)
    reply = Composer().compose(digest.answer, profile="plain", reader=Reader())
    assert reply.text.startswith("GPU prices, 2026-12-01 to 2026-12-06: 2 changes.")
    assert "per GPU-hour (" in reply.text
    shown = words_of(reply)
    assert all(part in shown for part in ("$3.00", "$3.60", "+20 %", "$1.20", "−20 %", "example.org"))


def test_both_languages_tell_the_same_figures(tmp_path: Path) -> None:
    write = writer(tmp_path, d2026_12_01=OLD, d2026_12_06=NEW)
    figures = []
    for language in ("en", "zh"):
        digest = write(subscription(language), now=NOW)
        assert digest is not None
        reply = Composer().compose(digest.answer, profile="plain", reader=Reader())
        figures.append(sorted(re.findall(r"\d[\d.]*", words_of(reply))))
    assert figures[0] == figures[1]


@pytest.mark.parametrize(
    "snapshots", [{"d2026_12_01": OLD}, {"d2026_12_01": OLD, "d2026_12_06": OLD.replace("12-01", "12-06")}]
)
def test_without_a_change_there_is_no_digest(tmp_path: Path, snapshots: dict[str, str]) -> None:
    assert writer(tmp_path, **snapshots)(subscription(), now=NOW) is None


def test_the_packaged_prices_make_a_first_digest() -> None:
    digest = PriceDigests(Folder.knowledge(), SPECS)(subscription(), now=NOW)
    assert digest is not None
    assert digest.answer.table is not None
