"""What to ask about law and certification: pointers, no legal advice."""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.advise.topics.pointers import answer_pointers
from bot.answer import Answer


def answer(inputs: Inputs) -> Answer | None:
    return answer_pointers(inputs, "compliance", 4, ("C000-52", "C000-53", "C003-72", "C003-49"))
