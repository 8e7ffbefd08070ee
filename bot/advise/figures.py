"""Figures and cards as a message states them, with their places: what corrections are checked on.

Spellings of units and words come from `knowledge/corrections.yaml`; the patterns here are bounded, so that a pasted log
costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.advise.vocabulary import says_in
from bot.catalog.records import GpuSpec
from bot.catalog.specs import Specs, normal_key

_NUMBER = r"(?<![A-Za-z0-9_.])(?<!\d,)(\d{1,3}(?:,\d{3}){1,3}|\d{1,9})(\.\d{1,6})?"
_CLAUSE_END = re.compile(r"[;；。!！?？\n]|[,，、](?!\d{3})|\.(?!\d)")
_CARD = re.compile(
    r"(?<![A-Za-z0-9])((?:RTX|GTX|Tesla|Quadro)?[ -]?(?:[A-Z]{1,3}\d{1,3}[A-Z]{0,2}|\d{4}(?:Ti|D)?))"
    r"(?:[ -]?(\d{2,3}) ?GB?(?![A-Za-z]))?(?:[ -]?(SXM|PCIe|NVL)\d?)?(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_READ_AT_MOST = 2000  # characters; a claim is made in a sentence, not in a log


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit (a key of `units`), and where it stands."""

    value: float
    unit: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """Cards named in the message: every variant that the name covers."""

    name: str
    variants: tuple[GpuSpec, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Reading:
    """One message, read for figures. `words` are the phrase lists of `knowledge/corrections.yaml`."""

    text: str
    specs: Specs
    units: Mapping[str, list[str]]
    words: Mapping[str, list[str]]
    numerals: Mapping[str, float]

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every number that is followed by a unit, in order."""
        return tuple(self._figures())

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        found = (self._mention(match) for match in _CARD.finditer(self._text))
        return tuple(mention for mention in found if mention)

    def of(self, *units: str) -> tuple[Figure, ...]:
        return tuple(figure for figure in self.figures if figure.unit in units)

    @cached_property
    def sizes_gb(self) -> tuple[tuple[float, Figure], ...]:
        """Sizes of data in GB with their places; the memory in the name of a card (A100 80GB) is none."""
        named = [(mention.start, mention.end) for mention in self.mentions]
        return tuple(
            (figure.value * (1000 if figure.unit == "tb" else 1), figure)
            for figure in self.of("gb", "tb")
            if not any(start <= figure.start < end for start, end in named)
        )

    def says(self, *lists: str) -> bool:
        """Any phrase of these word lists occurs in the message."""
        return says_in(self._text)(*(phrase for name in lists for phrase in self.words[name]))

    def clause_says(self, figure: Figure, *lists: str) -> bool:
        """Any phrase of these word lists occurs in the clause around the figure."""
        start, end = self._clause(figure)
        return says_in(self._text[start:end])(*(phrase for name in lists for phrase in self.words[name]))

    def before(self, figure: Figure, width: int = 16) -> str:
        return self._text[max(0, figure.start - width) : figure.start]

    def cards_of(self, figure: Figure) -> tuple[Mention, ...]:
        """The cards that a figure may be about: the last before it in its clause, the next there, else all."""
        start, end = self._clause(figure)
        earlier = [m for m in self.mentions if m.end <= figure.start]
        inside = [m for m in earlier if m.start >= start]
        later = [m for m in self.mentions if figure.end <= m.start < end]
        return tuple(inside[-1:] or later[:1] or earlier)

    def precision_of(self, figure: Figure, precisions: Mapping[str, list[str]]) -> str | None:
        """The precision named nearest to the figure in its clause; None where none is."""
        start, end = self._clause(figure)
        clause = self._text[start:end].casefold()
        at = [
            (abs(place + start - figure.start), name)
            for name, phrases in precisions.items()
            for phrase in phrases
            if (place := clause.find(phrase)) >= 0
        ]
        return min(at)[1] if at else None

    @property
    def _text(self) -> str:
        return self.text[:_READ_AT_MOST]

    def _clause(self, figure: Figure) -> tuple[int, int]:
        ends = [match.start() for match in _CLAUSE_END.finditer(self._text)]
        start = max((end + 1 for end in ends if end < figure.start), default=0)
        return start, min((end for end in ends if end >= figure.end), default=len(self._text))

    def _figures(self) -> list[Figure]:
        exact = {spelling: unit for unit, spelled in self.units.items() for spelling in spelled}
        folded = {spelling.casefold(): unit for spelling, unit in reversed(exact.items())}
        alternatives = "|".join(re.escape(s) for s in sorted(exact, key=len, reverse=True))
        pattern = re.compile(rf"{_NUMBER} ?-?({alternatives})(?![A-Za-z/])", re.IGNORECASE)
        found = [
            Figure(_number(m), exact.get(m[3]) or folded[m[3].casefold()], m.start(), m.end())
            for m in pattern.finditer(self._text)
        ]
        return sorted(found + self._spelled(), key=lambda figure: figure.start)

    def _spelled(self) -> list[Figure]:
        """Ratios in words: seven times, 七倍, 1/7."""
        names = "|".join(sorted((re.escape(n) for n in self.numerals), key=len, reverse=True))
        times = "|".join(re.escape(word) for word in self.units["times"])
        worded = re.compile(rf"(?<![A-Za-z])({names}) ?(?:{times})(?![A-Za-z])|([三四五六七八九十两])倍", re.IGNORECASE)
        found = [
            Figure(float(self.numerals[(m[1] or m[2]).casefold()]), "times", m.start(), m.end())
            for m in worded.finditer(self._text)
        ]
        fractions = re.finditer(r"(?<![A-Za-z0-9_./])1/(\d{1,3})(?![A-Za-z0-9_/])", self._text)
        return found + [Figure(float(m[1]), "times", m.start(), m.end()) for m in fractions if float(m[1]) > 0]

    def _mention(self, match: re.Match[str]) -> Mention | None:
        head, memory, form = match[1].strip(" -"), match[2], match[3]
        name = self._known(head) or self._known(f"RTX{head}")
        if name is None:
            return None
        asked = [name, *([f"{memory}G"] if memory else []), *([form] if form else [])]
        variants = self._variants("-".join(asked)) or self._variants(name)
        return Mention(name, variants, match.start(), match.end()) if variants else None

    def _known(self, head: str) -> str | None:
        family = self.specs.family_by_key.get(normal_key(head))
        if family is not None:
            return family.name
        gpu = self.specs.find_gpu(head)
        return gpu.name if gpu and normal_key(gpu.name) == normal_key(head) else None

    def _variants(self, name: str) -> tuple[GpuSpec, ...]:
        parts = name.casefold().split("-")
        return tuple(
            gpu
            for gpu in self.specs.gpus
            if gpu.name.casefold().split("-")[0] == parts[0] and set(parts) <= set(gpu.name.casefold().split("-"))
        )


def _number(match: re.Match[str]) -> float:
    return float(match[1].replace(",", "") + (match[2] or ""))
