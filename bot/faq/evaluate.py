"""How often the search finds the right entry, by language: each known wording is asked as a question of its own."""

from __future__ import annotations

from dataclasses import dataclass

from bot.faq.search import FaqIndex, Hit


@dataclass(frozen=True, slots=True)
class Rates:
    """Of `n` wordings, the share whose entry came first, and among the first three."""

    language: str
    n: int
    top1: float
    top3: float


@dataclass(frozen=True, slots=True)
class Miss:
    """A wording whose entry did not come first, and what did."""

    wanted: str
    text: str
    found: tuple[str, ...]


def score(index: FaqIndex, *, leave_one_out: bool) -> tuple[tuple[Rates, ...], tuple[Miss, ...]]:
    """Rates for each language and for `all`, and the misses. Leave-one-out: the wording asked is not itself indexed."""
    places: dict[str, list[int]] = {"en": [], "zh": [], "all": []}
    misses: list[Miss] = []
    for wording in index.wordings:
        hits = index.explain(wording.text, without=wording.row if leave_one_out else None)
        place = _place(hits, wording.entry)
        places[wording.language].append(place)
        places["all"].append(place)
        if place != 1:
            misses.append(Miss(wording.entry, wording.text, tuple(hit.id for hit in hits[:3])))
    return tuple(_rates(language, found) for language, found in places.items()), tuple(misses)


def _place(hits: tuple[Hit, ...], wanted: str) -> int:
    return next((place for place, hit in enumerate(hits, 1) if hit.id == wanted), 99)


def _rates(language: str, places: list[int]) -> Rates:
    n = len(places)
    return Rates(language, n, sum(p == 1 for p in places) / max(n, 1), sum(p <= 3 for p in places) / max(n, 1))
