"""A feed becomes a snapshot, or is refused as a whole and leaves yesterday's prices in force."""

import os
from datetime import date
from pathlib import Path

import pytest

from bot.catalog.changes import changes_between
from bot.catalog.feeds import FeedRefused, RawOffer, read_feed
from bot.catalog.importing import Imported, judge_feed, write_snapshot
from bot.catalog.offers import Offers, load_offers
from bot.folder import Folder
from tests.catalog.shelf import offer, offers, specs
from tests.catalog.test_feeds import SOUND, TODAY


def take(*changes: dict[str, object], before: Offers | None = None) -> Imported:
    rows = [RawOffer(**{**SOUND, **change}) for change in changes]
    return judge_feed("list", rows, specs=specs(), offers=before or offers(), today=TODAY)


def test_a_snapshot_is_layered_over_the_shipped_prices(tmp_path: Path) -> None:
    path = write_snapshot(take({"gpu": "a10", "price": SOUND["price"]}), tmp_path)
    assert path.name == "2026-11-09-list.csv"
    found = load_offers(Folder.knowledge(tmp_path), specs())
    assert any(o.provider == "lambda" and o.gpu == "a10" and o.source == SOUND["source"] for o in found.readings)
    assert len(found.readings) > 100


def test_the_same_file_twice_is_one_snapshot(tmp_path: Path) -> None:
    first, second = write_snapshot(take({}), tmp_path), write_snapshot(take({}), tmp_path)
    assert first == second
    assert len(list(tmp_path.rglob("*"))) == 2  # the folder and the one file, nothing half-written


def test_a_feed_that_is_mostly_faulty_is_refused() -> None:
    with pytest.raises(FeedRefused, match="outside_range"):
        take({}, {"gpu": "b200", "line": 2}, *({"price": SOUND["price"] / 400, "line": n} for n in range(3, 8)))  # type: ignore[operator]


def test_an_empty_feed_is_refused() -> None:
    with pytest.raises(FeedRefused, match="no rows"):
        take()


def test_a_feed_with_a_new_day_and_old_prices_was_not_read_again() -> None:
    regions = [{"region": f"r{n}", "line": n} for n in range(25)]
    before = [
        offer("lambda", "h100-sxm", "3.99", "2026-05-01", region=r["region"], source="https://example.org/list")
        for r in regions
    ]
    with pytest.raises(FeedRefused, match="re-dated"):
        take(*regions, before=offers(*before))


def test_two_lists_that_disagree_about_a_large_cloud_are_both_kept() -> None:
    known = offer("aws", "h100-sxm", 6.88, "2026-11-01", source="https://example.org/other")
    imported = take({"provider": "aws", "price": SOUND["price"] * 3}, before=offers(known))  # type: ignore[operator]
    assert [(str(a.price_per_gpu_hour), str(b.price_per_gpu_hour)) for a, b in imported.disputed] == [("11.97", "6.88")]


SHARED = os.environ.get("SUANLI_TEST_DATA")
needs_data = pytest.mark.skipif(not SHARED, reason="SUANLI_TEST_DATA names no folder with real snapshots")


def import_real(tmp_path: Path, *names: str, **more: object) -> Offers:
    assert SHARED is not None
    for name in names:
        known = load_offers(Folder.knowledge(tmp_path), specs())
        feed, rows = read_feed(Path(SHARED) / name, read_on=more.get("read_on"))  # type: ignore[arg-type]
        imported = judge_feed(feed, rows, specs=specs(), offers=known, today=TODAY, fewer_rows=bool(more.get("fewer_rows")))
        write_snapshot(imported, tmp_path)
    return load_offers(Folder.knowledge(tmp_path), specs())


@needs_data
def test_real_the_night_on_which_one_seller_raised_five_cards(tmp_path: Path) -> None:
    found = import_real(tmp_path, "gpu-rental-prices/2026-08-01.json", "gpu-rental-prices/2026-08-02.json")
    changed = changes_between(found, date(2026, 8, 1), date(2026, 8, 2)).over(0.05).changed
    assert {change.after.provider for change in changed} == {"digitalocean"}
    assert {(c.after.gpu, round(c.ratio, 2)) for c in changed} >= {("h100-sxm", 0.47), ("mi325x", 0.66), ("h200-sxm", 0.3)}


@needs_data
def test_real_wrong_memory_of_the_first_days_is_refused(tmp_path: Path) -> None:
    assert SHARED is not None
    feed, rows = read_feed(Path(SHARED) / "gpu-rental-prices/2026-07-05.json")
    imported = judge_feed(feed, rows, specs=specs(), offers=offers(), today=TODAY)
    assert "lambda" in {r.what.split()[0] for r in imported.refused if r.reason == "memory_of_another_card"}


@needs_data
def test_real_bid_floors_refuse_the_feed(tmp_path: Path) -> None:
    with pytest.raises(FeedRefused, match="outside_range"):
        import_real(tmp_path, "skypilot-catalog/snapshot-b/mithril.csv", read_on=date(2026, 6, 1))


@needs_data
def test_real_a_rise_of_seven_types_in_ten_regions_is_seven_changes(tmp_path: Path) -> None:
    import_real(tmp_path, "skypilot-catalog/snapshot-a/lambda.csv", read_on=date(2025, 12, 1))
    found = import_real(tmp_path, "skypilot-catalog/snapshot-b/lambda.csv", read_on=date(2026, 6, 1))
    changed = changes_between(found, date(2025, 12, 1), date(2026, 6, 1)).changed
    assert len(changed) == 7
    assert {len(change.regions) for change in changed} == {10}
    assert 0.32 <= min(c.ratio for c in changed) <= max(c.ratio for c in changed) <= 0.72


@needs_data
def test_real_spot_placeholders_and_capacity_blocks_are_no_offers(tmp_path: Path) -> None:
    found = import_real(tmp_path, "skypilot-catalog/single/aws-00148f2a.csv", read_on=date(2026, 11, 20))
    p5e = [o for o in found.readings if o.instance == "p5e.48xlarge" and o.read_on == date(2026, 11, 20)]
    assert {o.billing for o in p5e} <= {"spot"}
