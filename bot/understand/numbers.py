"""Numbers of a text with their units: digits, words and Chinese numerals, each found once.

What a number means (count, memory, parameters, length …) follows from its unit here, or from a label beside it later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.understand.lexicon import is_latin
from bot.understand.numerals import NUMERAL_CHARACTERS, parse_numeral

_DIGITS = re.compile(r"(?<![\d.])(\d{1,3}(?:,\d{3}){1,5}(?!\d)|\d{1,18})((?:\.\d{1,8})?)")
_POWER = re.compile(r"(?<![a-z0-9.])(\d(?:\.\d{1,3})?)?(?:e|\*?10\^)(\d{1,2})(?![a-z0-9.])")
_NUMERAL = re.compile(f"[{NUMERAL_CHARACTERS}]{{1,12}}")
_RANGE = re.compile(r"\s?(?:[-~]|到|至|to)\s?$")
_GLUE = re.compile(r"[ \-]?(?:个|多)?")
_SCALES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9, "t": 1e12,
    "trillion": 1e12, "百": 1e2, "千": 1e3, "w": 1e4, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8,
    "十亿": 1e9, "百亿": 1e10, "千亿": 1e11, "万亿": 1e12,
}  # fmt: skip
_SCALE_CHARACTERS = "十百千万亿零〇半"
_LONGEST_SCALE = 8
_LONGEST_UNIT = 20


@dataclass(frozen=True, slots=True)
class Number:
    """A number at [start, end), scale and unit included."""

    start: int
    end: int
    value: float
    scale: str = ""
    unit: str = ""
    glued: bool = False  # a letter touches it on the left: `bs1`, `x4`, `int4`
    word: bool = False  # written in words: `two`, `两`
    low: float | None = None  # lower end of a range; `value` is the upper
    body: int = 0  # where the digits end

    @property
    def whole(self) -> bool:
        return self.value == int(self.value)

    def scaled(self) -> float:
        """The value with its scale: `2w` 20,000. `4k`, `8k`, `32k`, `128k` are powers of two, `120k` is not."""
        if self.scale == "k" and self.value and self.whole and _is_power_of_two(int(self.value)):
            return self.value * 1024
        return self.value * _SCALES.get(self.scale, 1)

    def plain(self) -> float:
        """The value with its scale in decimal: `15k` dollars are 15,000."""
        return round(self.value * _SCALES.get(self.scale, 1), 6)


def tidy(value: float) -> float:
    """A whole number as an integer, for JSON and for names: 70.0 is 70."""
    return int(value) if value == int(value) else value


def _power(match: re.Match[str]) -> float:
    """`1e9` and `10^9`."""
    return float(float(match.group(1) or 1) * 10 ** int(match.group(2)))


def _is_power_of_two(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


class NumberTagger:
    """Finds numbers; `units` maps spellings to unit names, `words` number words to values."""

    def __init__(self, units: dict[str, str], words: dict[str, float]) -> None:
        self.units = units
        self.words = words
        longest_first = sorted((w for w in words if w.isascii()), key=len, reverse=True)
        self._words = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, longest_first))})(?![a-z0-9])")

    def find(self, low: str) -> list[Number]:
        """All numbers in order. `两台8卡` gives 2 node, 8 card; `1-2 P40` gives 2 with `low` 1."""
        found = self._digits(low) + self._numerals(low) + self._in_words(low)
        found.sort(key=lambda n: (n.start, -n.body))
        return _join_ranges(low, found)

    def _digits(self, low: str) -> list[Number]:
        out = []
        for match in _DIGITS.finditer(low):
            start, end = match.span()
            value = float(match.group().replace(",", ""))
            if _is_negative(low, start):
                start, value = start - 1, -value
            glued = start > 0 and low[start - 1].isascii() and low[start - 1].isalpha()
            out.append(self._with_unit(low, Number(start, end, value, glued=glued, body=end)))
        return out

    def _numerals(self, low: str) -> list[Number]:
        """Chinese numerals count only before a unit: 一 alone is in too many words."""
        out = []
        for match in _NUMERAL.finditer(low):
            start, end = match.span()
            if start and low[start - 1].isdigit() and low[start] in _SCALE_CHARACTERS:
                continue  # 3.5万, 720亿: a scale; but H20单机, V100四张
            value = parse_numeral(match.group())
            if value is None:
                continue
            number = self._with_unit(low, Number(start, end, value, word=True, body=end), scales=False)
            if number.unit or value >= 10**9 or (value >= 1000 and len(match.group()) > 1) or match.group() in "单双俩仨":
                out.append(number)
        return out

    def _in_words(self, low: str) -> list[Number]:
        powers = [self._with_unit(low, Number(m.start(), m.end(), _power(m), body=m.end())) for m in _POWER.finditer(low)]
        return powers + [
            self._with_unit(low, Number(m.start(), m.end(), self.words[m.group()], word=True, body=m.end()), scales=False)
            for m in self._words.finditer(low)
        ]

    def _with_unit(self, low: str, number: Number, *, scales: bool = True) -> Number:
        unit, end = self.unit_at(low, number.end)
        if unit or not scales:
            return replace(number, unit=unit, end=end if unit else number.end)
        scale, after = _scale_at(low, number.end, apart=not number.glued)
        if not scale:
            return number
        unit, end = self.unit_at(low, after)
        return replace(number, scale=scale, unit=unit, end=end if unit else after)

    def unit_at(self, low: str, position: int) -> tuple[str, int]:
        """(unit name, end) of the longest unit that stands at `position`, else ("", position)."""
        glue = _GLUE.match(low, position)
        for start in {glue.end() if glue else position, position}:
            for length in range(min(_LONGEST_UNIT, len(low) - start), 0, -1):
                name = self.units.get(low[start : start + length])
                if name and _ends_word(low, start + length):
                    return name, start + length
        return "", position


def _is_negative(low: str, start: int) -> bool:
    """`-3 A100`, `负3张`; not the hyphen of `zero-3`."""
    sign = low[start - 1] if start else ""
    return sign == "负" or (sign == "-" and (start == 1 or low[start - 2] in " (,:;=\n"))


def _ends_word(low: str, end: int) -> bool:
    return end >= len(low) or not (is_latin(low[end - 1]) and is_latin(low[end]))


def _scale_at(low: str, position: int, *, apart: bool) -> tuple[str, int]:
    for start in (position, position + 1) if apart and low[position : position + 1] in (" ", "-") else (position,):
        for length in range(_LONGEST_SCALE, 0, -1):
            word = low[start : start + length]
            if word in _SCALES and len(word) == length and _ends_word(low, start + length):
                if start > position and word in ("k", "w", "m", "t"):
                    continue  # "80 k": too far apart for a one-letter scale, but for "7 b" and "20 万"
                return word, start + length
    return "", position


def _join_ranges(low: str, numbers: list[Number]) -> list[Number]:
    """`15-20k`, `2到3人`: one number with both ends. Only a bare lower end that touches the upper one."""
    out: list[Number] = []
    for number in numbers:
        last = out[-1] if out else None
        if last and last.end > number.start:
            continue
        if (
            last
            and not last.unit
            and not last.scale
            and not last.glued
            and _RANGE.fullmatch(low[last.end : number.start + (number.value < 0)])
            and last.value < abs(number.value)
        ):
            out[-1] = replace(number, start=last.start, value=abs(number.value), low=last.value)
        else:
            out.append(number)
    return out
