"""Conversion is dated, offline, and never guesses."""

from datetime import date

import pytest

from bot.catalog.currency import convert


def test_the_newest_rate_shipped_is_named_with_its_day() -> None:
    found = convert(100, "USD", "CNY")
    assert found is not None
    assert float(found.amount) == pytest.approx(100 * float(found.rate))
    assert found.rate_date >= date(2026, 10, 30)
    assert found.source.read_on == found.rate_date


def test_a_weekend_takes_the_friday_before_and_says_so() -> None:
    found = convert(1, "USD", "CNY", date(2026, 8, 2))
    assert found is not None
    assert found.rate_date == date(2026, 7, 31)


def test_there_and_back_is_the_same_amount() -> None:
    there = convert(42, "USD", "CNY")
    assert there is not None
    back = convert(there.amount, "CNY", "USD")
    assert back is not None
    assert float(back.amount) == pytest.approx(42)


@pytest.mark.parametrize("currency", ["XXX", "BTC", ""])
def test_a_currency_that_nobody_quotes_is_not_converted(currency: str) -> None:
    assert convert(1, "USD", currency) is None


def test_a_day_before_all_rates_has_none() -> None:
    assert convert(1, "USD", "CNY", date(1990, 1, 1)) is None
