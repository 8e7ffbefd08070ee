"""Units that only the words around a number tell: 块 is a card or a yuan, 路 a card or a user, W ten thousand or a watt.

`每小时12块` and `1块5一小时` are money, `4块A100` cards; `双路4090` are two cards, `50路并发` users; `under 300W` is power.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.understand.numbers import Number
from bot.understand.patterns import Patterns

_TENTHS = re.compile(r"(\d)(?![\d.a-z张个卡])")
_HAN = re.compile("[\u4e00-\u9fff]")
_MOST_SLOTS = 16  # cards of one board: more 路 are users


def settled(low: str, numbers: Sequence[Number], cards: Iterable[int], patterns: Patterns) -> list[Number]:
    """The numbers with such units settled; `cards` are the places where names of GPUs begin."""
    starts, english = tuple(cards), _HAN.search(low) is None
    out: list[Number] = []
    for number in numbers:
        if out and number.start < out[-1].end:
            continue  # the 5 of 1块5
        of_cards = any(0 <= start - number.end <= 2 for start in starts)
        out.append(_settled(low, number, patterns, of_cards=of_cards, english=english))
    return out


def _settled(low: str, number: Number, patterns: Patterns, *, of_cards: bool, english: bool) -> Number:
    unit = low[number.body : number.end].strip()
    if number.unit == "card" and unit in ("块", "块的") and not of_cards and _is_price(low, number, patterns):
        return _with_tenths(low, replace(number, unit="money"))
    if number.unit == "user" and number.scale == "k" and unit.removeprefix("k").strip().startswith("seq"):
        return replace(number, unit="length")
    if number.unit == "user" and unit == "路" and number.word and number.value == 1 and not of_cards:
        return replace(number, unit="")  # 一路涨
    if number.unit == "user" and unit == "路" and of_cards and number.value <= _MOST_SLOTS:
        return replace(number, unit="card")
    return replace(number, scale="", unit="watt") if number.scale == "w" and english else number


def _is_price(low: str, number: Number, patterns: Patterns) -> bool:
    before = low[max(0, number.start - 14) : number.start]
    return bool(patterns["yuan_before"].search(before) or patterns["yuan_after"].match(low, number.end))


def _with_tenths(low: str, number: Number) -> Number:
    """`1块5` is 1.5."""
    tenths = _TENTHS.match(low, number.end)
    if tenths is None:
        return number
    return replace(number, value=round(number.value + int(tenths.group(1)) / 10, 2), end=tenths.end())
