"""How well the search finds what is asked in words that it does not know: a ratchet, to be raised and never lowered."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.faq import FaqIndex
from bot.faq.evaluate import Rates, score

LEAVE_ONE_OUT = {"en": (0.91, 0.98), "zh": (0.91, 0.98)}  # top-1, top-3; 92.0 and 98.7 %, 92.5 and 98.9 % today
ALL_INDEXED = 0.985
UNSEEN = (0.90, 0.97)  # 92.7 and 98.8 % today


@pytest.fixture(scope="module")
def left_out(index: FaqIndex) -> dict[str, Rates]:
    rates, _ = score(index, leave_one_out=True)
    return {rate.language: rate for rate in rates}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_unknown_wordings_find_their_entry(language: str, left_out: dict[str, Rates]) -> None:
    top1, top3 = LEAVE_ONE_OUT[language]
    assert left_out[language].n > 1000
    assert left_out[language].top1 >= top1
    assert left_out[language].top3 >= top3


def test_known_wordings_find_their_entry(index: FaqIndex) -> None:
    rates, misses = score(index, leave_one_out=False)
    assert rates[-1].top1 >= ALL_INDEXED, misses[:10]


def unseen() -> list[tuple[str, str]]:
    """(entry, question) of `unseen.txt`: a line `== F-id`, then questions that it should be found by."""
    found: list[tuple[str, str]] = []
    entry = ""
    for line in Path(__file__).with_name("unseen.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            entry = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            found.append((entry, line))
    return found


def test_questions_kept_out_of_the_index_find_their_entry(index: FaqIndex) -> None:
    ranked = [(entry, [key for key, _ in index.search(text, limit=3)]) for entry, text in unseen()]
    assert sum(entry == keys[0] for entry, keys in ranked) / len(ranked) >= UNSEEN[0]
    assert sum(entry in keys for entry, keys in ranked) / len(ranked) >= UNSEEN[1]


def test_the_unseen_are_unseen(index: FaqIndex) -> None:
    known = {wording.text.casefold() for wording in index.wordings}
    assert not [text for _, text in unseen() if text.casefold() in known]
