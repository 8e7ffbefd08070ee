"""Topics that are advice, not a sum: a conclusion and a short list, with the claims they rest on."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, say
from bot.faq import SURE


def answer_pointers(inputs: Inputs, topic: str, n_points: int, claims: tuple[str, ...]) -> Answer | None:
    """None where the FAQ has an entry for just this question; it then answers itself."""
    candidates = inputs.context.faq.search(inputs.question.text, inputs.question)
    if candidates and candidates[0][1] >= SURE:
        return None
    body = tuple(say(f"topics.{topic}_{number}") for number in range(1, n_points + 1))
    made = inputs.answer(say(f"topics.{topic}"), body=body, sources=inputs.sources(claims=claims), from_faq=True)
    return replace(made, faq_candidates=candidates)
