"""Which reading of a price counts, how old it may be, and which one a bill is worked out with."""

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.catalog.offers import age_days
from tests.catalog.shelf import NOW, offer, offers, shipped


def test_only_the_newest_reading_of_an_offer_is_used() -> None:
    shelf = offers(offer("runpod", "h100-sxm", 3.29, "2026-08-22"), offer("runpod", "h100-sxm", 3.99, "2026-11-09"))
    assert [str(o.price_per_gpu_hour) for o in shelf.listed("h100-sxm", now=NOW)] == ["3.99"]


def test_an_offer_that_its_own_list_dropped_is_gone() -> None:
    shelf = offers(
        offer("digitalocean", "h100-sxm", 2.99, "2026-08-01", gpu_count=8),
        offer("digitalocean", "h200-sxm", 4.47, "2026-08-02"),
    )
    assert {o.gpu for o in shelf.listed(now=NOW)} == {"h200-sxm"}


def test_another_list_does_not_make_an_offer_gone() -> None:
    shelf = offers(
        offer("runpod", "rtx4090", 0.74, "2026-08-22", source="https://example.org/a"),
        offer("runpod", "h100-sxm", 3.99, "2026-11-09", source="https://example.org/b"),
    )
    assert {o.gpu for o in shelf.listed(now=NOW)} == {"rtx4090", "h100-sxm"}


def test_over_half_a_year_a_price_is_never_the_cheapest() -> None:
    old = offer("aws", "t4", 0.526, "2026-05-17")
    shelf = offers(old)
    assert shelf.listed("t4", now=NOW) == [old]
    assert shelf.cheapest("t4", now=NOW) == []
    assert shelf.price_for("t4", NOW) is None


def test_a_reading_of_tomorrow_is_not_known_today() -> None:
    assert offers(offer("runpod", "a10", 1, "2026-12-01")).listed(now=NOW) == []


def test_a_bill_prefers_a_seller_who_answers_for_the_machine() -> None:
    shelf = offers(
        offer("runpod", "h100-sxm", 2.69, "2026-11-09", billing="community"),
        offer("azure", "h100-sxm", 2.04, "2026-11-09", billing="spot"),
        offer("vast", "h100-sxm", 2.40, "2026-11-09"),
        offer("lambda", "h100-sxm", 3.99, "2026-11-09"),
    )
    price = shelf.price_for("h100-sxm", NOW)
    assert price is not None
    assert price.provider == "lambda"


def test_a_bill_prefers_a_fresh_price_to_a_lower_old_one() -> None:
    shelf = offers(offer("lambda", "a10", 0.75, "2026-08-22"), offer("oci", "a10", 2, "2026-11-20"))
    price = shelf.price_for("a10", NOW)
    assert price is not None
    assert price.provider == "oci"


def test_prices_in_yuan_are_sorted_among_dollars() -> None:
    shelf = offers(
        offer("aliyun", "a10", 10, "2026-11-09", currency="CNY"),  # about 1.50 USD
        offer("lambda", "a10", 1.29, "2026-11-09"),
        offer("oci", "a10", 2, "2026-11-09"),
    )
    assert [o.provider for o in shelf.cheapest("a10", now=NOW)] == ["lambda", "aliyun", "oci"]


def test_regions_of_one_seller_take_one_row() -> None:
    regions = [offer("aws", "h100-sxm", 7 + i, "2026-11-09", region=f"r{i}") for i in range(5)]
    assert len(offers(*regions).cheapest("h100-sxm", now=NOW)) == 1


def test_sellers_are_known_by_old_and_chinese_names() -> None:
    assert [p.id for name in ("DataCrunch", "阿里云", "Amazon") if (p := shipped().find_provider(name))] == [
        *("verda", "aliyun", "aws")
    ]


@settings(max_examples=30, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 400), st.decimals("0.5", "9", places=2)), min_size=1, max_size=8))
def test_the_cheapest_is_recent_and_no_listed_recent_price_is_lower(rows: list[tuple[int, float]]) -> None:
    today = date(2026, 11, 30)
    readings = [
        offer("lambda", "h100-sxm", price, str(today - timedelta(days=age)), region=str(i), source=str(i))
        for i, (age, price) in enumerate(rows)
    ]
    shelf = offers(*readings)
    limit = shelf.limits.cheapest_days
    found = shelf.cheapest("h100-sxm", n=1, now=NOW)
    recent = [r.price_per_gpu_hour for r in readings if age_days(r, NOW) <= limit]
    assert [o.price_per_gpu_hour for o in found] == ([min(recent)] if recent else [])


def test_every_shipped_price_can_be_traced() -> None:
    for reading in shipped().readings:
        # A page, or the release of a published price list that has no page of its own.
        assert reading.source.startswith("https://") or "price list in the package" in reading.source
        assert reading.read_on <= date(2026, 11, 30)
