"""Bills: cards for a time, runs, services, power, and what a budget buys. Cost is price times hours, always."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answer import Band
from bot.estimator.infrastructure import energy_kwh
from tests.advise.desk import card, model, money, put
from tests.catalog.shelf import offer, offers

SHELF = offers(
    offer("lambda", "h100-sxm", 4, "2026-11-20"),
    offer("lambda", "a100-sxm-80", 2, "2026-11-20"),
)


def test_cards_for_a_time() -> None:
    told = put("cost", "8 H100 for 6 days", offers=SHELF, gpus=[card("H100", 80, 8)], duration_h=144)
    assert told.words.startswith("8 × H100 for 6 days: about $4,608 (1,152 GPU-hours at $4.00 a GPU-hour")
    assert told.answer.cost is not None
    assert told.answer.cost.amount == Band.exact(4608)


@settings(max_examples=20, derandomize=True)
@given(st.integers(1, 512), st.floats(1, 9000))
def test_a_bill_is_price_times_cards_times_hours(count: int, hours: float) -> None:
    told = put("cost", "cost?", offers=SHELF, gpus=[card("H100", 80, count)], duration_h=hours)
    assert told.answer.cost is not None
    assert told.answer.cost.amount.best == pytest.approx(4 * count * hours)


def test_a_price_that_is_stated_is_used() -> None:
    told = put("cost", "8 V100 跑 6 天", gpus=[card("V100", None, 8)], unit_price=money(2.5), duration_h=144)
    assert "约 $2,880" in told.words
    assert "按您给的每卡每小时 $2.50" in told.words


def test_without_a_time_it_is_by_the_hour_day_and_month() -> None:
    told = put(
        "cost", "8 H100?", offers=SHELF, gpus=[card("H100", 80, 8)], duration_h=None, models=[], budget=None, unit_price=None
    )
    assert "$32.00 an hour, about $23,360 a month" in told.words


def test_a_seller_without_a_price_gets_no_invented_bill_but_one_from_elsewhere() -> None:
    told = put("cost", "on vast?", offers=SHELF, gpus=[card("H100", 80, 8)], provider="vast", duration_h=144)
    assert "no recent price of H100 at Vast.ai" in told.words
    assert "Elsewhere 8 cost $4,608" in told.words


def test_a_budget_buys_hours_of_the_cards_named() -> None:
    told = put("cost", "how long", offers=SHELF, gpus=[card("A100", None, 8)], budget=money(16000, "USD", "once"))
    assert "8,000 GPU-hours: 42 days of 8 × A100" in told.words


def test_a_budget_a_month_buys_cards() -> None:
    told = put("cost", "how many", offers=SHELF, gpus=[card("H100", 80)], budget=money(50000, "USD", "month"))
    assert "pays for 17 × H100 round the clock" in told.words


def test_a_budget_a_month_for_a_count_is_kept_or_not() -> None:
    eight = {"offers": SHELF, "gpus": [card("H100", 80, 8)]}
    assert "within your" in put("cost", "8 H100", budget=money(50000, "USD", "month"), **eight).words
    assert "over your" in put("cost", "8 H100", budget=money(10000, "USD", "month"), **eight).words


def test_a_budget_in_yuan_is_taken_as_such_in_chinese() -> None:
    told = put("cost", "预算 10 万能用多久", offers=SHELF, gpus=[card("A100", None, 8)], budget=money(100000, None, "once"))
    assert told.assumed["budget.currency"] == "CNY"
    assert "¥100,000" in told.words


def test_a_run_is_its_gpu_hours_at_the_price() -> None:
    told = put(
        *("cost", "pretrain 7B on 1T tokens"),
        offers=SHELF,
        gpus=[card("H100", 80)],
        models=[model(None, 7)],
        task="pretrain",
        tokens=10**12,
        unit_price=money(2.3),
    )
    assert told.answer.main is not None
    assert told.answer.cost is not None
    hours = told.answer.main.estimate.gpu_hours  # type: ignore[union-attr]
    assert told.answer.cost.amount.best == pytest.approx(2.3 * hours.best, rel=0.01)
    assert "64 × H100" in told.words  # a cluster that ends in about a month, since no count is said


def test_a_run_without_a_price_gets_hours_and_no_bill() -> None:
    told = put(
        "cost", "cost", offers=SHELF, gpus=[card("RTX3090", 24)], models=[model("Llama-3-8B", 8)], task="qlora", tokens=10**8
    )
    assert told.answer.cost is None
    assert "no recent price of that card" in told.words


def test_a_chip_with_a_slower_link_borrows_the_price_and_says_so() -> None:
    told = put("cost", "cost", offers=SHELF, gpus=[card("H800", 80, 8)], duration_h=100)
    assert told.assumed["price_of"] == "H100 SXM5 80GB"
    assert told.words.startswith("No recent price of H800")


def test_a_service_is_billed_by_the_month_and_by_the_million_tokens() -> None:
    told = put(
        *("cost", "serve qwen2.5-7b on one H100, 32 users"),
        offers=SHELF,
        gpus=[card("H100", 80, 1)],
        models=[model("Qwen2.5-7B", 7)],
        task="inference",
        concurrency=32,
    )
    assert told.answer.cost is not None
    assert told.answer.cost.amount.best == pytest.approx(4 * 730)
    assert "per million output tokens" in told.words


def test_more_requests_a_second_never_take_fewer_cards() -> None:
    counts = [
        put(
            *("cost", "serve"),
            offers=SHELF,
            gpus=[card("H100", 80)],
            models=[model("Qwen2.5-7B", 7)],
            task="inference",
            qps=qps,
        ).answer.cost.amount.best  # type: ignore[union-attr]
        for qps in (1, 10, 100)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_power_with_the_asker_s_own_figures() -> None:
    told = put(
        "cost", "1000 张 H100 一年电费，PUE 1.3，电价 0.6", gpus=[card("H100", 80, 1000)], metric="energy", duration_h=8760,
        unit_price=money(0.6, None, None),
    )  # fmt: skip
    kwh = energy_kwh(1000, 700, 8760, pue=1.3)
    assert f"{kwh / 1000:,.0f} MWh" in told.words
    assert f"¥{float(f'{kwh * 0.6:.3g}'):,.0f}" in told.words
    assert "pue" not in told.assumed


def test_without_a_card_or_model_there_is_a_question_back() -> None:
    assert put("cost", "what does it cost?").answer.action == "clarify"
