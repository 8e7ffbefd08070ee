"""Text -> features for the FAQ search: Latin words, Chinese characters and pairs, and concepts of the synonym table.

The table, `knowledge/lexicon/synonyms.yaml`, says which words mean the same in either language; a concept becomes one
feature (`~price`) beside the words themselves, so that 多少钱 and "how much does it cost" meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(r"[a-z]+\d*[a-z]*|\d+(?:\.\d+)?[a-z]*|[\u3400-\u9fff]+")
_TIMES = re.compile(r"(?<![a-z])(\d+)\s*[x*]\s*(?=[a-z])|(?<=[a-z0-9])[x*](?=\d+\b)")
_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s*(b|billion)(?![a-z0-9])|(\d+|[一二三四五六七八九]|)([千百十万]?)亿")
_SUFFIXES = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_HAN_SCALE = {"": 0.1, "十": 1.0, "百": 10.0, "千": 100.0, "万": 1000.0}
_HAN_DIGIT = {"": 1, **{c: n for n, c in enumerate("一二三四五六七八九", 1)}}


def fold(text: str, traditional: Mapping[int, str]) -> str:
    """Lower case, half width, simplified where the table knows the character; `8×H100` is split into `8 h100`."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(traditional).replace("×", "x")
    return _TIMES.sub(r"\1 ", plain)


def stem(word: str) -> str:
    """`quantised`, `quantises` and `quantising` agree; short words and words with digits stay as they are."""
    if len(word) < 5 or not word.isalpha() or word.endswith("ss"):
        return word
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)] + instead
            break
    return word.rstrip("e") if len(word) > 4 else word


def sizes_of(folded: str) -> frozenset[float]:
    """Model sizes in 1e9 parameters: `70b` is 70, 千亿 is 100, 700亿 is 70."""
    found = set()
    for number, _, han, scale in _SIZE.findall(folded):
        if number:
            found.add(float(number))
        elif han or scale:
            found.add((float(han) if han.isdigit() else _HAN_DIGIT[han]) * _HAN_SCALE[scale])
    return frozenset(found)


@dataclass(frozen=True)
class Synonyms:
    """The table as read: concept -> words of either language, words without meaning, traditional characters."""

    concepts: Mapping[str, tuple[str, ...]]
    stop: frozenset[str]
    traditional: Mapping[int, str]

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Synonyms:
        concepts, stop, pairs = document.get("concepts") or {}, document.get("stop") or (), document.get("traditional") or ""
        assert isinstance(concepts, dict)
        return cls(
            concepts={name: tuple(str(word) for word in words) for name, words in concepts.items()},
            stop=frozenset(str(word) for word in stop),  # type: ignore[attr-defined]
            traditional={ord(pair[0]): pair[1] for pair in str(pairs).split() if len(pair) == 2},
        )

    @cached_property
    def by_phrase(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name, phrases in self.concepts.items():
            for phrase in phrases:
                key = fold(phrase, self.traditional)
                found[key] = (*found.get(key, ()), "~" + name)
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """All phrases, the longest first; a Latin phrase must not be part of a longer word."""
        ordered = sorted(self.by_phrase, key=len, reverse=True)
        return re.compile("|".join(_bounded(phrase) for phrase in ordered) or r"(?!)")

    def concepts_in(self, folded: str) -> list[str]:
        return [name for phrase in self._pattern.findall(folded) for name in self.by_phrase[phrase]]

    def fold(self, text: str) -> str:
        return fold(text, self.traditional)

    def features(self, text: str) -> frozenset[str]:
        """The features of a text, each once."""
        return frozenset(self._features(self.fold(text)))

    def _features(self, folded: str) -> Iterable[str]:
        yield from self.concepts_in(folded)
        for size in sizes_of(folded):
            yield f"={size:g}b"
            yield f"={_size_class(size)}"
        for token in _TOKEN.findall(folded):
            if token[0] >= "\u3400":
                yield from (c for c in token if c not in self.stop)
                yield from (token[i : i + 2] for i in range(len(token) - 1))
            elif token not in self.stop:
                yield _unit(stem(token))


def _bounded(phrase: str) -> str:
    left = r"(?<![a-z0-9])" if phrase[0] < "\u3400" and phrase[0].isalnum() else ""
    right = r"(?![a-z])" if phrase[-1] < "\u3400" and phrase[-1].isalpha() else ""
    return (
        left + re.escape(phrase).replace(r"\ ", r"[\s-]?") + right if " " not in phrase else left + re.escape(phrase) + right
    )


def _size_class(size_b: float) -> str:
    """Sizes that people ask about as one: 7B and 8B, 70B and 72B."""
    for limit, name in (
        (3.5, "tiny"),
        (10, "7b-like"),
        (22, "13b-like"),
        (50, "32b-like"),
        (85, "70b-like"),
        (220, "100b-like"),
    ):
        if size_b < limit:
            return name
    return "giant"


def _unit(word: str) -> str:
    """`80gb` and `80g` are the same size."""
    return word[:-1] if word[0].isdigit() and word.endswith("gb") else word
