"""The index of the FAQ: which wordings hold which features, and what each entry is about. Plain lists, to be kept.

A row is one wording of one entry: its question or a paraphrase in either language, or, last, its answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bot.faq.entries import FaqEntry
from bot.faq.words import Words, size_class, sizes_of

TITLE, PARAPHRASE, BODY = 2.0, 1.0, 0.35  # weight of a word by the field it stands in
CARD, ABOUT_CARD = 1.2, 2.5  # the most that a card's name can tell, alone and beside a concept: few entries name an L40S,
# but that does not make them the answer to whatever is asked about it


@dataclass(frozen=True)
class Index:
    """By entry: ids, beyond, cards, sizes, lengths. By row: entry_of, weights, norms. By feature: rows, rarity."""

    ids: list[str]
    beyond: list[bool]
    cards: list[list[str]]
    sizes: list[list[str]]
    lengths: list[float]  # how much an entry says, relative to the mean
    entry_of: list[int]
    weights: list[float]
    norms: list[float]  # root of the summed squares of the rarities of a row's features
    rows: dict[str, list[int]]
    rarity: dict[str, float]

    def rarity_of(self, feature: str) -> float:
        """BM25's inverse document frequency over the entries that are asked with a feature; an unknown one is rarest."""
        return self.rarity.get(feature, _rarity(0, len(self.ids)))

    def as_document(self) -> dict[str, Any]:
        return asdict(self)


def rows_of(entries: Sequence[FaqEntry]) -> Iterator[tuple[int, float, str, str]]:
    """(entry, weight, language, text) of every row, in the order of the index. Answers have the language `both`."""
    for number, entry in enumerate(entries):
        for place, (language, text) in enumerate(entry.asked()):
            yield number, TITLE if place < 2 else PARAPHRASE, language, text
    for number, entry in enumerate(entries):
        yield number, BODY, "both", f"{entry.answer.en}\n{entry.answer.zh}"


def build_index(entries: Sequence[FaqEntry], words: Words) -> Index:
    """About 0.15 s for a hundred entries asked in 2,700 ways."""
    listed = list(rows_of(entries))
    features = [words.features(text) for _, _, _, text in listed]
    entry_of, weights = [row[0] for row in listed], [row[1] for row in listed]
    rows: dict[str, list[int]] = {}
    for row, found in enumerate(features):
        for feature in found:
            rows.setdefault(feature, []).append(row)
    rarity = {
        feature: min(_rarity(len({entry_of[r] for r in holders if weights[r] > BODY}), len(entries)), _most(feature, words))
        for feature, holders in rows.items()
    }
    return Index(
        ids=[entry.id for entry in entries],
        beyond=[entry.origin == "beyond" for entry in entries],
        cards=[sorted(_cards(entry, words)) for entry in entries],
        sizes=[
            sorted({size_class(size) for name in entry.entities for size in sizes_of(words.fold(name))}) for entry in entries
        ],
        lengths=_lengths(features, entry_of, weights, len(entries)),
        entry_of=entry_of,
        weights=weights,
        norms=[math.sqrt(sum(rarity[f] ** 2 for f in found)) for found in features],
        rows=rows,
        rarity=rarity,
    )


def _rarity(holders: int, entries: int) -> float:
    return math.log1p((entries - holders + 0.5) / (holders + 0.5))


def _most(feature: str, words: Words) -> float:
    """The most that a feature can tell, however rare it is."""
    if feature.removeprefix("@") in words.cards:
        return CARD
    return ABOUT_CARD if "@" in feature else math.inf


def _cards(entry: FaqEntry, words: Words) -> set[str]:
    return {words.fold(name).removeprefix("rtx") for name in entry.entities} & words.cards


def _lengths(features: Iterable[frozenset[str]], entry_of: list[int], weights: list[float], entries: int) -> list[float]:
    lengths = [0.0] * entries
    for row, found in enumerate(features):
        lengths[entry_of[row]] += weights[row] * len(found)
    mean = sum(lengths) / max(entries, 1)
    return [length / mean for length in lengths]
