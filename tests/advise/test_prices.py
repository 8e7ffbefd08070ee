"""Prices with seller, day, age and currency; what is old, missing or disputed is said."""

from pathlib import Path

import pytest

from bot.advise.context import Library
from bot.answer import Text
from bot.folder import Folder
from tests.advise.desk import card, money, put
from tests.catalog.shelf import offer, offers

H100 = [card("H100", 80)]


def keys(*sentences: object) -> list[str]:
    return [sentence.key for sentence in sentences if isinstance(sentence, Text)]


def test_the_cheapest_is_fresh_dated_and_cannot_be_taken_away() -> None:
    told = put("prices", "cheapest H100 right now", gpus=H100, metric="price")
    assert told.words.startswith("$1.99 per GPU-hour: H100 PCIe 80GB, RunPod, community, read 2026-11-09 (21 days ago).")
    assert "Listed prices, not stock." in told.words
    assert told.answer.answered_from == "catalog"
    assert str(told.answer.catalog_date) == "2026-11-09"


def test_a_chinese_reader_sees_yuan_with_rate_and_day() -> None:
    words = put("prices", "H100 多少钱一小时", gpus=H100, metric="price").words
    assert "约合 ¥13.24（1 USD = 6.6529 CNY，欧洲央行 2026-10-30）" in words


def test_the_reader_s_own_currency_wins() -> None:
    assert "€" in put("prices", "H100 price", gpus=H100, metric="price", currency="EUR").words


def test_over_a_month_the_age_is_in_words() -> None:
    words = put("prices", "B200 at lambda", gpus=[card("B200")], provider="lambda", metric="price").words
    assert "read 2026-08-22, 3 months ago" in words


def test_over_half_a_year_it_is_the_last_one_seen_and_not_the_price() -> None:
    told = put("prices", "T4 price on aws", gpus=[card("T4", 16)], provider="aws", metric="price")
    assert "too old to go by" in told.words
    assert told.answer.cost is None


def test_a_card_without_any_price_gets_none() -> None:
    told = put("prices", "K80 price", gpus=[card("K80")], metric="price")
    assert "no dated price of K80" in told.words
    assert told.answer.table is None


def test_a_seller_without_a_price_is_named_with_its_list_and_the_cheapest_elsewhere() -> None:
    told = put("prices", "阿里云 A10 多少钱", gpus=[card("A10", 24)], provider="aliyun", metric="price")
    assert "没有读到阿里云的 A10 价格" in told.words
    assert "DescribePrice" in told.words
    assert told.answer.table is not None


def test_a_ceiling_is_answered_with_yes_or_no() -> None:
    assert put("prices", "H100 below 2 USD?", gpus=H100, budget=money(2)).words.startswith("Yes, below $2.00")
    assert put("prices", "H100 below 1 USD?", gpus=H100, budget=money(1)).words.startswith("Not below $1.00")


def test_a_ceiling_in_yuan_is_compared_in_dollars() -> None:
    assert put("prices", "H100 能低于 15 元吗", gpus=H100, budget=money(15, "CNY")).words.startswith("能，低于")


def test_spot_is_asked_for_by_name() -> None:
    told = put("prices", "spot H100", gpus=H100, metric="spot_price")
    assert "spot" in told.words


def test_eight_cards_cost_eight_times_as_much() -> None:
    told = put("prices", "8 H100 on runpod", gpus=[card("H100", 80, 8)], provider="runpod", metric="price")
    assert "8 of them: $15.92 an hour" in told.words
    assert told.answer.cost is not None
    assert told.answer.cost.amount.best == 8 * told.answer.cost.price_per_gpu_hour


def test_several_cards_each_get_their_price() -> None:
    told = put("prices", "L40S or A100 price", gpus=[card("L40S", 48), card("A100")], metric="price")
    assert "L40S $0.99" in told.words
    assert "A100 $1.19" in told.words


def test_a_price_by_instance_and_region() -> None:
    told = put("prices", "p5 price in us-east-1", provider="aws", instance="p5", region="us-east-1", metric="price")
    assert told.words.startswith("$6.88 per GPU-hour: H100 SXM5 80GB, AWS")


def test_a_region_without_a_price_is_said() -> None:
    told = put("prices", "H100 in eu", gpus=H100, region="eu", metric="price")
    assert "no price for the region eu" in told.words


def test_two_lists_that_contradict_each_other_are_both_shown() -> None:
    shelf = offers(
        offer("aws", "h100-sxm", 6.88, "2026-11-09", instance="p5.48xlarge", gpu_count=8, source="https://a.example"),
        offer("aws", "h100-sxm", 12.29, "2026-11-20", source="https://b.example"),
    )
    told = put("prices", "H100 on aws", offers=shelf, gpus=H100, provider="aws", metric="price")
    assert "Two lists disagree on H100 SXM5 80GB at AWS" in told.words


def test_machines_in_other_regions_are_no_dispute() -> None:
    shelf = offers(
        offer("aws", "h100-sxm", 6.88, "2026-11-09", instance="p5.48xlarge", region="us-east-1", source="https://a.example"),
        offer("aws", "h100-sxm", 8.94, "2026-11-09", instance="p5.48xlarge", region="eu-west-2", source="https://b.example"),
    )
    assert "disagree" not in put("prices", "H100 on aws", offers=shelf, gpus=H100, provider="aws", metric="price").words


def test_every_price_shown_has_its_list_and_its_day() -> None:
    told = put("prices", "A100 price", gpus=[card("A100")], metric="price")
    assert told.answer.table is not None
    assert all(row[-1].value is not None for row in told.answer.table.rows)
    assert all(source.url and source.read_on for source in told.answer.sources)


def test_without_a_card_there_is_a_question_back() -> None:
    assert put("prices", "how much?", metric="price").answer.action == "clarify"


def test_a_broken_price_file_leaves_the_prices_read_before(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    library = Library(Folder.knowledge(tmp_path))
    before = library.offers
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "2026-11-29.csv").write_text("provider,gpu\nnobody,nothing\n", encoding="utf-8")
    assert library.offers is before
    assert "kept" in caplog.text


def test_a_new_price_file_shows_without_a_restart(tmp_path: Path) -> None:
    library = Library(Folder.knowledge(tmp_path))
    count = len(library.offers.readings)
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "2026-11-29.csv").write_text(
        "provider,gpu,currency,price_per_gpu_hour,read_on,source\nlambda,a10,USD,1.49,2026-11-29,https://e.org\n",
        encoding="utf-8",
    )
    assert len(library.offers.readings) == count + 1


def test_how_a_price_moved_is_told_from_its_readings() -> None:
    shelf = offers(
        offer("lambda", "h100-sxm", 2.99, "2026-06-01"),
        offer("lambda", "h100-sxm", 3.99, "2026-08-01"),
        offer("lambda", "h100-sxm", 3.49, "2026-11-01"),
    )
    told = put("prices", "H100 价格走势", offers=shelf, gpus=H100, metric="price")
    assert "2026-06-01 为 $2.99，2026-11-01 为 $3.49（+17 %）" in told.words
    assert told.answer.table is not None
    assert len(told.answer.table.rows) == 3


def test_a_card_that_is_sold_in_china_alone_points_at_its_twin() -> None:
    told = put("prices", "price of H800", gpus=[card("H800", 80)], metric="price")
    assert "no dated price of H800" in told.words
    assert "The same chip with full links, H100 SXM5 80GB" in told.words
    assert told.answer.cost is None
