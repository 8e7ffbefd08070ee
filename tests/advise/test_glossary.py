"""What is X? Terms by any of their names, in both languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from bot.advise.context import AdviceContext, Library
from bot.advise.glossary import Term, answer_term, check_glossary, load_glossary
from bot.folder import Folder
from bot.question import Intent, Question, Slots, Task

FOLDER = Folder.knowledge()
GLOSSARY = load_glossary(FOLDER)
CONTEXT = AdviceContext(Library(FOLDER), datetime(2026, 11, 30, tzinfo=UTC))

# (message, term)
ASKED = [
    ("what is MFU?", "mfu"),
    ("MFU是什么", "mfu"),
    ("what does TTFT mean", "ttft"),
    ("KV cache 是什么？", "kv-cache"),
    ("请问 QLoRA 是什么意思", "qlora"),
    ("explain tensor parallelism", "tp"),
    ("什么是NVLink？", "nvlink"),
    ("梯度累积是什么", "gradient-accumulation"),
    ("what are optimizer states?", "optimizer-states"),
    ("MoE", "moe"),
    ("and what is ZeRO?", "zero"),
    ("那 TPOT 是啥", "tpot"),
]
NOT_ASKED = [
    "how many H100 for a 70B?",
    "what is the price of an H100?",
    "what is the difference between TP and PP",
    "can a 4090 run QLoRA of a 7B?",
    "",
    "H100 是什么",
]


@pytest.mark.parametrize(("message", "term"), ASKED)
def test_a_definition_is_found_by_any_name(message: str, term: str) -> None:
    found = GLOSSARY.find(message)
    assert found is not None
    assert found.id == term


@pytest.mark.parametrize("message", NOT_ASKED)
def test_other_questions_get_no_definition(message: str) -> None:
    assert GLOSSARY.find(message) is None


def test_a_term_that_fills_a_slot_is_not_a_question() -> None:
    assert answer_term(Question("QLoRA", Intent.FEASIBILITY, Slots(task=Task.QLORA)), CONTEXT) is None
    assert answer_term(Question("what is QLoRA?", Intent.FAQ, Slots(task=Task.QLORA)), CONTEXT) is not None


def test_the_glossary_is_sound() -> None:
    assert check_glossary(FOLDER) == []
    assert len(GLOSSARY.terms) >= 40


@pytest.mark.parametrize("term", GLOSSARY.terms, ids=lambda term: term.id)
def test_both_languages_give_the_same_figures(term: Term) -> None:
    def figures(text: str) -> set[str]:
        return set(re.findall(r"\d[\d.,]*\d", text))

    assert figures(term.en) == figures(term.zh)
