"""Sums around the cards, against worked numbers and laws."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.estimator.infrastructure import (
    Owning,
    checkpoint_every_h,
    checkpoint_gb,
    energy_kwh,
    hours_between,
    interruption_chance,
    pue_saving,
    read_ceiling_tokens_per_s,
    text_read_mb_s,
    transfer_s,
)

META_RATE = 0.0033  # 419 interruptions in 54 days on 16,384 cards: 419 / 16,384 / (54 / 7)

WORKED = [
    (transfer_s(120, 2), 480),
    (transfer_s(140, 10), 112),
    (checkpoint_gb(70, 13), 910),
    (interruption_chance(8, 7, META_RATE), 0.026),
    (interruption_chance(64, 7, META_RATE), 0.19),
    (interruption_chance(512, 7, META_RATE), 0.82),
    (hours_between(512, META_RATE), 99.4),
    (checkpoint_every_h(0.1, 99), 4.45),
    (energy_kwh(8, 700, 24, 1.3), 178.2),
    (pue_saving(1.54, 1.1), 0.286),
    (read_ceiling_tokens_per_s(2, 2e6, 1000), 1e6),
    (text_read_mb_s(512 * 9670, 4), 19.8),
]


@pytest.mark.parametrize(("computed", "worked"), WORKED)
def test_worked_numbers(computed: float, worked: float) -> None:
    assert computed == pytest.approx(worked, rel=0.02)


def a_card(price_usd: float = 38750, usd_per_kwh: float = 0.1) -> Owning:
    return Owning(price_usd, 4, 0.2, 0.15, 0.8, 1.3, usd_per_kwh)


def test_owning_costs_what_the_sum_in_its_docstring_says() -> None:
    assert a_card().usd_per_used_hour(0.6) == pytest.approx(3.14, abs=0.01)


@given(st.floats(5000, 100000), st.floats(0.5, 20))
@settings(derandomize=True, max_examples=60)
def test_at_the_break_even_owning_costs_the_rent(price: float, rent: float) -> None:
    owning = a_card(price)
    share = owning.break_even(rent)
    assert share is not None
    assert owning.usd_per_used_hour(share) == pytest.approx(rent)


def test_where_power_alone_costs_more_than_the_rent_there_is_no_break_even() -> None:
    assert a_card(usd_per_kwh=5).break_even(1.0) is None


@given(st.integers(1, 20000), st.floats(0.1, 365))
@settings(derandomize=True, max_examples=60)
def test_more_cards_are_interrupted_more_often(n_gpus: int, days: float) -> None:
    assert interruption_chance(n_gpus, days, META_RATE) <= interruption_chance(n_gpus + 1, days, META_RATE) <= 1
