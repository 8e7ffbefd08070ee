"""Numbers, money, dates and durations as people read them. The one place that formats a figure.

Memory is GiB, whole from 10 up and with one decimal below; the figures are the same in both languages, only the
words around them differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from bot.answer import Band
from bot.question import Language

_BABEL = {"en": "en_US", "zh": "zh_Hans_CN"}
_DASH = "–"
# Above 0.5 % of doubt a band is worth showing; below it the two ends print alike anyway.
_NARROW = 0.005
_WHOLE = 100  # an amount of money from here on has no cents
_LARGE = 1000  # below it every digit is shown
_LIMIT_STEP = 8192  # the context that a model is made for is a multiple of it
_HOUR_UNITS = {
    "en": {"s": " s", "min": " min", "h": " h", "d": " days", "y": " years"},
    "zh": {"s": " 秒", "min": " 分钟", "h": " 小时", "d": " 天", "y": " 年"},
}
_VERDICTS = {
    "en": {"yes": "fits", "tight": "tight", "no": "does not fit"},
    "zh": {"yes": "放得下", "tight": "临界", "no": "放不下"},
}

Number = int | float | Decimal | Band


def best(value: Number) -> float:
    """The estimate itself: a band's middle."""
    return value.best if isinstance(value, Band) else float(value)


def as_known(value: Number) -> Number:
    """A large estimate to as many digits as its doubt leaves: 45,526 (32,518 to 63,736) -> 46,000 (33,000 to 64,000)."""
    if not isinstance(value, Band) or value.high < _LARGE or value.high - value.low <= _NARROW * abs(value.best):
        return value
    step = 10.0 ** (len(str(int(value.high))) - 2)
    while value.high - value.low < 2 * step:
        step /= 10
    return Band(*(round(end / step) * step for end in (value.low, value.best, value.high)))


def figure(value: Number) -> str:
    """Figures that a reader acts on: 36.8 -> 37, 9.62 -> 9.6, 0.134 -> 0.13, 12,345 -> 12,345."""
    number = best(as_known(value))
    size = abs(number)
    if size == 0 or size >= 9.95:
        return f"{number:,.0f}"
    if size >= 0.95:
        return f"{number:.1f}".removesuffix(".0")
    return f"{number:.2g}"


def one_decimal(value: Number) -> str:
    """For the lines of a sum, which must add up before the reader's eyes: 36.8."""
    return f"{best(value):,.1f}"


def plain(value: object) -> str:
    """A number as written, without rounding away what the user said: 2048 -> 2,048, 0.9 -> 0.9."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return str(value)
    return f"{value:,}" if value == int(value) and isinstance(value, int) else f"{float(value):,g}"


def ends(value: Number) -> tuple[str, str]:
    """Both ends of a band as figures."""
    return (figure(value.low), figure(value.high)) if isinstance(value, Band) else (figure(value), figure(value))


def band(value: Number) -> str:
    """`48 (43–54)`; just `48` where the ends print alike."""
    if not isinstance(value, Band) or value.high - value.low <= _NARROW * abs(value.best):
        return figure(value)
    known = as_known(value)
    low, high = ends(known)
    return figure(known) if low == high else f"{figure(known)} ({low}{_DASH}{high})"


def span(value: Number) -> str:
    """`43–54`, the ends alone; one figure where they print alike."""
    if not isinstance(value, Band):
        return figure(value)
    low, high = ends(as_known(value))
    return low if low == high else f"{low}{_DASH}{high}"


def compact(value: Number) -> str:
    """Tokens and samples: 10,000,000 -> 10M, 1.5e12 -> 1.5T, 20,000 -> 20k, 2,048 -> 2,048."""
    number = best(value)
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= size:
            unit = 1e3 if letter == "k" else size
            return f"{number / unit:.3g}{letter}"
    return f"{number:,.0f}"


def params(value: Number) -> str:
    """A size in 1e9 parameters: 70.6 -> 70.6B, 0.5 -> 0.5B, 671 -> 671B, 1,026 -> 1.03T."""
    billions = best(value)
    return f"{billions / 1000:.3g}T" if billions >= 1000 else f"{billions:.3g}B"


def safe_length(value: Number) -> str:
    """Tokens that still fit, on the safe side: 20,992 -> 20,000; a model's own limit (131,072) stays exact."""
    number = int(best(value))
    if number % _LIMIT_STEP == 0 or number < 100:
        return f"{number:,}"
    step = 10 ** (len(str(number)) - 2)
    return f"{number // step * step:,}"


def percent(value: Number) -> str:
    """A share of one: 0.154 -> 15 %, 0.004 -> 0.4 %."""
    return f"{figure(best(value) * 100)} %"


def signed_percent(value: Number) -> str:
    """A change: 0.47 -> +47 %, -0.05 -> −5 %."""
    sign = "+" if best(value) >= 0 else "−"
    return f"{sign}{figure(abs(best(value)) * 100)} %"


@dataclass(frozen=True, slots=True)
class Locale:
    """Formatting that depends on the reader's language and time zone."""

    language: Language
    timezone: str = "UTC"

    def filters(self) -> Mapping[str, Callable[..., str]]:
        """The filters of `templates/texts/`. Each takes numbers or bands and, `band`, `span`, `count`, `figure`,
        `compact`, `safe_length` and `sum` apart, writes the unit too."""
        filters: dict[str, Callable[..., str]] = {
            "figure": figure,
            "band": band,
            "span": span,
            "count": lambda value: f"{best(value):,.0f}",
            "compact": compact,
            "safe_length": safe_length,
            "params": params,
            "sum": one_decimal,
            "plain": plain,
            "percent": percent,
            "signed_percent": signed_percent,
            "gib": lambda value: f"{figure(value)} GiB",
            "gib_band": lambda value: f"{band(value)} GiB",
            "tokens_per_s": lambda value: f"{span(value)} tokens/s",
            "usd": lambda value: self.money(value, "USD"),
            "money": self.money,
            "hours": self.hours,
            "date": self.date,
            "verdict": self.verdict,
            "cap": cap,
            "uncap": uncap,
            "weights": weights,
            "said": said,
            "name": said,
        }
        return {name: _or_dash(format_) for name, format_ in filters.items()}

    def money(self, value: Number, currency: str = "USD") -> str:
        """`$1.79`, `$12,345`; a band as `$1,200–1,500`. Cents are shown below 100."""
        value = as_known(value)
        if isinstance(value, Band) and self._amount(value.low) != self._amount(value.high):
            low = f"{value.low:,.0f}" if value.high >= _WHOLE else self._amount(value.low)
            return f"{self._symbol(currency)}{low}{_DASH}{self._amount(value.high)}"
        number = best(value)
        sign = "−" if number < 0 else ""
        return f"{sign}{self._symbol(currency)}{self._amount(abs(number))}"

    def hours(self, value: Number) -> str:
        """Hours in the unit that fits: 0.2 -> 12 min, 11 -> 11 h, 816 -> 34 days; bands as `9–13 h`."""
        number = best(value)
        factor, unit = _hour_unit(number)
        scaled = value.times(factor) if isinstance(value, Band) else number * factor
        return f"{span(scaled)}{_HOUR_UNITS[self.language][unit]}"

    def date(self, value: date | datetime | None) -> str:
        """ISO dates are read alike in both languages; times are in the reader's zone."""
        if value is None:
            return "?"
        if isinstance(value, datetime):
            return value.astimezone(ZoneInfo(self.timezone)).strftime("%Y-%m-%d %H:%M")
        return value.isoformat()

    def verdict(self, value: str | None) -> str:
        return _VERDICTS[self.language].get(value or "", "–")

    def _symbol(self, currency: str) -> str:
        if currency == "USD":
            return "$"  # the same in both languages, and Babel need not be loaded for it
        from babel.numbers import get_currency_symbol

        symbol = get_currency_symbol(currency, locale=_BABEL[self.language])
        return f"{symbol} " if symbol == currency else symbol

    @staticmethod
    def _amount(number: float) -> str:
        return f"{number:,.0f}" if number >= _WHOLE else f"{number:,.2f}"


def _or_dash(format_: Callable[..., str]) -> Callable[..., str]:
    """A figure that is not known is shown as a dash, never as 0."""

    def formatted(value: object, *args: object) -> str:
        return _DASH if value is None else format_(value, *args)

    return formatted


def _hour_unit(hours: float) -> tuple[float, str]:
    """(factor from hours, unit) that makes the figure readable."""
    if hours < 1 / 60:
        return 3600, "s"
    if hours < 1.5:
        return 60, "min"
    if hours < 72:
        return 1, "h"
    return (1 / 24, "d") if hours < 24 * 730 else (1 / 8766, "y")


def weights(name: str) -> str:
    """A weight format as people write it: `awq_int4` -> AWQ int4, `gguf_q4_k_m` -> Q4_K_M, `bf16` -> bf16."""
    if name.startswith("gguf_"):
        return name.removeprefix("gguf_").upper()
    method, _, bits = name.rpartition("_")
    return f"{method.upper()} {bits}" if method else name


def uncap(text: str) -> str:
    """The first letter small, in the middle of a sentence; names such as LoRA or AWQ keep theirs."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def cap(text: str) -> str:
    """The first letter large: for names of methods at the start of a sentence or a cell. Formats (bf16) keep theirs."""
    first = text.split(" ", 1)[0]
    return text if any(char.isdigit() for char in first) else text[:1].upper() + text[1:]


def said(words: object, limit: int = 60) -> str:
    """The user's own words, harmless: no marks of Slack, no line breaks, at most `limit` characters."""
    lines = " ".join(str(words).split())
    text = " ".join("".join(char for char in lines if char.isprintable() and char not in "*_~`<>|&").split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
