"""How far ahead to book, and what to ask before counting on cards."""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.advise.topics.pointers import answer_pointers
from bot.answer import Answer


def answer(inputs: Inputs) -> Answer | None:
    return answer_pointers(inputs, "lead_time", 4, ("C002-42", "C002-43", "C000-19", "C003-66"))
