"""What a digest may call news, and what it must not."""

from datetime import date

from bot.catalog.changes import Changes, changes_between, last_changes
from bot.catalog.records import Offer
from tests.catalog.shelf import offer, offers, shipped

JULY, AUGUST = date(2026, 7, 1), date(2026, 8, 1)


def between(*readings: Offer) -> Changes:
    return changes_between(offers(*readings), JULY, AUGUST)


def pair(before: float, after: float, **more: object) -> tuple[Offer, Offer]:
    return tuple(
        offer("lambda", "h100-sxm", price, day, **more) for price, day in ((before, "2026-07-01"), (after, "2026-08-01"))
    )


def test_a_rise_is_told_with_its_share() -> None:
    found = between(*pair(2.99, 3.99))
    assert [round(change.ratio, 3) for change in found.changed] == [0.334]


def test_rounding_is_no_news() -> None:
    assert not between(*pair(1.65, 1.652))


def test_groups_of_eight_sold_singly_are_one_change() -> None:
    found = between(
        offer("digitalocean", "h100-sxm", 2.99, "2026-07-01", gpu_count=8),
        offer("digitalocean", "h100-sxm", 4.41, "2026-08-01"),
    )
    assert [(round(c.ratio, 2), c.sold_differently) for c in found.changed] == [(0.47, True)]
    assert not found.new
    assert not found.gone


def test_a_renamed_instance_is_no_removal() -> None:
    found = between(
        offer("verda", "h100-sxm", 1.99, "2026-07-01", instance="1H100.80S.30V"),
        offer("verda", "h100-sxm", 2.29, "2026-08-01", instance="1H100.80S.32V"),
    )
    assert len(found.changed) == 1
    assert not found.gone


def test_a_vanished_price_is_gone_and_not_cheaper() -> None:
    found = between(
        offer("lambda", "a10", 0.75, "2026-07-01"),
        offer("lambda", "h100-sxm", 3, "2026-07-01"),
        offer("lambda", "h100-sxm", 3, "2026-08-01"),
    )
    assert [o.gpu for o in found.gone] == ["a10"]
    assert not found.changed


def test_a_jump_is_held_until_a_second_reading_confirms_it() -> None:
    rise = pair(2.0, 6.0)
    assert [held.reason for held in between(*rise).held] == ["jump"]
    confirmed = between(*rise, offer("lambda", "h100-sxm", 6.0, "2026-07-20"))
    assert len(confirmed.changed) == 1


def test_a_price_outside_the_range_of_its_card_is_held() -> None:
    found = between(offer("lambda", "b200", 4, "2026-07-01"), offer("lambda", "b200", 0.05, "2026-08-01"))
    assert [held.reason for held in found.held] == ["outside_range"]


def test_more_coverage_is_no_news() -> None:
    found = between(offer("lambda", "a10", 1, "2026-07-01"), offer("oci", "a10", 2, "2026-08-01"))
    assert not found
    assert found.new_providers == ("oci",)


def test_a_list_that_lost_most_rows_is_a_fault_and_not_news() -> None:
    cards = ("a10", "l4", "l40s", "a40", "a30", "h100-sxm")
    before = [offer("lambda", card, 2, "2026-07-01") for card in cards]
    found = between(*before, offer("lambda", "a10", 2, "2026-08-01"))
    assert found.lost == ("lambda",)
    assert not found.gone


def test_one_change_for_all_regions_of_a_constant_list() -> None:
    readings = [reading for region in ("eu", "us", "asia") for reading in pair(2.99, 3.99, region=region)]
    found = between(*readings)
    assert [change.regions for change in found.changed] == [("asia", "eu", "us")]


def test_an_exchange_rate_is_no_price_change() -> None:
    cards = ("l4", "l40s", "h100-sxm", "b300")
    readings = [
        offer("scaleway", card, price, day)
        for card, base in zip(cards, (0.9, 1.7, 3.3, 8.6), strict=True)
        for price, day in ((base, "2026-07-01"), (round(base * 1.0134, 4), "2026-08-01"))
    ]
    assert not between(*readings).changed


def test_a_market_counts_as_the_median_of_a_week() -> None:
    days = ("2026-06-28", "2026-06-29", "2026-07-01", "2026-07-28", "2026-07-30", "2026-08-01")
    flapping = [offer("vast", "h100-sxm", p, d) for p, d in zip((2.0, 4.2, 2.0, 2.0, 4.4, 2.0), days, strict=True)]
    assert not between(*flapping)
    risen = [offer("vast", "h100-sxm", p, d) for p, d in zip((2.0, 4.2, 2.0, 3.0, 3.0, 2.1), days, strict=True)]
    assert [round(change.ratio, 2) for change in between(*risen).changed] == [0.5]


def test_yuan_are_compared_in_yuan() -> None:
    found = between(*pair(30, 33, currency="CNY"))
    assert [round(change.ratio, 2) for change in found.changed] == [0.1]


def test_nothing_changes_between_a_day_and_itself() -> None:
    for day in shipped().snapshots:
        assert not changes_between(shipped(), day, day)


def test_a_newcomer_sees_a_first_digest() -> None:
    found = last_changes(shipped())
    assert found is not None
    assert {change.after.provider for change in found.changed} == {"runpod"}


def test_only_what_concerns_a_card_or_a_size() -> None:
    found = between(*pair(2.0, 2.1), offer("lambda", "a10", 1, "2026-07-01"), offer("lambda", "a10", 1.5, "2026-08-01"))
    assert len(found.over(0.2).changed) == 1
    assert [c.after.gpu for c in found.about(gpus=frozenset({"h100-sxm"})).changed] == ["h100-sxm"]
