"""FAQ search: which entry answers a message, and how sure that is.

Three views of the same words are added up: the wordings that come closest among all that are known (cosine of rarity
weights, mean of the best few of an entry), the entry as a whole (BM25 over question, paraphrases and answer), and the
subject: a question about an A10 is never answered with an entry about the A100. No model, no network, no numpy; a search
takes one to two milliseconds. The score is the likelihood that the entry is the right one.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.errors import UnknownName
from bot.faq.entries import FaqEntry, load_entries, load_entry, source_files
from bot.faq.index import BODY, Index, build_index, rows_of
from bot.faq.meaning import Meaning, load_meaning
from bot.faq.words import Words, size_class, sizes_of
from bot.folder import Folder
from bot.kept import cache_folder, kept, kept_file

if TYPE_CHECKING:
    from bot.question import Question

_VERSION = "5"  # of the kept index; change it with `Index` or `Words`
K1, B = 1.2, 0.3  # BM25: saturation of repeated words, and how much a long entry is held against it
CLOSEST, WHOLE = 0.55, 0.45  # share of the closest wordings and of the entry as a whole
MEANING = 0.3  # weight of the likeness of meaning, where the encoder is on
NEAREST = 5  # wordings of an entry that are looked at
OTHER_CARD, OTHER_SIZE = 0.4, 0.7  # what is left when the question names other cards, other model sizes
BEYOND = 0.8  # entries beyond the articles give way to the articles' own at like words
SURE, LIKELY = 0.6, 0.05  # answer from here on; offer as a choice from here on
UNFIT = 0.04  # the most that an entry about other cards than those named can score
ELSEWHERE = 0.7  # what is left of a score when no word of the question is plainly of our field
UNHEARD = 0.8  # what is left for each of at most two words that no entry and no wording has ever used

# Likelihood = logistic(a + b ln(points) + c ln(points / points of the best other entry)). Fitted on every known wording
# asked without itself, on questions that belong to no entry and on small talk: of scores around 0.8, four in five are right.
_CALIBRATION = (2.26, 2.51, 4.10)
_FAR_AHEAD = 2.0  # a lead beyond which more tells nothing


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask an entry: its row in the index, the entry, language and text."""

    row: int
    entry: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One candidate with the parts of its score, for `--explain`. `fits`: it is not about other cards than those named."""

    id: str
    score: float
    points: float
    closest: float
    whole: float
    factor: float
    fits: bool
    row: int | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A message as the search sees it: the rarity of its features, its cards and its model sizes."""

    rarity: dict[str, float]
    cards: frozenset[str]
    sizes: frozenset[str]


@dataclass(frozen=True)
class FaqIndex:
    """All entries, searchable. Build it with `load_faq`."""

    folder: Folder
    words: Words
    index: Index
    meaning: Meaning | None = None

    def search(self, text: str, question: Question | None = None, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """(id, score 0 to 1) of the best entries, best first; nothing only for a text without words."""
        return tuple((hit.id, round(hit.score, 4)) for hit in self.explain(text, question, limit=limit))

    def entry(self, key: str) -> FaqEntry:
        """The entry of that id (`F-nvlink` or `nvlink`), read from its file. Raises UnknownName."""
        known = next((name for name in (key, f"F-{key}") if name in self.index.ids), None)
        if known is None:
            from rapidfuzz import process

            near = process.extract(key, self.index.ids, limit=2, score_cutoff=60)
            raise UnknownName("faq entry", key, tuple(match[0] for match in near))
        return load_entry(self.folder, known)

    @cached_property
    def wordings(self) -> tuple[Wording, ...]:
        """Every way to ask that is known, in the order of the index."""
        entries = load_entries(self.folder)
        rows = enumerate(rows_of(entries))
        return tuple(Wording(row, entries[n].id, lang, text) for row, (n, _, lang, text) in rows if lang != "both")

    def explain(
        self, text: str, question: Question | None = None, *, limit: int = 5, without: int | None = None
    ) -> tuple[Hit, ...]:
        """The best entries with the parts of their scores. `without` leaves a row out, for honest tests of the search."""
        asked = self._asked(text, question)
        if not asked.rarity or not self.index.ids:
            return ()
        closest, nearest = self._closest(asked, without)
        whole = self._whole(asked, without)
        factors, fits = zip(*(self._factor(number, asked) for number in range(len(self.index.ids))), strict=True)
        meant = self.meaning.nearness(text, len(factors), without) if self.meaning else [0.0] * len(factors)
        points = [
            (CLOSEST * c + WHOLE * w + MEANING * m) * f for c, w, m, f in zip(closest, whole, meant, factors, strict=True)
        ]
        best = sorted(range(len(points)), key=lambda number: -points[number])[:limit]
        trust = (1.0 if self.words.anchored(text) else ELSEWHERE) * UNHEARD ** min(len(self._unheard(asked)), 2)
        hits = [
            Hit(
                id=self.index.ids[n],
                score=min(trust * likelihood, 1.0 if fits[n] else UNFIT),
                points=points[n],
                closest=closest[n],
                whole=whole[n],
                factor=factors[n],
                fits=fits[n],
                row=nearest.get(n),
            )
            for n, likelihood in zip(best, _likelihoods([points[n] for n in best]), strict=True)
        ]
        return tuple(sorted(hits, key=lambda hit: -hit.score))

    @cached_property
    def _known(self) -> list[str]:
        """Latin words of five letters and more that an entry or the table uses."""
        words = self.words.latin().union(self.index.rows)
        return sorted(word for word in words if len(word) >= 5 and word.isascii() and word.isalpha())

    def _unheard(self, asked: _Asked) -> list[str]:
        """Chinese characters and Latin words of the message that nothing here knows: it may be about something else."""
        new = (feature for feature in asked.rarity if feature not in self.index.rows)
        return [f for f in new if (len(f) == 1 and not f.isascii()) or (len(f) > 2 and f.isascii() and f.isalpha())]

    # -- the three views ------------------------------------------------------------------------------------------

    def _asked(self, text: str, question: Question | None) -> _Asked:
        features = sorted(self.words.features(text, self._known))  # sorted, so that sums come out the same on every run
        cards = {feature[1:] for feature in features if feature[0] == "@" and feature[1:] in self.words.cards}
        if question is not None:
            cards |= {slot.name.split("-")[0].casefold() for slot in question.slots.gpus if slot.name} & self.words.cards
        sizes = frozenset(size_class(size) for size in sizes_of(self.words.fold(text)))
        return _Asked({feature: self.index.rarity_of(feature) for feature in features}, frozenset(cards), sizes)

    def _closest(self, asked: _Asked, without: int | None) -> tuple[list[float], dict[int, int]]:
        """For each entry the mean likeness of its nearest wordings, and the row of the very nearest."""
        index = self.index
        common: dict[int, float] = {}
        for feature, rarity in asked.rarity.items():
            for row in index.rows.get(feature, ()):
                common[row] = common.get(row, 0.0) + rarity**2
        norm = math.sqrt(sum(rarity**2 for rarity in asked.rarity.values()))
        by_entry: dict[int, list[tuple[float, int]]] = {}
        for row, shared in common.items():
            if index.weights[row] > BODY and row != without:
                by_entry.setdefault(index.entry_of[row], []).append((shared / (norm * index.norms[row]), row))
        best = {number: sorted(rows, reverse=True)[:NEAREST] for number, rows in by_entry.items()}
        means = [sum(like for like, _ in best.get(number, ())) / NEAREST for number in range(len(index.ids))]
        return means, {number: rows[0][1] for number, rows in best.items()}

    def _whole(self, asked: _Asked, without: int | None) -> list[float]:
        """BM25 of each entry as a share of the most that these words could reach."""
        index = self.index
        damping = [K1 * (1 - B + B * length) for length in index.lengths]
        reached = [0.0] * len(index.ids)
        for feature, rarity in asked.rarity.items():
            counts: dict[int, float] = {}
            for row in index.rows.get(feature, ()):
                if row != without:
                    counts[index.entry_of[row]] = counts.get(index.entry_of[row], 0.0) + index.weights[row]
            for number, count in counts.items():
                reached[number] += rarity * count * (K1 + 1) / (count + damping[number])
        most = sum(asked.rarity.values()) * (K1 + 1)
        return [score / most for score in reached]

    def _factor(self, number: int, asked: _Asked) -> tuple[float, bool]:
        """What is left of an entry's points for its subject, and whether it may answer at all."""
        factor = BEYOND if self.index.beyond[number] else 1.0
        cards, sizes = self.index.cards[number], self.index.sizes[number]
        if sizes and asked.sizes and asked.sizes.isdisjoint(sizes):
            factor *= OTHER_SIZE
        if cards and asked.cards and asked.cards.isdisjoint(cards):
            return factor * OTHER_CARD, False
        return factor, True


def _likelihoods(points: list[float]) -> list[float]:
    """The likelihood of each candidate, best first, from its points and its lead over the best other one."""
    a, b, c = _CALIBRATION
    scores = []
    for place, own in enumerate(points):
        other = points[1 if place == 0 else 0] if len(points) > 1 else 0.0
        lead = min(own / other, _FAR_AHEAD) if other > 0 else _FAR_AHEAD
        scores.append(1 / (1 + math.exp(-(a + b * math.log(own) + c * math.log(lead)))) if own > 0 else 0.0)
    return scores


def load_faq(folder: Folder, cache: Path | None = None, *, encoder: bool = False) -> FaqIndex:
    """From the kept index where nothing has changed, else from the entries; then raises KnowledgeError with every fault."""
    paths, place = source_files(folder), cache or cache_folder()
    document = kept("faq", paths, partial(_document, folder), version=_VERSION, folder=place)
    found = FaqIndex(folder, Words.from_document(document["words"]), Index(**document["index"]))
    if not encoder:
        return found
    texts, rows = [wording.text for wording in found.wordings], found.index.entry_of
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return replace(found, meaning=load_meaning(texts, rows[: len(texts)], kept_file(place, "faq", paths), digest))


def _document(folder: Folder) -> dict[str, Any]:
    words = Words.from_table(folder.yaml("lexicon/synonyms.yaml"), _cards(folder))
    return {"words": words.as_document(), "index": build_index(load_entries(folder), words).as_document()}


def _cards(folder: Folder) -> frozenset[str]:
    """`a100`, `h20`, `4090`: the first word of each card's name, as questions spell it."""
    names: Mapping[str, None] = {str(row.values["name"]).split("-")[0].casefold(): None for row in folder.csv("gpus.csv")}
    return frozenset(name.removeprefix("rtx") for name in names)
