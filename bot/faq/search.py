"""FAQ search: which entry answers a message, and how sure that is.

Three views of the same words are added up: the wordings that come closest among all that are known (cosine of rarity
weights, mean of the best three of an entry), the entry as a whole (BM25 over question, paraphrases and answer), and the
subject: a question about an A10 is never answered with an entry about the A100. No model, no network, no numpy: an index
of a hundred entries is built in less time than importing numpy takes, and a search takes about a millisecond.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bot.errors import UnknownName
from bot.faq.entries import FaqEntry, load_entries
from bot.faq.words import Words, size_class, sizes_of
from bot.folder import Folder

if TYPE_CHECKING:
    from bot.question import Question

K1, B = 1.2, 0.3  # BM25: saturation of repeated words, and how much a long entry is held against it
TITLE, PARAPHRASE, BODY = 2.0, 1.0, 0.35  # weight of a word by the field it stands in
CLOSEST, WHOLE = 0.6, 0.4  # share of the closest wordings and of the entry as a whole
NEAREST = 3  # wordings of an entry that are looked at
OTHER_CARD, OTHER_SIZE = 0.3, 0.7  # what is left of a score when the question names other cards, other model sizes
BEYOND = 0.97  # entries beyond the articles never outrank these at equal words
SURE, LIKELY = 0.45, 0.25  # answer from here on; offer as a choice from here on


@dataclass(frozen=True, slots=True)
class Wording:
    """One text of an entry: its row among all, the entry's number, its language, and its weight by field."""

    row: int
    entry: int
    language: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One candidate with the parts of its score, for `--explain`."""

    id: str
    score: float
    closest: float
    whole: float
    factor: float
    wording: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A message as the search sees it: its features with their rarity, its cards and its model sizes."""

    features: tuple[str, ...]
    rarity: dict[str, float]
    cards: frozenset[str]
    sizes: frozenset[str]


@dataclass(frozen=True)
class FaqIndex:
    """All entries, searchable. Build it with `load_faq`; the index proper is made at the first search."""

    entries: tuple[FaqEntry, ...]
    words: Words

    def search(self, text: str, question: Question | None = None, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """(id, score 0 to 1) of the best entries, best first; nothing only for a text without words."""
        return tuple((hit.id, round(hit.score, 4)) for hit in self.explain(text, question, limit=limit))

    def entry(self, key: str) -> FaqEntry:
        """The entry of that id (`F-nvlink` or `nvlink`). Raises UnknownName."""
        found = self._by_id.get(key) or self._by_id.get(f"F-{key}")
        if found is None:
            from rapidfuzz import process

            near = process.extract(key, list(self._by_id), limit=2, score_cutoff=60)
            raise UnknownName("faq entry", key, tuple(match[0] for match in near))
        return found

    def explain(
        self, text: str, question: Question | None = None, *, limit: int = 5, without: Wording | None = None
    ) -> tuple[Hit, ...]:
        """The best entries with the parts of their scores. `without` leaves one known wording out, for honest tests."""
        asked = self._asked(text, question)
        if not asked.features or not self.entries:
            return ()
        closest, nearest = self._closest(asked, without)
        whole = self._whole(asked, without)
        factors = [self._factor(number, asked) for number in range(len(self.entries))]
        scores = [(CLOSEST * c + WHOLE * w) * f for c, w, f in zip(closest, whole, factors, strict=True)]
        best = sorted(range(len(scores)), key=lambda number: -scores[number])[:limit]
        return tuple(
            Hit(
                id=self.entries[n].id,
                score=min(scores[n], 1.0),
                closest=closest[n],
                whole=whole[n],
                factor=factors[n],
                wording=self.wordings[nearest[n]].text if n in nearest else "",
                words=tuple(
                    f for f in asked.features if any(self.wordings[r].entry == n for r in self._postings.get(f, ()))
                ),
            )
            for n in best
        )

    # -- the index ------------------------------------------------------------------------------------------------

    @cached_property
    def _by_id(self) -> dict[str, FaqEntry]:
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def wordings(self) -> tuple[Wording, ...]:
        """Every way to ask that is known, entry by entry, and last the answers themselves (language `both`)."""
        listed = [
            (number, language, text, TITLE if place < 2 else PARAPHRASE)
            for number, entry in enumerate(self.entries)
            for place, (language, text) in enumerate(entry.asked())
        ]
        listed += [(number, "both", f"{e.answer.en}\n{e.answer.zh}", BODY) for number, e in enumerate(self.entries)]
        return tuple(Wording(row, *parts) for row, parts in enumerate(listed))

    @cached_property
    def _features(self) -> list[frozenset[str]]:
        return [self.words.features(wording.text) for wording in self.wordings]

    @cached_property
    def _postings(self) -> dict[str, list[int]]:
        """Rows of the wordings that have a feature."""
        rows: dict[str, list[int]] = {}
        for row, features in enumerate(self._features):
            for feature in features:
                rows.setdefault(feature, []).append(row)
        return rows

    @cached_property
    def _rarities(self) -> dict[str, float]:
        """BM25's inverse document frequency over the entries that are asked with a feature."""
        return {feature: self._rarity(rows) for feature, rows in self._postings.items()}

    @cached_property
    def _norms(self) -> list[float]:
        rarities = self._rarities
        return [math.sqrt(sum(rarities[f] ** 2 for f in features)) for features in self._features]

    @cached_property
    def _lengths(self) -> list[float]:
        """How much each entry says, relative to the mean."""
        lengths = [0.0] * len(self.entries)
        for wording, features in zip(self.wordings, self._features, strict=True):
            lengths[wording.entry] += wording.weight * len(features)
        mean = sum(lengths) / max(len(lengths), 1)
        return [length / mean for length in lengths]

    @cached_property
    def _subjects(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """(cards, size classes) that each entry is about."""
        folded = [[self.words.fold(name) for name in entry.entities] for entry in self.entries]
        return [
            (
                frozenset(name.removeprefix("rtx") for name in names) & self.words.cards,
                frozenset(size_class(size) for name in names for size in sizes_of(name)),
            )
            for names in folded
        ]

    # -- the three views ------------------------------------------------------------------------------------------

    def _asked(self, text: str, question: Question | None) -> Asked:
        folded = self.words.fold(text)
        features = tuple(sorted(self.words.features(text)))
        cards = {feature[1:] for feature in features if feature in self._cards_as_features}
        if question is not None:
            cards |= {slot.name.split("-")[0].casefold() for slot in question.slots.gpus if slot.name} & self.words.cards
        unheard = self._rarity(())
        return Asked(
            features,
            {feature: self._rarities.get(feature, unheard) for feature in features},
            frozenset(cards),
            frozenset(size_class(size) for size in sizes_of(folded)),
        )

    def _closest(self, asked: Asked, without: Wording | None) -> tuple[list[float], dict[int, int]]:
        """For each entry the mean likeness of its nearest wordings, and the row of the very nearest."""
        likeness: Counter[int] = Counter()
        for feature in asked.features:
            weight = asked.rarity[feature] ** 2
            for row in self._postings.get(feature, ()):
                likeness[row] += weight  # type: ignore[assignment]  # Counter of floats
        norm = math.sqrt(sum(weight**2 for weight in asked.rarity.values()))
        by_entry: dict[int, list[tuple[float, int]]] = {}
        for row, common in likeness.items():
            wording = self.wordings[row]
            if wording.weight > BODY and (without is None or row != without.row):
                by_entry.setdefault(wording.entry, []).append((common / (norm * self._norms[row]), row))
        best = {number: sorted(rows, reverse=True)[:NEAREST] for number, rows in by_entry.items()}
        means = [sum(like for like, _ in best.get(number, ())) / NEAREST for number in range(len(self.entries))]
        return means, {number: rows[0][1] for number, rows in best.items()}

    def _whole(self, asked: Asked, without: Wording | None) -> list[float]:
        """BM25 of each entry as a share of the most that these words could reach."""
        reached = [0.0] * len(self.entries)
        for feature in asked.features:
            counts: dict[int, float] = {}
            for row in self._postings.get(feature, ()):
                if without is None or row != without.row:
                    wording = self.wordings[row]
                    counts[wording.entry] = counts.get(wording.entry, 0.0) + wording.weight
            for number, count in counts.items():
                damping = K1 * (1 - B + B * self._lengths[number])
                reached[number] += asked.rarity[feature] * count * (K1 + 1) / (count + damping)
        most = sum(asked.rarity.values()) * (K1 + 1)
        return [score / most for score in reached]

    def _factor(self, number: int, asked: Asked) -> float:
        factor = BEYOND if self.entries[number].origin == "beyond" else 1.0
        cards, sizes = self._subjects[number]
        if asked.cards and cards and not asked.cards & cards:
            factor *= OTHER_CARD
        if asked.sizes and sizes and not asked.sizes & sizes:
            factor *= OTHER_SIZE
        return factor

    @cached_property
    def _cards_as_features(self) -> frozenset[str]:
        return frozenset("@" + card for card in self.words.cards)

    def _rarity(self, rows: Iterable[int]) -> float:
        holders = len({self.wordings[row].entry for row in rows if self.wordings[row].weight > BODY})
        return math.log1p((len(self.entries) - holders + 0.5) / (holders + 0.5))


def load_faq(folder: Folder) -> FaqIndex:
    """The entries, the synonym table and the names of cards. Raises KnowledgeError with every fault of the entries."""
    cards = (str(row.values["name"]).split("-")[0].casefold() for row in folder.csv("gpus.csv"))
    words = Words.from_document(folder.yaml("lexicon/synonyms.yaml"), (card.removeprefix("rtx") for card in cards))
    return FaqIndex(load_entries(folder), words)
