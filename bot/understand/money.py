"""Amounts of money: a limit that the asker has, or a price that he takes as given.

`under $3/hr` and `预算每月20万` are limits, `if an H100 is $2.30/hr` is a price; `still $1.99?` is neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.question import Money, Period
from bot.understand.found import Quantities
from bot.understand.numbers import Number, tidy
from bot.understand.patterns import Patterns

_PERIODS: tuple[tuple[Period, str], ...] = (
    ("hour", "by_hour"),
    ("day", "by_day"),
    ("month", "by_month"),
    ("year", "by_year"),
)
_UNITS = "元块钱美金刀usdrmb多左右 以内的"  # may stand between an amount and its period


class MoneyReader:
    """`currencies` maps signs and words to ISO codes."""

    def __init__(self, patterns: Patterns, currencies: Mapping[str, str]) -> None:
        self.patterns = patterns
        self.currencies = currencies

    def read(self, low: str, number: Number, labels: tuple[str, ...], found: Quantities) -> None:
        before, after = low[max(0, number.start - 48) : number.start], low[number.end : number.end + 24]
        words = low[max(0, number.start - 10) : number.end + 10]
        left, right = (
            self.patterns["currency_left"].search(before),
            self.patterns["currency_right"].match(low, number.start + _body(number)),
        )
        currency = self.currencies.get((left or right).group(1)) if (left or right) else self._unit_currency(low, number)  # type: ignore[union-attr]
        period = self._period(before, after)
        limit = self.patterns["limit_left"].search(before) or self.patterns["limit_right"].match(after) or "budget" in labels
        premise = (left or right or number.unit == "money" or period) and (
            self.patterns["premise_left"].search(before) or self.patterns["premise_right"].match(after) or "price" in labels
        )
        ongoing = bool(left or right) and period in ("month", "year") and not premise  # $500/month for an endpoint
        found.used.add(number.start)
        if (limit or ongoing) and not (
            premise and period == "hour" and not self.patterns["clear_limit"].search(before[-20:] + after[:8])
        ):
            found.put("budget", Money(tidy(number.plain()), currency, period or "once"), words)
        elif premise and not (
            self.patterns["asked_price"].match(after.strip()[:6]) and not self.patterns["supposing"].search(before + after)
        ):
            found.put("unit_price", Money(tidy(number.plain()), currency, period), words)
        elif not limit and not premise:
            found.loose_money = Money(tidy(number.plain()), currency, period)

    def is_money(self, low: str, number: Number) -> bool:
        large = number.plain() >= 1000 and not number.unit and not number.glued and number.scale != "k"
        if large and self.patterns["round_limit"].match(low, number.end):
            return True  # 五万以内
        if (
            number.unit == "card"
            and low[number.end - 1] == "块"
            and (number.scale in ("万", "w", "千") or self.patterns["budget_before"].search(low[: number.start][-10:]))
        ):
            return True
        if number.unit == "money" or (number.scale in ("k", "w", "万") and self.patterns["to_spend"].match(low, number.end)):
            return True
        if self.patterns["currency_left"].search(low[max(0, number.start - 12) : number.start]):
            return number.unit not in ("memory", "token")
        right = self.patterns["currency_right"].match(low, number.start + _body(number))
        if right and right.group(1) == "块":
            return bool(self.patterns["money_not_cards"].match(low[right.end() :]))
        return bool(right) and right is not None and right.group(1) != "$"

    def _period(self, before: str, after: str) -> Period | None:
        """The period that follows the amount, else the one in its clause."""
        for name, pattern in _PERIODS:
            if self.patterns[pattern].match(after.lstrip(_UNITS)) or self.patterns[pattern].match(after.strip()):
                return name
        clause = re.split(r"[,;。\n]", before)[-1]
        return next((name for name, pattern in _PERIODS if self.patterns[pattern].search(clause)), None)

    def _unit_currency(self, low: str, number: Number) -> str | None:
        word = low[number.body : number.end].strip().rstrip("0123456789的")
        return next((code for unit, code in self.currencies.items() if word.endswith(unit)), None)


def _body(number: Number) -> int:
    return number.body + len(number.scale) - number.start
