"""Figures as people read them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answer import Band
from bot.compose.locale import Locale, band, compact, figure, params, said, signed_percent, span

EN, ZH = Locale("en"), Locale("zh", "Asia/Shanghai")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(36.8, "37"), (9.62, "9.6"), (9.97, "10"), (1.0, "1"), (0.134, "0.13"), (0, "0"), (12345.6, "12,346")],
)
def test_figure(value: float, shown: str) -> None:
    assert figure(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Band(43, 48.2, 54), "48 (43–54)"),
        (Band.exact(48), "48"),
        (Band(47.9, 48, 48.1), "48"),
        (Band(0.9, 1.2, 1.5), "1.2 (0.9–1.5)"),
    ],
)
def test_band(value: Band, shown: str) -> None:
    assert band(value) == shown


def test_span_of_a_narrow_band_is_one_figure() -> None:
    assert span(Band(47.9, 48, 48.1)) == "48"
    assert span(Band(9, 11, 13)) == "9–13"


@pytest.mark.parametrize(
    ("hours", "en", "zh"),
    [
        (0.2, "12 min", "12 分钟"),
        (0.001, "3.6 s", "3.6 秒"),
        (Band(9, 11, 13), "9–13 h", "9–13 小时"),
        (816, "34 days", "34 天"),
        (24 * 365.25 * 3, "3 years", "3 年"),
    ],
)
def test_hours_take_the_unit_that_fits(hours: float | Band, en: str, zh: str) -> None:
    assert (EN.hours(hours), ZH.hours(hours)) == (en, zh)


@pytest.mark.parametrize(
    ("value", "currency", "shown"),
    [
        (1.79, "USD", "$1.79"),
        (Decimal("2.5"), "USD", "$2.50"),
        (12345, "USD", "$12,345"),
        (Band(1200, 1300, 1500), "USD", "$1,200–1,500"),
        (Band(55.5, 80, 109), "USD", "$56–109"),
        (-3, "USD", "−$3.00"),
        (8, "EUR", "€8.00"),
    ],
)
def test_money(value: float | Decimal | Band, currency: str, shown: str) -> None:
    assert EN.money(value, currency) == shown


def test_yuan_has_its_sign_in_both_languages() -> None:
    assert EN.money(8, "CNY").endswith("8.00")
    assert ZH.money(8, "CNY") == "¥8.00"


@pytest.mark.parametrize(
    ("value", "shown"), [(2048, "2,048"), (20_000, "20k"), (10_000_000, "10M"), (1.5e12, "1.5T"), (3e11, "300B")]
)
def test_compact(value: float, shown: str) -> None:
    assert compact(value) == shown


@pytest.mark.parametrize(("billions", "shown"), [(0.5, "0.5B"), (70.6, "70.6B"), (671, "671B"), (1026, "1.03T")])
def test_sizes_of_models(billions: float, shown: str) -> None:
    assert params(billions) == shown


def test_dates_are_alike_and_times_in_the_readers_zone() -> None:
    assert EN.date(date(2026, 11, 9)) == ZH.date(date(2026, 11, 9)) == "2026-11-09"
    assert ZH.date(datetime(2026, 11, 9, 1, 0, tzinfo=UTC)) == "2026-11-09 09:00"
    assert EN.date(None) == "?"


def test_changes_carry_their_sign() -> None:
    assert (signed_percent(0.47), signed_percent(-0.05)) == ("+47 %", "−5 %")


@pytest.mark.parametrize(
    ("words", "harmless"),
    [("<!channel>", "!channel"), ("*bold* `x`", "bold x"), ("a\nb", "a b"), ("H" * 80, "H" * 59 + "…")],
)
def test_words_of_the_user_lose_their_marks(words: str, harmless: str) -> None:
    assert said(words) == harmless


@given(st.text(max_size=200))
def test_said_never_keeps_a_mark_of_slack(words: str) -> None:
    assert not set(said(words)) & set("*_~`<>|&\n")
    assert len(said(words)) <= 60


@given(st.floats(min_value=0.001, max_value=1e6))
def test_a_figure_is_within_five_percent_of_its_value(value: float) -> None:
    assert float(figure(value).replace(",", "")) == pytest.approx(value, rel=0.06)


@pytest.mark.parametrize(
    ("tokens", "told"), [(20_992, "20,000"), (131_072, "131,072"), (1_728, "1,700"), (45, "45"), (8_192, "8,192")]
)
def test_lengths_are_told_on_the_safe_side(tokens: int, told: str) -> None:
    assert EN.filters()["safe_length"](tokens) == told


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        (Band(32_518, 45_526, 63_736), "46,000 (33,000–64,000)"),
        (Band(848, 1_145, 1_489), "1,100 (800–1,500)"),
        (Band(103, 121, 136), "121 (103–136)"),
        (Band(1_990, 2_010, 2_030), "2,010 (1,990–2,030)"),
        (Band.exact(12_345), "12,345"),
    ],
)
def test_large_estimates_show_no_more_digits_than_are_known(estimate: Band, shown: str) -> None:
    assert EN.filters()["band"](estimate) == shown


def test_money_is_rounded_as_its_estimate_is() -> None:
    assert EN.money(Band(2_866_860, 4_000_000, 5_627_540), "USD") == "$2,900,000–5,600,000"
