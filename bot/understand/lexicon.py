"""The words of both languages, as data: phrases of `knowledge/lexicon/` in one trie, found by one pass over a text.

A phrase file maps `kind.value` to phrases separated by `|`. In a phrase `{a,b}` stands for either, a space for one or
more separators (blank, hyphen, underscore), `~` for none or more. Latin phrases match whole words only, Chinese ones
anywhere: `lora` is not in `explorations`, `微调` is in `能微调吗`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

SEPARATORS = frozenset(" -_\n")
_END = "\0"  # the key of a node's own entries
_SKIP = "\1"  # present where separators may be passed over
_COUNT = re.compile(r"(?<![a-z0-9.\-_])[1-9]\d{0,2}$")  # of cards, glued to the name: `4V100s`
_BRACES = re.compile(r"\{([^{}]*)\}")
_DIGIT_MAY_FOLLOW = frozenset({"label", "family", "unit", "engine", "zero"})


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of the lexicon at [start, end) of the text."""

    start: int
    end: int
    kind: str
    value: str

    @property
    def key(self) -> str:
        return f"{self.kind}.{self.value}"


@dataclass
class Lexicon:
    """All phrases as a character trie. Built once; scanning costs about 0.3 microseconds a character."""

    root: dict[str, Any] = field(default_factory=dict)

    def add(self, phrases: str | Iterable[str], kind: str, value: str) -> None:
        for phrase in phrases.split("|") if isinstance(phrases, str) else phrases:
            for spelling in expand(phrase.strip().lower()):
                node = self.root
                for char in spelling:
                    if char == "~":
                        node[_SKIP] = node
                    else:
                        node = node.setdefault(char, {})
                entries = node.setdefault(_END, [])
                if (kind, value) not in entries:
                    entries.append((kind, value))

    def scan(self, low: str) -> list[Mention]:
        """Every phrase found, overlapping ones too, by start."""
        found: list[Mention] = []
        root = self.root
        for start, char in enumerate(low):
            node = root.get(char)
            if node is None:
                continue
            if not start or may_start(low, start):
                self._walk(low, start, start + 1, node, found)
            elif char.isalpha() and low[start - 1].isdigit() and _COUNT.search(low, max(0, start - 4), start):
                counted: list[Mention] = []
                self._walk(low, start, start + 1, node, counted)
                found += [m for m in counted if m.kind == "gpu"]
        return found

    def _walk(self, low: str, start: int, end: int, node: dict[str, Any], found: list[Mention]) -> None:
        """All phrases that begin at `start` and go on at `end` from `node`."""
        size = len(low)
        while True:
            entries = node.get(_END)
            if entries is not None:
                found += [Mention(start, end, k, v) for k, v in entries if may_end(low, end, k)]
            if end >= size:
                return
            char = low[end]
            if char in SEPARATORS:
                while end + 1 < size and low[end + 1] in SEPARATORS:
                    end += 1
                through = node.get(_SKIP)
                node = node.get(" ")  # type: ignore[assignment]
                if through is not None and end + 1 < size:
                    following = through.get(low[end + 1])
                    if following is not None:
                        if node is None:
                            node, end = following, end + 2
                            continue
                        self._walk(low, start, end + 2, following, found)
            else:
                node = node.get(char)  # type: ignore[assignment]
            if node is None:
                return
            end += 1


def is_latin(char: str) -> bool:
    """An ASCII letter or digit: `\\b` would count Chinese characters as letters."""
    return char.isascii() and char.isalnum()


def may_start(low: str, start: int) -> bool:
    """A word may begin here: no letter or digit before it, but for the `x` of `8xH100`."""
    if not (is_latin(low[start]) and is_latin(low[start - 1])):
        return True
    return start >= 2 and low[start - 1] == "x" and (low[start - 2].isdigit() or low[start - 2] == " ")


def may_end(low: str, end: int, kind: str) -> bool:
    """A word may end here; GPU names take a plural s and a count (`3090s`, `A100x8`), labels a number (`bs1`)."""
    if end >= len(low) or not (is_latin(low[end - 1]) and is_latin(low[end])):
        return True
    after, then = low[end], low[end + 1 : end + 2]
    if kind in ("gpu", "family", "card"):
        if after == "s" and not (then and is_latin(then)):
            return True
        if after == "x" and then.isdigit():
            return True
    return kind in _DIGIT_MAY_FOLLOW and after.isdigit() and not low[end - 1].isdigit()


def expand(phrase: str) -> Iterator[str]:
    """`fine~tun{e,ing}` gives `fine~tune` and `fine~tuning`; separators become one blank."""
    if "{" in phrase:
        braces = _BRACES.search(phrase)
        assert braces is not None, f"unbalanced braces in {phrase!r}"
        for choice in braces.group(1).split(","):
            yield from expand(phrase[: braces.start()] + choice + phrase[braces.end() :])
    elif phrase:
        yield " ".join(phrase.replace("-", " ").replace("_", " ").split())


def spellings(phrase: str) -> list[str]:
    """Every way to write a phrase out, `~` as nothing and as a blank: for dictionaries and patterns."""
    out: list[str] = []
    for one in expand(phrase):
        variants = [""]
        for i, part in enumerate(one.split("~")):
            variants = [v + joint + part for v in variants for joint in (("", " ") if i else ("",))]
        out += variants
    return out


def longest(mentions: Iterable[Mention]) -> list[Mention]:
    """From left to right, the longest at each place; nothing inside or across another."""
    kept: list[Mention] = []
    for one in sorted(mentions, key=lambda m: (m.start, m.start - m.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept
