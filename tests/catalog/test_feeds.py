"""Each fault that real price feeds had is refused, with its reason."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from bot.catalog.feeds import FeedRefused, RawOffer, read_feed
from bot.catalog.feeds.guards import Judge
from bot.catalog.feeds.rows import number_in, price_in
from bot.catalog.records import Offer
from tests.catalog.shelf import offer, offers, specs

TODAY = date(2026, 11, 30)
SOUND: dict[str, Any] = {
    "line": 1,
    "provider": "lambda",
    "gpu": "h100-sxm",
    "price": Decimal("3.99"),
    "per": "gpu",
    "gpu_count": 1.0,
    "read_on": date(2026, 11, 9),
    "source": "https://example.org/list",
}


def judged(*changes: dict[str, Any], before: tuple[Offer, ...] = ()) -> tuple[list[Offer], list[str]]:
    rows = [RawOffer(**{**SOUND, **change}) for change in changes]
    kept, refused = Judge(specs(), offers(*before), TODAY).judge(rows)
    return kept, [refusal.reason for refusal in refused]


def test_a_sound_row_is_taken() -> None:
    kept, refused = judged({})
    assert [(o.gpu, o.price_per_gpu_hour) for o in kept] == [("h100-sxm", Decimal("3.99"))]
    assert not refused


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"price": None}, "no_price"),
        ({"gpu": "b200", "price": Decimal("0.01")}, "outside_range"),  # a bid floor
        ({"price": Decimal("98.32")}, "outside_range"),  # eight cards as one
        ({"gpu": "h100-sxm", "memory_gb": 40.0}, "memory_of_another_card"),
        ({"gpu": "rtx-pro-6000", "price": Decimal("1"), "memory_gb": 24.0}, "memory_of_another_card"),  # a slice
        ({"gpu_count": 1 / 6}, "fraction_of_gpu"),
        ({"gpu_count": 0.0}, "fraction_of_gpu"),
        ({"gpu_count": 12.0}, "impossible_count"),
        (
            {
                "provider": "azure",
                "instance": "Standard_ND96isr_H100_v5",
                "gpu_count": 12.0,
                "per": "instance",
                "price": Decimal("98"),
            },
            "count_contradicts_table",
        ),
        ({"gpu": "NVIDIA"}, "unknown_gpu"),
        ({"provider": "nobody"}, "unknown_provider"),
        ({"billing": "serverless"}, "other_kind"),
        ({"currency": "XXX"}, "unknown_currency"),
        ({"currency": "dollars"}, "invalid"),
        ({"read_on": None}, "no_date"),
        ({"read_on": date(2026, 12, 24)}, "future_date"),
    ],
)
def test_a_faulty_row_is_refused(change: dict[str, Any], reason: str) -> None:
    assert judged(change) == ([], [reason])


def test_the_table_of_types_wins_over_the_name_in_the_feed() -> None:
    row = {"provider": "aws", "instance": "p5en.48xlarge", "gpu": "NVIDIA", "gpu_count": 8.0, "per": "instance"}
    kept, _ = judged({**row, "price": Decimal("63.296")})
    assert [(o.gpu, o.price_per_gpu_hour) for o in kept] == [("h200-sxm", Decimal("7.912"))]


def test_a_name_that_leaves_the_variant_open_is_kept_as_listed() -> None:
    kept, _ = judged({"gpu": "h100", "memory_gb": 80.0})
    assert [(o.gpu, o.listed_as) for o in kept] == [("h100-sxm", "H100")]


def test_an_old_and_a_new_spelling_are_one_offer() -> None:
    kept, _ = judged({"gpu": "Tesla-V100", "price": Decimal("0.2")}, {"gpu": "V100", "price": Decimal("0.2")})
    assert len(kept) == 1


def test_zones_of_a_region_take_the_lowest_price() -> None:
    kept, _ = judged({"price": Decimal("3.99")}, {"price": Decimal("3.49")}, {"price": Decimal("4.49")})
    assert [o.price_per_gpu_hour for o in kept] == [Decimal("3.49")]


def test_one_price_for_many_unlike_cards_is_a_page_read_by_position() -> None:
    cards = ("h100-sxm", "h200-sxm", "a100-sxm-80", "l40s")
    kept, reasons = judged(*({"gpu": card, "price": Decimal("5")} for card in cards))
    assert not kept
    assert reasons == ["one_price_for_all"]


def test_a_seller_that_lost_most_of_its_rows_keeps_those_of_yesterday() -> None:
    before = tuple(
        offer("lambda", c, 2, "2026-11-08", source=SOUND["source"]) for c in ("a10", "l4", "l40s", "a40", "h100-sxm")
    )
    kept, reasons = judged({}, before=before)
    assert not kept
    assert reasons == ["lost_rows"]


@pytest.mark.parametrize("text", ["0", "0.0", "", "NaN", "nan", "inf", "-1", "free", None])
def test_no_price_is_never_free(text: object) -> None:
    assert price_in(text) is None


@pytest.mark.parametrize(("text", "value"), [("8.0", 8.0), ("x", None), ("nan", None)])
def test_numbers_of_a_feed(text: str, value: float | None) -> None:
    assert number_in(text) == value


SKYPILOT = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo\n"


def skypilot(tmp_path: Path, *rows: str) -> list[RawOffer]:
    path = tmp_path / "lambda.csv"
    path.write_text(SKYPILOT + "\n".join(rows) + "\n", encoding="utf-8")
    return read_feed(path, read_on=date(2026, 11, 1))[1]


def test_skypilot_prices_are_for_the_whole_instance(tmp_path: Path) -> None:
    rows = skypilot(tmp_path, 'gpu_8x_h100_sxm5,H100,8.0,208,1800,31.92,,us-east-1,"{bad memory}"')
    assert [(row.provider, row.per, row.price, row.gpu_count) for row in rows] == [
        ("lambda", "instance", Decimal("31.92"), 8.0)
    ]


def test_a_spot_price_equal_to_the_list_price_is_a_placeholder(tmp_path: Path) -> None:
    rows = skypilot(tmp_path, "a,H100,8,1,1,55.04,55.040000,eu,", "b,H100,8,1,1,55.04,10.2,eu,", "c,H200,8,1,1,,20.5,eu,")
    assert [(row.instance, row.billing) for row in rows] == [
        *(("a", "on-demand"), ("b", "on-demand"), ("b", "spot"), ("c", "spot"))
    ]


def test_a_total_in_the_name_is_not_the_memory(tmp_path: Path) -> None:
    rows = skypilot(tmp_path, "x,A100-80GB-640GB,8,1,1,10,,eu,", "y,,0,1,1,1,,eu,")
    assert [row.gpu for row in rows] == ["A100-80GB"]


def test_a_skypilot_file_needs_a_day(tmp_path: Path) -> None:
    path = tmp_path / "lambda.csv"
    path.write_text(SKYPILOT, encoding="utf-8")
    with pytest.raises(FeedRefused, match="--date"):
        read_feed(path)


def test_a_row_carried_forward_keeps_the_day_on_which_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "2026-08-13.json"
    carried = {"provider": "fireworks", "gpu": "h100", "vram_gb": 80, "usd_hr": 2.9, "kind": "on-demand"}
    document = {"date": "2026-08-13", "offers": [{**carried, "fetched_at": "2026-08-10T06:00:00Z"}], "providers": {}}
    path.write_text(json.dumps(document), encoding="utf-8")
    feed, rows = read_feed(path)
    assert feed == "gpurentalprices"
    assert [row.read_on for row in rows] == [date(2026, 8, 10)]


def test_a_list_of_ones_own_keeps_its_currency_and_divides_months(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "# read by hand\nprovider,gpu,gpu_count,price,unit,currency,read_on,source\n"
        "阿里云,A10,1,7300,month,CNY,2026-11-20,https://example.org\n",
        encoding="utf-8",
    )
    feed, rows = read_feed(path)
    assert feed == "list"
    assert [(row.currency, row.price, row.billing, row.line) for row in rows] == [("CNY", Decimal(10), "reserved", 3)]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", "[]", "offers"),
        ("a.csv", "Date,USD\n1,2\n", "neither"),
        ("a.csv", "provider,gpu\nx,y\n", "currency"),
        ("a.csv", "", "neither"),
    ],
)
def test_what_is_no_price_feed_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FeedRefused, match=said):
        read_feed(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FeedRefused, match="no such file"):
        read_feed(tmp_path / "none.json")
