"""Questions that leave out the model or the card because that is what they ask for: what fits, what the money buys."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.answer import Answer
from bot.question import Action, Intent, Question


def answer_open(question: Question, missing: str, context: AdviceContext) -> Answer | None:
    """What can be computed although a slot is missing; None where only a question back is left."""
    if missing == "models":
        return _without_model(question, context)
    if missing == "gpus" and question.slots.models:
        return _without_card(question, context)
    return None


def _without_model(question: Question, context: AdviceContext) -> Answer | None:
    """Whether the cards can do what is asked of them; else the largest that they hold, beside which model is meant."""
    from bot.advise.largest import answer_largest, held, wants_largest

    named = question.intent == Intent.FEASIBILITY and any(cards.gpu for cards in held(question, context))
    return answer_largest(question, context) if named or wants_largest(question, context) else None


def _without_card(question: Question, context: AdviceContext) -> Answer | None:
    """What the budget buys; where a price is asked of a job, the cards that do it cheapest."""
    if question.slots.budget is not None:
        from bot.advise.afford import answer_afford

        return answer_afford(question, context)
    if question.intent not in (Intent.PRICE_LOOKUP, Intent.COST):
        return None
    from bot.advise.recommend import answer_recommend

    return answer_recommend(replace(question, action=Action.ANSWER), context)
