"""Text -> features for the FAQ search: Latin words, Chinese characters and pairs, and concepts of the synonym table.

The table, `knowledge/lexicon/synonyms.yaml`, says which words mean the same in either language; a concept becomes one
feature (`~price`) beside the words themselves, so that 多少钱 and "how much does it cost" meet. Two concepts in one text
make a feature of their own (`~price~rent`): what they are asked about together tells more than each alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, groupby
from typing import Any

from bot.errors import KnowledgeError

_TOKEN = re.compile(r"[a-z]+\d*[a-z]*|\d+(?:\.\d+)?[a-z]*|[\u3400-\u9fff]+")
_TIMES = re.compile(r"(?<![a-z\d])(\d+)\s*[x*]\s*(?=[a-z])|(?<=[a-z0-9])[x*](?=\d+\b)")
_SIZE = re.compile(
    r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s*(?:b|billion)(?![a-z0-9])"
    r"|(?<!\d)(\d+|[一二三四五六七八九]?)([千百十万]?)亿"
)
_SUFFIXES = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_HAN_SCALE = {"": 0.1, "十": 1.0, "百": 10.0, "千": 100.0, "万": 1000.0}
_HAN_DIGIT = {"": 1, **{c: n for n, c in enumerate("一二三四五六七八九", 1)}}
_SIZE_CLASSES = ((3.5, "tiny"), (10, "7b"), (22, "13b"), (50, "32b"), (85, "70b"), (220, "100b"))


@lru_cache(maxsize=8192)  # the same few thousand words come again and again
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
    for number, han, scale in _SIZE.findall(folded):
        if number:
            found.add(float(number))
        elif han or scale:
            found.add((float(han) if han.isdigit() else _HAN_DIGIT[han]) * _HAN_SCALE[scale])
    return frozenset(found)


def size_class(size_b: float) -> str:
    """Sizes that people ask about as one: 7B and 8B, 70B and 72B."""
    return next((name for limit, name in _SIZE_CLASSES if size_b < limit), "giant")


@dataclass(frozen=True)
class Words:
    """Reads texts by the synonym table. `concept_of` has phrases as `_key` spells them; `cards` are names as `h100`."""

    concept_of: Mapping[str, Sequence[str]]
    stop: frozenset[str]
    traditional: Mapping[int, str]
    cards: frozenset[str]
    anchors: frozenset[str] = frozenset()  # words that only our field uses

    @classmethod
    def from_table(cls, table: Mapping[str, object], cards: Iterable[str]) -> Words:
        """Of the table as read. A phrase may belong to several concepts; under `none` it hides shorter ones inside it."""
        concepts, pairs = table.get("concepts") or {}, table.get("traditional") or ""
        stop, anchors = table.get("stop") or [], table.get("anchors") or []
        if not isinstance(concepts, dict) or not isinstance(stop, list) or not isinstance(anchors, list):
            raise KnowledgeError(["knowledge/lexicon/synonyms.yaml: concepts is a mapping, stop and anchors are lists"])
        traditional = {ord(pair[0]): pair[1] for pair in str(pairs).split() if len(pair) == 2}
        found: dict[str, tuple[str, ...]] = {}
        for name, phrases in concepts.items():
            for phrase in phrases:
                key = " ".join(_stemmed(t) for t in _TOKEN.findall(_fold(str(phrase), traditional)))
                found[key] = (*found.get(key, ()), *(() if name == "none" else ("~" + name,)))
        return cls(
            found, frozenset(_stemmed(str(w)) for w in stop), traditional, frozenset(cards), frozenset(map(str, anchors))
        )

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Words:
        """The reverse of `as_document`."""
        traditional = {int(code): simple for code, simple in document["traditional"].items()}
        sets = {name: frozenset(document[name]) for name in ("stop", "cards", "anchors")}
        return cls(concept_of=document["concept_of"], traditional=traditional, **sets)

    def as_document(self) -> dict[str, Any]:
        lists = {name: sorted(getattr(self, name)) for name in ("stop", "cards", "anchors")}
        return {"concept_of": dict(self.concept_of), "traditional": dict(self.traditional), **lists}

    def fold(self, text: str) -> str:
        """Lower case, half width, simplified where the table knows the character; `8×H100` is split into `8 h100`."""
        return _fold(text, self.traditional)

    def features(self, text: str, known: Sequence[str] = ()) -> frozenset[str]:
        """The features of a text, each once. With `known` words, slips in others are put right first."""
        folded = self.fold(text)
        tokens = [self._respelled(token, known) if known else token for token in self._tokens(folded)]
        topics = {*self._concepts(tokens), *("@" + t for t in tokens if t in self.cards)}
        sizes = {f"={size_class(size)}" for size in sizes_of(folded)}
        pairs = (a + b for a, b in combinations(sorted(topics | sizes), 2))
        return frozenset((*self._words(tokens), *topics, *sizes, *pairs))

    def anchored(self, text: str) -> bool:
        """Whether a text is plainly about our field: it names a card, a model size or a word that only we use."""
        folded = self.fold(text)
        words = set(_TOKEN.findall(folded)).union(self._tokens(folded))
        if sizes_of(folded) or not words.isdisjoint(self.cards) or not words.isdisjoint(self.anchors):
            return True
        return any(word in folded for word in self.anchors if word[0] >= "\u3400")

    def latin(self) -> set[str]:
        """Stems of the table's Latin words."""
        return {word for phrase in self.concept_of if phrase[0] < "\u3400" for word in phrase.split()}

    def _tokens(self, folded: str) -> list[str]:
        """Stems of Latin words and runs of Chinese characters. `a100s` is more than one `a100`; `l40s` is a card."""
        tokens = _TOKEN.findall(folded)
        return [t[:-1] if t[-1] == "s" and t not in self.cards and t[:-1] in self.cards else _stemmed(t) for t in tokens]

    def _respelled(self, token: str, known: Sequence[str]) -> str:
        """`bandwith` is `bandwidth`: a long word that nobody knows, one slip from a known one, two from eight letters on."""
        if len(token) < 5 or not (token.isascii() and token.isalpha()) or token in known or token in self.stop:
            return token
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found = process.extractOne(token, known, scorer=OSA.distance, score_cutoff=1 if len(token) < 8 else 2)
        return found[0] if found and found[0][0] == token[0] else token

    def _words(self, tokens: list[str]) -> Iterator[str]:
        for token in tokens:
            if token[0] >= "\u3400":
                yield from (c for c in token if c not in self.stop)
                yield from (token[i : i + 2] for i in range(len(token) - 1))
            elif token not in self.stop:
                yield token

    def _concepts(self, tokens: list[str]) -> Iterator[str]:
        """Concepts of the longest phrases: Latin ones within a row of words, Chinese ones within a run of characters."""
        for is_han, group in groupby(tokens, key=lambda t: t[0] >= "\u3400"):
            for run in group if is_han else (list(group),):
                yield from self._phrases(run, "" if is_han else " ")

    @cached_property
    def _longest(self) -> dict[str, int]:
        """Words or characters of the longest phrase that begins with a word or character."""
        longest: dict[str, int] = {}
        for phrase in self.concept_of:
            parts = phrase.split() if phrase[0] < "\u3400" else list(phrase)
            longest[parts[0]] = max(len(parts), longest.get(parts[0], 0))
        return longest

    def _phrases(self, run: str | list[str], glue: str) -> Iterator[str]:
        start = 0
        while start < len(run):
            for stop in range(min(len(run), start + self._longest.get(run[start], 0)), start, -1):
                found = self.concept_of.get(glue.join(run[start:stop]))
                if found is not None:
                    yield from found
                    start = stop
                    break
            else:
                start += 1


def _fold(text: str, traditional: Mapping[int, str]) -> str:
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().translate(traditional)
    plain = plain.replace("×", "x")
    return _TIMES.sub(r"\1 ", plain)


def _stemmed(token: str) -> str:
    """The stem; `80gb` and `80g` are the same size."""
    return token[:-1] if token[0].isdigit() and token.endswith("gb") else stem(token)
