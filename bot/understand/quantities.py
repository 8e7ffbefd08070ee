"""Numbers that are no count and no memory: lengths, batch, users, tokens, data, time and money, each used once.

The unit decides first (`32 users`), then the label beside it (`bs=4`), then the bare form (`64k`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.question import Money, Period
from bot.understand.lexicon import Mention
from bot.understand.numbers import Number

_LABEL_GAP = re.compile(
    r"(?:\s?(?:=|:|为|是|到|按|of|to|is|size|约|大概|大约|around|about|~|设为|设成|设|开到|设置为|设置|改成|改为|than|at|len|length|已经是|只有"
    r"|up to|max|\(|有|的|in|数|个|was|set to|=\s?\[|>=?|<=?|==|用|开|拉到|能到|调到|取|就|窗口|from|上|about|tokens?|was|即|每个?月|每年|每天|每小时|一个月|per month)){0,3}[\s\"'\-_(\[]{0,2}"
)
_WORDS_OF_LABELS = frozenset({"length", "user", "epoch", "sample", "rate_qps"})
_LABEL_OF_NEXT = re.compile(r"\s?(?:=|:|为|是)?\s?\d")
_NOISE = re.compile(r"(?:estimated|估计|预估)[a-z ]{0,24}$")
_WITHIN_ONE = re.compile(r"(?:in|within|under|less than|inside|for) an? (day|week|month|year)(?![a-z])")
_IN_AND_OUT = re.compile(
    r"(?<![\d.])(\d[\d.,]{0,7}\s?k?)\s?(?:tokens? )?(?:in|input|prompt)(?:put)?(?: tokens?)?\s?(?:,|/|and|\+|&|with)?\s?(\d[\d.,]{0,7}\s?k?)\s?(?:tokens? )?(?:out|output|completion)"
)
_TO_SPEND = re.compile(r"\s?(?:to buy|to spend|budget|预算|块|刀)")
_HOURS = {"hour": 1, "day": 24, "week": 168, "month": 720, "year": 8760}
_ONGOING = re.compile(r"24\s?[/x*]\s?7|7\s?[x*/]\s?24|全天候|不间断|around the clock|always on")
_HOURS_A_DAY = re.compile(
    r"(\d{1,2}(?:\.\d)?)\s?(?:h|hrs?|hours?|个?小时)\s?(?:a|per|/|each|every)\s?day|每天\s?(?:跑|用|开|只)*\s?(\d{1,2})\s?个?小时"
)
_PER_MONTH = re.compile(
    r"(?:per|a|each|every|/)\s?(?:month|mo)(?![a-z])|monthly|(?:跑|用|租|开)\S{0,3}(?:一个月|每月)|一个月(?:的电费|电费|成本|的成本|费用)|月成本|月度"
)
_PER_YEAR = re.compile(r"(?:per|a|each|every|/)\s?(?:year|yr)(?![a-z])|annual|yearly|每年|一年|年成本|全年")
_PER_DAY = re.compile(r"(?:per|a|each|every|/)\s?day(?![a-z])|daily cost|(?:跑|用|租)\S{0,3}一天")
_PERIODS: tuple[tuple[Period, re.Pattern[str]], ...] = (
    (
        "hour",
        re.compile(
            r"(?:/|per |an? |each |every )\s?(?:gpu[\s\-]?)?(?:hour|hr|h)(?![a-z])|每?(?:个|卡)?小时|hourly|(?:每|一)个?(?:小时|钟头)|/时"
        ),
    ),
    ("day", re.compile(r"(?:/|per |a |each |every )\s?day(?![a-z])|每天|一天|/天|daily|每日")),
    ("month", re.compile(r"(?:/|per |a |each |every )\s?(?:month|mo)(?![a-z])|每个?月|一个?月|/月|monthly|月租|月付|包月")),
    ("year", re.compile(r"(?:/|per |a |each |every )\s?(?:year|yr)(?![a-z])|每年|一年|/年|annual|yearly")),
)
_CURRENCY_LEFT = re.compile(r"(us\$|\$|usd|¥|￥|rmb|cny|€|eur|£|gbp|人民币)\s?~?\s?(?:about )?$")
_CURRENCY_RIGHT = re.compile(
    r"\s?(?:多)?(美元|美金|美刀|刀|usd|dollars?|bucks|\$|元|块钱|块|rmb|cny|人民币|yuan|欧元|eur|euros?|€|¥|£)(?![a-z])"
)
_CODES = {"$": "USD", "us$": "USD", "usd": "USD", "美元": "USD", "美金": "USD", "美刀": "USD", "刀": "USD", "dollar": "USD", "dollars": "USD",
          "bucks": "USD", "¥": "CNY", "￥": "CNY", "rmb": "CNY", "cny": "CNY", "人民币": "CNY", "元": "CNY", "块": "CNY", "块钱": "CNY", "yuan": "CNY",
          "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "欧元": "EUR", "£": "GBP", "gbp": "GBP"}  # fmt: skip
_PREMISE_LEFT = re.compile(
    r"(?:(?:\bif\b|如果|假设|假如|假定|按照?|要是|assum|given|suppos|at a (?:price|rate)|现在|当前|单价|时租|电价|租金|租|每度|每小时|costs?|charges?|is)"
    r"[^,;。\n]{0,40}|(?:@|\bat|\bfor)\s?(?:about |around |~)?)(?:us)?[$¥€]?\s?$"
)
_PREMISE_RIGHT = re.compile(r"[^,;\n]{0,12}(?:的话|来算|算|计算|each|per gpu|的价格|的单价|/卡时|/gpu)")
_ASKED_PRICE = re.compile(r"\?|吗|是不是|still|真的|right\b")
_LIMIT_LEFT = re.compile(
    r"(?:预算|budgets?|under|below|less than|at most|max(?:imum)?|up to|低于|不超过|最多|以内|within|cap|控制在|spend|手头|只有|cheaper than"
    r"|小于|不到|<=?|不高于|不要超过|i have|have got|we have|limit|afford|低於|不多于|未满|about|around|for|花)"
    r"\s?(?:is|of|are|only|about|around|~|是|在|有|为|大概|大约|约|每个?月|一个?月|每年|每天|总共|一共|:|=|per month|just|到|了|的|at)*\s?(?:us)?[$¥€]?\s?$"
)
_LIMIT_RIGHT = re.compile(
    r"[^,;\n]{0,8}(?:以内|以下|之内|封顶|预算|budget|to spend|max|or less|左右预算|cap|的预算|limit|to buy|能买)"
)


@dataclass
class Quantities:
    """Scalar slots as read, with where each was read."""

    values: dict[str, object] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    impossible: list[tuple[str, str]] = field(default_factory=list)

    def put(self, slot: str, value: object, words: str, number: Number | None = None) -> None:
        if number is not None:
            self.used.add(number.start)
        if slot not in self.values:
            self.values[slot] = value
            self.words[slot] = words.strip()


class QuantityReader:
    """Reads every scalar slot of a text; numbers of cards and memory are already taken."""

    def read(self, low: str, numbers: Sequence[Number], labels: Sequence[Mention], cues: frozenset[str]) -> Quantities:
        found = Quantities()
        self._in_and_out(low, numbers, found)
        numbers = [n for n in numbers if n.start not in found.used]
        beside = self._labels_of(low, numbers, labels)
        for number in numbers:
            self._by_unit(low, number, beside.get(number.start), found)
        for number in numbers:
            if number.start not in found.used and beside.get(number.start):
                self._by_label(low, number, beside[number.start], found)
        for number in numbers:
            if number.start not in found.used:
                self._bare(low, number, found, cues)
        self._spans_of_time(low, found, cues)
        return found

    def _in_and_out(self, low: str, numbers: Sequence[Number], found: Quantities) -> None:
        """`8k in 1k out`, `3000 input / 1000 output`: two lengths at once."""
        pair = _IN_AND_OUT.search(low)
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
                if 0 <= number.start - m.end <= 14 and _LABEL_GAP.fullmatch(low[m.end : number.start])
            ]  # fmt: skip
            if near:
                near.sort(key=lambda m: (number.start - m.end, m.start - m.end))
                closest = near[0].end
                out[number.start] = tuple(m.value for m in near if m.end == closest)
        return out

    def _by_unit(self, low: str, number: Number, labels: tuple[str, ...] | None, found: Quantities) -> None:
        if labels and number.unit in _WORDS_OF_LABELS and _LABEL_OF_NEXT.match(low, number.end):
            return  # `bs=4 长度 2048`: the unit is the label of the next number
        words, unit = low[max(0, number.start - 12) : number.end], number.unit
        labels = labels or ()
        if _is_money(low, number):
            self._money(low, number, labels, found)
        elif unit == "token" or (number.scale == "t" and not unit):
            self._tokens(low, number, labels, found, words)
        elif unit == "length":
            found.put(_length_slot(labels), int(number.scaled()), words, number)
        elif unit == "user":
            found.put("concurrency", int(number.scaled()), words, number)
        elif unit == "rate_qps":
            found.put("qps", _tidy(number.scaled()), words, number)
        elif unit == "sample" and number.plain() >= 50:
            found.put("dataset_samples", int(number.plain()), words, number)
        elif unit == "epoch" and "epochs" not in labels:
            found.put("epochs", _tidy(number.value), words, number)
        elif unit in _HOURS and not number.glued:
            self._duration(low, number, found, words)
        elif unit in ("terabytes", "memory") and {"dataset_samples", "dataset_gb"} & set(labels):
            found.put("dataset_gb", _tidy(number.value * (1000 if unit == "terabytes" else 1)), words, number)
        elif unit in ("terabytes", "memory") and re.match(
            r"\s?的?(?:数据|语料|文本|dataset|data|of data|of text|corpus)", low[number.end :]
        ):
            found.put("dataset_gb", _tidy(number.value * (1000 if unit == "terabytes" else 1)), words, number)

    def _tokens(self, low: str, number: Number, labels: tuple[str, ...], found: Quantities, words: str) -> None:
        if re.match(r"\s?(?:/|每|per )\s?(?:s|sec|秒|user)", low[number.end :]):
            found.used.add(number.start)  # a speed
            return
        amount = number.plain()
        if amount >= 10**7:
            found.put("tokens", int(amount), words, number)
        elif number.scale == "t":
            found.put("tokens", int(amount), words, number)
        elif {"input_len", "output_len"} & set(labels):
            found.put(next(s for s in labels if s in ("input_len", "output_len")), int(number.scaled()), words, number)
        elif re.match(r"\s?(?:of )?(?:input|prompt|in(?![a-z])|输入)", low[number.end :]):
            found.put("input_len", int(number.scaled()), words, number)
        elif re.match(r"\s?(?:of )?(?:output|completion|out(?![a-z])|输出|generated)", low[number.end :]):
            found.put("output_len", int(number.scaled()), words, number)
        elif amount >= 64:
            found.put("seq_len", int(number.scaled()), words, number)

    def _duration(self, low: str, number: Number, found: Quantities, words: str) -> None:
        before, after = low[max(0, number.start - 6) : number.start], low[number.end : number.end + 8]
        asked = number.word and number.value == 1 and re.match(r"\s?(?:多少|几|要|租|的?价|的?费|大概|only)", after)
        paid = re.match(
            r"\s?(?:约|大概|about|大约|才|要|只要)?\s?[$¥€]?\d[\d.,]*\s?(?:元|块|刀|美|usd|rmb|\$|¥|k|万)", low[number.end :]
        )
        rate = (
            paid
            or re.search(r"(?:/|per |every |每|an? |元|块|刀|美元|钱|价)\s?$", before)
            or re.match(r"\s?(?:ago|之前|前|old|a day|/ ?day|later)", after)
        )
        if rate or number.value <= 0:
            found.used.add(number.start)
        elif not asked or number.unit == "year":
            found.put("duration_h", _tidy(number.value * _HOURS[number.unit]), words, number)

    def _by_label(self, low: str, number: Number, labels: tuple[str, ...], found: Quantities) -> None:
        words = low[max(0, number.start - 20) : number.end]
        for label in labels:
            if (
                label in ("seq_len", "input_len", "output_len")
                and number.scale in ("", "k")
                and (number.unit in ("", "token", *_WORDS_OF_LABELS))
            ):
                if _NOISE.search(low[max(0, number.start - 40) : number.start - 8]):
                    found.used.add(number.start)
                    return
                length = number.scaled()
                if length >= 16:
                    found.put(label, int(length), words, number)
                elif length <= 0:
                    found.impossible.append((label, words))
                return
            if label in ("batch", "concurrency", "tp", "epochs", "qps") and number.unit in ("", "card", *_WORDS_OF_LABELS):
                value = number.scaled()
                if value <= 0 or (label != "qps" and label != "epochs" and not number.whole):
                    found.impossible.append((label, words))
                else:
                    found.put(label, _tidy(value), words, number)
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
                self._money(low, number, labels, found)
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

    def _bare(self, low: str, number: Number, found: Quantities, cues: frozenset[str]) -> None:
        """`70B 8k`: a length without label."""
        if (
            number.scale == "k"
            and not number.unit
            and not number.glued
            and 0.5 <= number.value <= 10000
            and not re.match(r"\s?(?:/s|step|条|iops|\+? ?star)", low[number.end :])
        ):
            found.put("seq_len", int(number.scaled()), low[number.start : number.end], number)

    def _money(self, low: str, number: Number, labels: tuple[str, ...], found: Quantities) -> None:
        before, after = low[max(0, number.start - 48) : number.start], low[number.end : number.end + 24]
        words = low[max(0, number.start - 10) : number.end + 10]
        left, right = _CURRENCY_LEFT.search(before), _CURRENCY_RIGHT.match(low, number.start + _body(number))
        currency = _CODES.get((left or right).group(1)) if (left or right) else _unit_currency(low, number)  # type: ignore[union-attr]
        period = _period(before, after)
        limit = _LIMIT_LEFT.search(before) or _LIMIT_RIGHT.match(after) or "budget" in labels
        premise = (left or right or number.unit == "money" or period) and (
            _PREMISE_LEFT.search(before) or _PREMISE_RIGHT.match(after) or "price" in labels
        )
        found.used.add(number.start)
        if limit and not (
            premise
            and period == "hour"
            and not re.search(
                r"预算|budget|under|below|低于|less than|不超过|cheaper|max|up to|以内|以下|小于|不到",
                before[-20:] + after[:8],
            )
        ):
            found.put("budget", Money(_tidy(number.plain()), currency, period or "once"), words)
        elif premise and not (
            _ASKED_PRICE.match(after.strip()[:6]) and not re.search(r"如果|if|的话|按|假设", before + after)
        ):
            found.put("unit_price", Money(_tidy(number.plain()), currency, period), words)

    def _spans_of_time(self, low: str, found: Quantities, cues: frozenset[str]) -> None:
        """`24/7`, `8h a day`, `per month`: how long a service runs, a month at a time."""
        daily = _HOURS_A_DAY.search(low)
        if daily:
            found.values["duration_h"] = _tidy(float(daily.group(1) or daily.group(2)) * 30)
            found.words["duration_h"] = daily.group()
        within = _WITHIN_ONE.search(low)
        if within and "duration_h" not in found.values:
            found.put("duration_h", _HOURS[within.group(1)], within.group())
        elif not daily and "duration_h" not in found.values and _ONGOING.search(low):
            found.put("duration_h", 720, "24/7")


def period_hours(low: str) -> float | None:
    """Hours of the period that a cost question asks about: `per month` 720, `一年` 8,760, `per day` 24."""
    for pattern, hours in ((_PER_YEAR, 8760), (_PER_MONTH, 720), (_PER_DAY, 24)):
        if pattern.search(low):
            return hours
    return None


def _body(number: Number) -> int:
    return number.body + len(number.scale) - number.start


def _is_money(low: str, number: Number) -> bool:
    if (
        number.unit == "card"
        and low[number.end - 1] == "块"
        and (number.scale in ("万", "w", "千") or re.search(r"预算[^,;\n]{0,6}$", low[: number.start][-10:]))
    ):
        return True
    if number.unit == "money" or (number.scale in ("k", "w", "万") and _TO_SPEND.match(low, number.end)):
        return True
    if _CURRENCY_LEFT.search(low[max(0, number.start - 12) : number.start]):
        return number.unit not in ("memory", "token")
    right = _CURRENCY_RIGHT.match(low, number.start + _body(number))
    if right and right.group(1) == "块":
        return bool(re.match(r"\s?(?:/|一|每|per|钱|以内|左右)", low[right.end() :]))
    return bool(right) and right is not None and right.group(1) != "$"


def _unit_currency(low: str, number: Number) -> str | None:
    word = low[number.body : number.end].strip()
    return next((code for unit, code in _CODES.items() if word.endswith(unit)), None)


def _period(before: str, after: str) -> Period | None:
    for name, pattern in _PERIODS:
        if pattern.match(after.lstrip("元块钱美金刀usdrmb多左右 以内的")) or pattern.match(after.strip()):
            return name
    tail = re.split(r"[,;。\n]", before)[-1]
    for name, pattern in _PERIODS:
        if pattern.search(tail) or (name == "hour" and "按小时" in before):
            return name
    return None


def _length_slot(labels: Sequence[str]) -> str:
    return next((label for label in labels if label in ("input_len", "output_len")), "seq_len")


def _tidy(value: float) -> float:
    return int(value) if value == int(value) else value
