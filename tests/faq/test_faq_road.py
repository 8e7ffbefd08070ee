"""What a reader gets for a question in his own words: an entry or a sum; and no entry for what the FAQ is not asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.answer import Answer
from tests.advise.road import ask
from tests.faq.unseen import unseen

LEFT_OPEN = 0.03  # 1 % today: only asked back or declined
WRONG = 0.01  # 0 today: another entry
INTRUDING = 0.02  # 0 today: an entry for a question that wants a sum or a look-up


@pytest.fixture(scope="module")
def answers() -> list[tuple[str, Answer]]:
    return [(entry, ask(text).answer) for entry, text in unseen("unseen_blind.txt")]


def test_few_questions_are_left_open(answers: list[tuple[str, Answer]]) -> None:
    left = [answer.question.text for _, answer in answers if answer.answered_from == "help"]
    assert len(left) <= LEFT_OPEN * len(answers), left


def test_few_answers_are_those_of_another_entry(answers: list[tuple[str, Answer]]) -> None:
    wrong = [(answer.question.text, answer.faq_id) for entry, answer in answers if answer.faq_id not in (None, entry)]
    assert len(wrong) <= WRONG * len(answers), wrong


def test_few_entries_intrude() -> None:
    lines = Path(__file__).with_name("not_faq.txt").read_text(encoding="utf-8").splitlines()
    asked = [text for text in lines if not text.startswith("#")]
    found = [text for text in asked if ask(text).answer.answered_from == "faq"]
    assert len(found) <= INTRUDING * len(asked), found
