"""Numbers and their units, numerals, scales, ranges."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bot.understand.numbers import Number
from bot.understand.numerals import parse_numeral
from tests.understand.reading import understanding

NUMERALS = [
    ("两", 2), ("十", 10), ("十六", 16), ("三十二", 32), ("一百二十八", 128), ("千", 1000), ("千亿", 1e11), ("百亿", 1e10),
    ("一万亿", 1e12), ("三十二万", 320_000), ("半", 0.5), ("双", 2), ("八", 8), ("两千", 2000),
]  # fmt: skip
NUMBERS = [
    ("8卡", [(8, "card")]),
    ("两台8卡", [(2, "node"), (8, "card")]),
    ("单机双卡", [(1, "node"), (2, "card")]),
    ("千卡集群", [(1000, "card")]),
    ("80g", [(80, "memory")]),
    ("24 GB", [(24, "memory")]),
    ("32k context", [(32768, "length")]),
    ("120k tokens", [(120_000, "token")]),
    ("1.1t tokens", [(1.1e12, "token")]),
    ("2b token数据", [(2e9, "token")]),
    ("2w条", [(20_000, "sample")]),
    ("10万条", [(100_000, "sample")]),
    ("20 万", [(200_000, "")]),
    ("3-5个请求", [(5, "user")]),
    ("15-20k", [(20_000, "")]),
    ("1,600-2,400", [(2400, "")]),
    ("6 days", [(6, "day")]),
    ("三个月", [(3, "month")]),
    ("two cards", [(2, "card")]),
    ("1e9 gpus", [(1e9, "card")]),
    ("10^9 cards", [(1e9, "card")]),
    ("-3 cards", [(-3, "card")]),
    ("50 qps", [(50, "rate_qps")]),
    ("4-bit", [(4, "bit")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), NUMERALS)
def test_a_numeral_is_read(text: str, value: float) -> None:
    assert parse_numeral(text) == value


def test_a_word_is_no_numeral() -> None:
    assert parse_numeral("一下") is None


@pytest.mark.parametrize(("text", "wanted"), NUMBERS)
def test_a_number_keeps_its_unit(text: str, wanted: list[tuple[float, str]]) -> None:
    found = understanding().vocabulary.tagger.find(text.lower())
    assert [(n.scaled(), n.unit) for n in found] == wanted


def test_k_is_1024_for_powers_of_two_only() -> None:
    assert Number(0, 2, 32, scale="k").scaled() == 32768
    assert Number(0, 4, 120, scale="k").scaled() == 120_000
    assert Number(0, 3, 16, scale="k").plain() == 16_000


def test_each_number_is_found_once() -> None:
    found = understanding().vocabulary.tagger.find("8*a100(80g) 2台 70b 3天 $2.5")
    assert all(left.end <= right.start for left, right in pairwise(found))
