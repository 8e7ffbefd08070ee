"""Questions with a known answer: yes, tight or no, counts of cards, figures. Rates may only rise.

`accept` are the verdicts that a measured run, a maintainer's word or plain arithmetic leaves open (`why`, `source_url`).
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from bot.answer import Answer
from tests.advise.road import ask

CORPUS = Path(__file__).parents[1] / "data" / "questions" / "verdicts-composed.jsonl"
ITEMS: list[dict[str, Any]] = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@lru_cache(maxsize=1)
def answers() -> dict[str, Answer]:
    return {item["id"]: ask(item["text"]).answer for item in ITEMS}


def _value(answer: Answer, path: str) -> Any:
    """`estimate.weights_gib`, `estimate.memory_gib_per_gpu.best`: as the JSON of an answer names them."""
    names = path.removeprefix("estimate.").split(".")
    main = answer.main
    found: Any = main if names[0] in ("min_gpus", "max_seq_len") else main and main.estimate
    for name in names:
        found = getattr(found, name, None)
    return found


def _verdicts() -> Iterator[tuple[str | None, list[str]]]:
    for item in ITEMS:
        if item["expected"]["verdict"]:
            yield answers()[item["id"]].verdict, item["expected"]["accept"]


def _ranges() -> Iterator[tuple[str, Any, float, float]]:
    for item in ITEMS:
        expected, answer = item["expected"], answers()[item["id"]]
        if expected["min_gpus"]:
            limits = expected["min_gpus"]
            yield "min_gpus", _value(answer, "estimate.min_gpus"), limits["low"], limits["high"]
        for number in expected["numbers"]:
            yield "numbers", _value(answer, number["path"]), number["low"], number["high"]


def _share(hits: Iterable[bool]) -> float:
    found = list(hits)
    return sum(found) / len(found)


def test_the_corpus_is_whole() -> None:
    assert len({item["id"] for item in ITEMS}) == len(ITEMS) >= 300
    assert all(item["why"] for item in ITEMS)
    assert all(item["expected"]["verdict"] in (None, *item["expected"]["accept"]) for item in ITEMS)


def test_verdicts() -> None:
    assert _share(got in accept for got, accept in _verdicts()) >= 0.95


@pytest.mark.parametrize(("said", "most"), [("yes", 0.065), ("no", 0.025), ("tight", 0.02)])
def test_wrong_verdicts(said: str, most: float) -> None:
    """Of the questions on which it is wrong, the share that gets it all the same; a wrong yes costs most."""
    assert _share(got == said for got, accept in _verdicts() if said not in accept) <= most


@pytest.mark.parametrize(("kind", "least"), [("min_gpus", 0.96), ("numbers", 0.96)])
def test_counts_and_figures(kind: str, least: float) -> None:
    hits = (isinstance(got, int | float) and low <= got <= high for name, got, low, high in _ranges() if name == kind)
    assert _share(hits) >= least
