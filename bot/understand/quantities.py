"""Numbers that are no count and no memory: lengths, batch, users, tokens, data, time and money, each used once.

The unit decides first (`32 users`), then the label beside it (`bs=4`), then the bare form (`64k`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.question import Money
from bot.understand.found import Quantities
from bot.understand.lexicon import Mention
from bot.understand.money import MoneyReader
from bot.understand.numbers import Number, tidy
from bot.understand.patterns import Patterns

_WORDS_OF_LABELS = frozenset({"length", "user", "epoch", "sample", "rate_qps"})
_MANY_TOKENS = 2 * 10**6  # more than any context: tokens to train on
_HOURS = {"hour": 1, "day": 24, "week": 168, "month": 720, "year": 8760}


class QuantityReader:
    """Reads every scalar slot of a text; numbers of cards and memory are already taken."""

    def __init__(self, patterns: Patterns, money: MoneyReader) -> None:
        self.patterns = patterns
        self.money = money

    def read(self, low: str, numbers: Sequence[Number], labels: Sequence[Mention]) -> Quantities:
        found = Quantities()
        self._in_and_out(low, numbers, found)
        numbers = [n for n in numbers if n.start not in found.used]
        beside = self._labels_of(low, numbers, labels)
        self._at_once(low, numbers, beside, found)
        for number in numbers:
            self._by_unit(low, number, beside.get(number.start), found)
        for number in numbers:
            if number.start not in found.used and beside.get(number.start):
                self._by_label(low, number, beside[number.start], found)
        for number in numbers:
            if number.start not in found.used:
                self._bare(low, number, found)
        self._spans_of_time(low, found)
        return found

    def _in_and_out(self, low: str, numbers: Sequence[Number], found: Quantities) -> None:
        """`8k in 1k out`, `3000 input / 1000 output`: two lengths at once."""
        pair = self.patterns["in_and_out"].search(low)
        if pair is None:
            return
        by_start = {n.start: n for n in numbers}
        first, second = by_start.get(pair.start(1)), by_start.get(pair.start(2))
        if first and second:
            found.put("input_len", int(first.scaled()), pair.group(), first)
            found.put("output_len", int(second.scaled()), pair.group(), second)

    def _labels_of(self, low: str, numbers: Sequence[Number], labels: Sequence[Mention]) -> dict[int, tuple[str, ...]]:
        """Labels that end right before each number, the longest first."""
        out: dict[int, tuple[str, ...]] = {}
        for number in numbers:
            near = [
                m for m in labels
                if 0 <= number.start - m.end <= 14 and self.patterns["label_gap"].fullmatch(low[m.end : number.start])
            ]  # fmt: skip
            if near:
                near.sort(key=lambda m: (number.start - m.end, m.start - m.end))
                closest = near[0].end
                out[number.start] = tuple(m.value for m in near if m.end == closest)
        return out

    def _at_once(
        self, low: str, numbers: Sequence[Number], beside: Mapping[int, tuple[str, ...]], found: Quantities
    ) -> None:
        """Of `500人，高峰并发50` the second is the concurrency."""
        for number in numbers:
            said = "concurrency" in beside.get(number.start, ()) or (
                number.unit == "user" and self.patterns["at_once"].search(low[number.body : number.end])
            )
            next_label = number.unit == "user" and self.patterns["label_of_next"].match(low, number.end)
            if (
                said
                and not next_label
                and number.unit in ("", "user")
                and number.scale != "k"
                and number.whole
                and number.value > 0
            ):
                found.put("concurrency", int(number.scaled()), low[max(0, number.start - 6) : number.end], number)
                return

    def _by_unit(self, low: str, number: Number, labels: tuple[str, ...] | None, found: Quantities) -> None:
        if labels and number.unit in _WORDS_OF_LABELS and self.patterns["label_of_next"].match(low, number.end):
            return  # `bs=4 长度 2048`: the unit is the label of the next number
        if number.start in found.used:
            return
        words, unit = low[max(0, number.start - 12) : number.end], number.unit
        labels = labels or ()
        if self.money.is_money(low, number):
            self.money.read(low, number, labels, found)
        elif unit == "memory" and self.patterns["token_after"].match(low, number.end):
            found.put("tokens", int(number.value * 1e9), words, number)  # 200G tokens
        elif unit == "token" or (number.scale == "t" and not unit):
            self._tokens(low, number, labels, found, words)
        elif unit == "length":
            found.put(_length_slot(labels), int(number.scaled()), words, number)
        elif unit == "user" and number.value <= 0:
            found.impossible.append(("concurrency", words))
            found.used.add(number.start)
        elif unit == "user" and self._each_second(low, number):
            found.put("qps", tidy(number.scaled()), words, number)
        elif unit == "user":
            found.put("concurrency", int(number.scaled()), words, number)
        elif unit == "rate_qps":
            found.put("qps", tidy(number.scaled()), words, number)
        elif unit == "sample" and self.patterns["prompt_length"].search(words) and number.scaled() != number.plain():
            found.put("input_len", int(number.scaled()), words, number)  # 32k prompts: long ones
        elif unit == "sample" and number.plain() >= 50:
            found.put("dataset_samples", int(number.plain()), words, number)
        elif unit == "epoch" and "epochs" not in labels:
            found.put("epochs", tidy(number.value), words, number)
        elif unit in _HOURS and not number.glued:
            self._duration(low, number, found, words)
        elif unit in ("terabytes", "memory") and self._is_data(low, number, labels):
            found.put("dataset_gb", tidy(number.value * (1000 if unit == "terabytes" else 1)), words, number)

    def _each_second(self, low: str, number: Number) -> bool:
        """`每秒处理10个请求`, `10 requests a second`."""
        before, after = low[max(0, number.start - 8) : number.start], low[number.end : number.end + 14]
        return bool(self.patterns["each_second_left"].search(before) or self.patterns["each_second_right"].match(after))

    def _is_data(self, low: str, number: Number, labels: tuple[str, ...]) -> bool:
        beside = {"dataset_samples", "dataset_gb"} & set(labels)
        return bool(beside or self.patterns["of_data"].match(low[number.end :]))

    def _tokens(self, low: str, number: Number, labels: tuple[str, ...], found: Quantities, words: str) -> None:
        if self.patterns["per_second"].match(low[number.end :]):
            found.used.add(number.start)  # a speed
            return
        amount = number.plain()
        if amount <= 0:
            found.impossible.append(("tokens", words))
            found.used.add(number.start)
        elif amount >= _MANY_TOKENS or number.scale == "t":
            found.put("tokens", int(amount), words, number)
        elif {"input_len", "output_len"} & set(labels):
            found.put(next(s for s in labels if s in ("input_len", "output_len")), int(number.scaled()), words, number)
        elif self.patterns["of_input"].match(low[number.end :]):
            found.put("input_len", int(number.scaled()), words, number)
        elif self.patterns["of_output"].match(low[number.end :]):
            found.put("output_len", int(number.scaled()), words, number)
        elif amount >= 64:
            found.put("seq_len", int(number.scaled()), words, number)

    def _duration(self, low: str, number: Number, found: Quantities, words: str) -> None:
        before, after = low[max(0, number.start - 6) : number.start], low[number.end : number.end + 8]
        rented = number.unit == "day" and before.endswith(("租", "租用"))  # `租一天多少钱`: the price of a day
        lasts = number.unit != "hour" and not rented and self.patterns["for_a_time"].search(before)
        asked = number.word and number.value == 1 and not lasts and self.patterns["period_asked"].match(after)
        paid = self.patterns["paid_after"].match(low[number.end :])
        rate = paid or self.patterns["rate_before"].search(before) or self.patterns["not_a_duration"].match(after)
        if number.value <= 0:
            found.impossible.append(("duration_h", words))
            found.used.add(number.start)
        elif rate:
            found.used.add(number.start)
        elif self.patterns["reserved"].search(low[max(0, number.start - 16) : number.start] + "#" + after):
            found.used.add(number.start)  # a term of billing
        elif not asked or number.unit == "year":
            found.put("duration_h", tidy(number.value * _HOURS[number.unit]), words, number)

    def _by_label(self, low: str, number: Number, labels: tuple[str, ...], found: Quantities) -> None:
        words = low[max(0, number.start - 20) : number.end]
        for label in labels:
            if (
                label in ("seq_len", "input_len", "output_len")
                and number.scale in ("", "k")
                and (number.unit in ("", "token", *_WORDS_OF_LABELS))
            ):
                if self.patterns["noise"].search(low[max(0, number.start - 40) : number.start - 8]):
                    found.used.add(number.start)
                    return
                length = number.scaled()
                if length >= 16:
                    found.put(label, int(length), words, number)
                elif length <= 0:
                    found.impossible.append((label, words))
                return
            if label in ("epochs", "tp") and number.scale == "k":
                continue  # `2 epochs at 4k`: a length
            if label in ("batch", "concurrency", "tp", "epochs", "qps") and number.unit in ("", "card", *_WORDS_OF_LABELS):
                value = number.scaled()
                if value <= 0 or (label not in ("qps", "epochs") and not number.whole):
                    found.impossible.append((label, words))
                else:
                    found.put(label, tidy(value), words, number)
                return
            if label == "zero" and number.value in (0, 1, 2, 3) and number.unit in ("", "memory"):
                found.put("zero_stage", int(number.value), words, number)
                return
            if label == "price" and not number.unit and not number.scale and number.value < 1000:
                found.put("unit_price", Money(number.value, None, None), words, number)
                return
            if (
                label == "budget"
                and number.unit in ("", "money")
                and (
                    number.scale in ("万", "w", "k", "千", "百万", "十万", "million", "m")
                    or "预算" in words
                    or "budget" in words
                )
            ):
                self.money.read(low, number, labels, found)
                return
            if label in ("cp", "pp", "util", "rank", "layers", "stage", "pue", "host"):
                found.used.add(number.start)
                return
            if (
                label == "dataset_samples"
                and number.scale in ("w", "万", "k", "m", "百万", "十万", "million")
                and number.unit in ("", "sample")
            ):
                found.put("dataset_samples", int(number.plain()), words, number)
                return

    def _bare(self, low: str, number: Number, found: Quantities) -> None:
        """`70B 8k`: a length without label; `52k alpaca samples` counts what comes a word later."""
        if number.scale in ("k", "m", "w", "万") and not number.unit and self.patterns["samples_of"].match(low, number.end):
            found.put("dataset_samples", int(number.plain()), low[number.start : number.end], number)
            return
        if (
            number.scale == "k"
            and not number.unit
            and not number.glued
            and 0.5 <= number.value <= 10000
            and not self.patterns["not_a_length"].match(low[number.end :])
        ):
            found.put("seq_len", int(number.scaled()), low[number.start : number.end], number)

    def _spans_of_time(self, low: str, found: Quantities) -> None:
        """`24/7`, `8h a day`, `per month`: how long a service runs, a month at a time."""
        daily = self.patterns["hours_a_day"].search(low)
        if daily:
            found.values["duration_h"] = tidy(float(daily.group(1) or daily.group(2)) * 30)
            found.words["duration_h"] = daily.group()
        within = self.patterns["within_one"].search(low)
        if within and "duration_h" not in found.values:
            found.put("duration_h", _HOURS[within.group(1)], within.group())
        elif not daily and "duration_h" not in found.values and self.patterns["ongoing"].search(low):
            found.put("duration_h", 720, "24/7")


def period_hours(low: str, patterns: Patterns, *, turn: bool = False) -> float | None:
    """Hours of the period that a cost question asks about: `per month` 720, `一年` 8,760, `per day` 24.

    `一个月多少钱` alone is such a period in a turn of a thread; in a whole question it may only be the unit of the price.
    """
    asked = (("asked_month", 720), ("asked_day", 24)) if turn else ()
    periods = (("per_year", 8760), ("per_month", 720), ("per_week", 168), ("per_day", 24), *asked)
    return next((hours for period, hours in periods if patterns[period].search(low)), None)


def _length_slot(labels: Sequence[str]) -> str:
    return next((label for label in labels if label in ("input_len", "output_len")), "seq_len")
