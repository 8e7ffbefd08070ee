"""The other way round: cards are named and no model. What is the largest that they serve and train?"""

from __future__ import annotations

from bot.advise.context import AdviceContext
from bot.advise.help import ask_back
from bot.advise.phrases import cards_said
from bot.advise.readings import read_serving, read_training
from bot.advise.setup import Cards, Subject, cards_in, usual
from bot.answer import Answer, Assumption, Cell, Table, say
from bot.estimator.workload import Method
from bot.question import TRAINING_TASKS, Question

_MOST_CARDS = 4


def answer_largest(question: Question, context: AdviceContext) -> Answer:
    """A table of cards against the ways of using them; each cell the largest of the usual sizes that fits."""
    cards = cards_in(question, context)[:_MOST_CARDS]
    sizes = _ladder(question, context)
    if not cards or not sizes:
        return ask_back(question, "models")
    ways = ("lora", "qlora") if question.slots.task in TRAINING_TASKS else ("native", "int4", "qlora")
    found = [{way: _largest(question, card, way, sizes, context) for way in ways} for card in cards]
    first = cards[0]
    return Answer(
        question=question,
        headline=say(
            "largest.headline",
            cards=cards_said(first.count or 1, first),
            items=tuple(say(f"largest.{way}", model=model) for way, model in found[0].items() if model),
        ),
        language=question.language,
        answered_from="estimator",
        table=Table(
            (say("column.cards"), *(say(f"column.largest_{way}") for way in ways)),
            tuple(
                (Cell(cards_said(card.count or 1, card)), *(Cell(model) for model in models.values()))
                for card, models in zip(cards, found, strict=True)
            ),
        ),
        assumptions=tuple(item for card in cards for item in (*card.assumed, *_one_card(card))),
    )


def _one_card(cards: Cards) -> tuple[Assumption, ...]:
    return () if cards.count else (Assumption("gpus[0].count", 1, say("why.one_card")),)


def _ladder(question: Question, context: AdviceContext) -> list[Subject]:
    """Models of the family that is named, largest first; of the usual sizes where none is."""
    named = next((slot.name for slot in question.slots.models if slot.name), None)
    if named:
        family = [m for m in context.specs.models if m.name.casefold().startswith(named.casefold()) and m.kind == "text"]
        if family:
            return [Subject(m, m.name) for m in sorted(family, key=lambda m: -m.params_b)]
    names = usual(context.folder)["ladder"]
    return [Subject(context.specs.model(name), name) for name in names]


def _largest(question: Question, cards: Cards, way: str, sizes: list[Subject], context: AdviceContext) -> str | None:
    return next((subject.label for subject in sizes if _fits(question, cards, way, subject, context)), None)


def _fits(question: Question, cards: Cards, way: str, subject: Subject, context: AdviceContext) -> bool:
    n_gpus = cards.count or 1
    if way in ("native", "int4"):
        weights = "awq_int4" if way == "int4" else None
        reading = read_serving(question, subject, cards, n_gpus=n_gpus, context=context, weights=weights)
    else:
        method: Method = "qlora" if way == "qlora" else "lora"
        reading = read_training(method, question, subject, cards, n_gpus=n_gpus, context=context)
    return reading.verdict == "yes"
