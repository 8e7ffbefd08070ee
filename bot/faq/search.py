"""FAQ search: which entry answers a message, and how sure that is.

Three views of the same words are added up: the wording that comes closest among all that are known (cosine of rarity
weights), the entry as a whole (BM25 over question, paraphrases and answer), and the entities: a question about an A10 is
never answered with an entry about the A100. No model, no network; a search takes about a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bot.errors import UnknownName
from bot.faq.entries import FaqEntry, load_entries
from bot.faq.words import Synonyms
from bot.folder import Folder

if TYPE_CHECKING:
    from bot.question import Question

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

K1, B = 1.2, 0.3  # BM25: saturation of repeated words, and how much a long entry is held against it
TITLE, PARAPHRASE, BODY = 2.0, 1.0, 0.35  # weight of a word by the field it stands in
CLOSEST, WHOLE = 0.6, 0.4  # share of the closest wording and of the entry as a whole
OTHER_CARD, OTHER_SIZE = 0.3, 0.8  # what is left of a score when the question names other cards, other model sizes
BEYOND = 0.97  # entries beyond the articles never outrank these at equal words
SURE, LIKELY = 0.45, 0.25  # answer from here on; offer as a choice from here on


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask an entry: its row among all wordings, the entry's column, language and text."""

    row: int
    entry: int
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One candidate with the parts of its score, for `--explain`."""

    id: str
    score: float
    closest: float
    whole: float
    wording: str
    words: tuple[str, ...]
    factor: float


@dataclass(frozen=True)
class FaqIndex:
    """All entries, searchable. Build it with `load_faq`."""

    entries: tuple[FaqEntry, ...]
    synonyms: Synonyms
    gpu_names: frozenset[str] = field(default_factory=frozenset)

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
        features = self.synonyms.features(text)
        if not features or not self.entries:
            return ()
        ids = np.array(sorted({self._vocabulary[f] for f in features if f in self._vocabulary}), dtype=np.int64)
        unknown = sum(1 for f in features if f not in self._vocabulary)
        closest, rows = self._closest(ids, unknown, without)
        whole = self._whole(ids, unknown, without)
        cards = self._cards(text, question)
        factors = np.array([self._factor(column, cards) for column in range(len(self.entries))])
        scores = (CLOSEST * closest + WHOLE * whole) * factors
        best = np.argsort(-scores, kind="stable")[:limit]
        return tuple(
            Hit(
                id=self.entries[i].id,
                score=float(min(scores[i], 1.0)),
                closest=float(closest[i]),
                whole=float(whole[i]),
                wording=self.wordings[rows[i]].text if rows[i] >= 0 else "",
                words=tuple(sorted(f for f in features if self._has(i, f))),
                factor=float(factors[i]),
            )
            for i in best
            if scores[i] > 0
        )

    # -- the index, built at the first search ---------------------------------------------------------------------

    @cached_property
    def _by_id(self) -> dict[str, FaqEntry]:
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def wordings(self) -> tuple[Wording, ...]:
        listed = [(i, language, text) for i, entry in enumerate(self.entries) for language, text in entry.asked()]
        return tuple(Wording(row, i, language, text) for row, (i, language, text) in enumerate(listed))

    @cached_property
    def _features(self) -> list[frozenset[str]]:
        return [self.synonyms.features(wording.text) for wording in self.wordings]

    @cached_property
    def _body_features(self) -> list[frozenset[str]]:
        return [self.synonyms.features(f"{e.answer.en}\n{e.answer.zh}") for e in self.entries]

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        names: dict[str, int] = {}
        for features in (*self._features, *self._body_features):
            for name in features:
                names.setdefault(name, len(names))
        return names

    @cached_property
    def _weights(self) -> Floats:
        """How often each feature stands in each entry, weighted by field: features x entries."""
        matrix = np.zeros((len(self._vocabulary), len(self.entries)))
        for wording, features in zip(self.wordings, self._features, strict=True):
            matrix[self._ids(features), wording.entry] += self._field(wording)
        for column, features in enumerate(self._body_features):
            matrix[self._ids(features), column] += BODY
        return matrix

    @cached_property
    def _rarity(self) -> Floats:
        """BM25's inverse document frequency of each feature, over entries that ask with it (the prose counts little)."""
        return self._rarity_of(self._weights)

    @cached_property
    def _postings(self) -> tuple[Ints, Ints]:
        """(feature, wording) pairs, flat."""
        ids = [self._ids(features) for features in self._features]
        rows = np.repeat(np.arange(len(ids)), [len(part) for part in ids])
        return np.concatenate(ids), rows

    @cached_property
    def _norms(self) -> Floats:
        ids, rows = self._postings
        return np.sqrt(np.bincount(rows, weights=self._rarity[ids] ** 2, minlength=len(self.wordings)))

    # -- the three views ------------------------------------------------------------------------------------------

    def _closest(self, ids: Ints, unknown: int, without: Wording | None) -> tuple[Floats, list[int]]:
        """For each entry the likeness of its closest wording, and which that is."""
        rarity = self._rarity
        asked = np.zeros(len(rarity))
        asked[ids] = rarity[ids] ** 2
        features, rows = self._postings
        likeness = np.bincount(rows, weights=asked[features], minlength=len(self.wordings))
        norm = np.sqrt(asked.sum() + unknown * float(np.median(rarity)) ** 2)
        likeness = likeness / np.maximum(norm * self._norms, 1e-9)
        if without is not None:
            likeness[without.row] = 0.0
        best = np.zeros(len(self.entries))
        which = [-1] * len(self.entries)
        for column, (start, stop) in enumerate(self._spans):
            row = start + int(np.argmax(likeness[start:stop]))
            best[column], which[column] = likeness[row], row
        return best, which

    def _whole(self, ids: Ints, unknown: int, without: Wording | None) -> Floats:
        """BM25 of each entry as a share of the most that these words could reach."""
        weights = self._weights[ids]
        if without is not None:
            lost = np.isin(ids, self._ids(self._features[without.row]))
            weights = weights.copy()
            weights[lost, without.entry] -= self._field(without)
        rarity = self._rarity_of(weights)
        lengths = self._weights.sum(axis=0)
        damping = K1 * (1 - B + B * lengths / lengths.mean())
        reached = (rarity[:, None] * weights * (K1 + 1) / (weights + damping)).sum(axis=0)
        most = (rarity.sum() + unknown * float(np.median(self._rarity))) * (K1 + 1)
        share: Floats = reached / max(most, 1e-9)
        return share

    def _factor(self, column: int, asked: frozenset[str]) -> float:
        factor = BEYOND if self.entries[column].origin == "beyond" else 1.0
        about = self._entry_cards[column]
        return factor * OTHER_CARD if asked and about and not asked & about else factor

    # -- small helpers --------------------------------------------------------------------------------------------

    @cached_property
    def _spans(self) -> tuple[tuple[int, int], ...]:
        counts = np.bincount([w.entry for w in self.wordings], minlength=len(self.entries))
        stops = np.cumsum(counts)
        return tuple((int(stop - count), int(stop)) for count, stop in zip(counts, stops, strict=True))

    @cached_property
    def _entry_cards(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(e.casefold() for e in entry.entities) & self.gpu_names for entry in self.entries)

    def _cards(self, text: str, question: Question | None) -> frozenset[str]:
        """Cards that the message names, as `h100`; those of the thread too, when the question is given."""
        named = {slot.name.split("-")[0].casefold() for slot in question.slots.gpus if slot.name} if question else set()
        return (named | set(re.findall(r"[a-z]*\d+[a-z]*", self.synonyms.fold(text)))) & self.gpu_names

    def _field(self, wording: Wording) -> float:
        return TITLE if wording.row - self._spans[wording.entry][0] < 2 else PARAPHRASE

    def _ids(self, features: Iterable[str]) -> Ints:
        return np.array(sorted(self._vocabulary[f] for f in features), dtype=np.int64)

    def _rarity_of(self, weights: Floats) -> Floats:
        holders = (weights > BODY + 1e-6).sum(axis=1)
        rarity: Floats = np.log1p((len(self.entries) - holders + 0.5) / (holders + 0.5))
        return rarity

    def _has(self, column: int, feature: str) -> bool:
        number = self._vocabulary.get(feature)
        return number is not None and bool(self._weights[number, column] > BODY)


def load_faq(folder: Folder) -> FaqIndex:
    """The entries, the synonym table and the names of cards. Raises KnowledgeError with every fault of the entries."""
    return FaqIndex(load_entries(folder), Synonyms.from_document(folder.yaml("lexicon/synonyms.yaml")), _gpu_names(folder))


def _gpu_names(folder: Folder) -> frozenset[str]:
    """`a100`, `h20`, `4090`: the first word of each name, as the search reads it."""
    rows: Sequence[str] = [row.values["name"] for row in folder.csv("gpus.csv")]
    heads = {name.split("-")[0].casefold() for name in rows}
    return frozenset(heads | {head.removeprefix("rtx") for head in heads})
