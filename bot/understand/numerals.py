"""Chinese numerals and the scales of both languages: 两, 十六, 一百二十八, 千, 3.5万, 2w, 720亿."""

from __future__ import annotations

_DIGITS = {
    "零": 0, "〇": 0, "一": 1, "壹": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "仨": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9,
}  # fmt: skip
_TENS = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "亿": 10**8}
_SCALED = frozenset("百千万亿")
NUMERAL_CHARACTERS = "零〇一壹二两俩三仨四五六七八九十百千万亿半单双"
_ALONE = {"半": 0.5, "单": 1.0, "双": 2.0}


def parse_numeral(text: str) -> float | None:
    """`两` 2, `十六` 16, `一百二十八` 128, `千亿` 1e11, `三十二万` 320,000, `半` 0.5; None where it is no number.

    A bare scale counts once: `千` is 1,000, `百亿` is 1e10.
    """
    if text in _ALONE:
        return _ALONE[text]
    total = section = 0.0
    digit: float | None = None
    last = 1  # the scale before a last bare digit: 一万五 is 15,000
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char] if digit is None else digit * 10 + _DIGITS[char]
        elif char in _TENS:
            section += (1 if digit is None else digit) * _TENS[char]
            digit, last = None, _TENS[char]
        elif char in _GROUPS:
            section += digit or 0
            total = (total + section or 1) * _GROUPS[char]
            section, digit, last = 0, None, _GROUPS[char]
        else:
            return None
    colloquial = digit is not None and last >= 100 and text[-2] in _SCALED
    return total + section + (digit or 0) * (last / 10 if colloquial else 1)
