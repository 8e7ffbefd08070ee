"""How much memory, how many cards: the fewest that start and the fewest with room to spare."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.feasibility import alternatives_of, assumptions_of, main_reading, refusal_of, row_label, steps_of
from bot.advise.help import ask_back
from bot.advise.phrases import FIT_COLUMNS, counts_said, memory_of, row_of, sum_of, usual_choices
from bot.advise.readings import Reading, at_count, read_serving, read_training, with_counts
from bot.advise.setup import Cards, Subject, cards_in, subjects_in, usual_cards
from bot.advise.workloads import methods_of
from bot.answer import Answer, Cell, Say, Table, Text, say
from bot.question import Question

_MOST_GROUPS = 6
_ANY_CARD = Cards("", None)


def answer_sizing(question: Question, context: AdviceContext) -> Answer:
    subjects = subjects_in(question, context)
    if not subjects:
        return ask_back(question, "models")
    cards = cards_in(question, context) or (usual_cards(context),)
    pairs = [(subject, card) for subject in subjects for card in cards][:_MOST_GROUPS]
    groups = [_sized(question, subject, card, context) for subject, card in pairs]
    main = main_reading(groups[0], question)
    readings = [reading for group in groups for reading in group]
    return Answer(
        question=question,
        headline=_headline(question, main, readings),
        language=question.language,
        verdict=main.verdict if main.cards.count else None,
        answered_from="estimator",
        table=Table(FIT_COLUMNS, tuple(row for group in groups for row in _rows(group, groups, context))),
        scenarios=tuple(reading.scenario() for reading in readings) if len(readings) > 1 else (),
        main=main.scenario(),
        alternatives=alternatives_of(readings, context),
        assumptions=assumptions_of(question, main, context),
        sum=sum_of(main),
        choices=usual_choices(main),
    )


def _sized(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> list[Reading]:
    """Readings on the count said, or on the fewest cards that hold the job; one card that holds all if none is named."""
    named = bool(question.slots.gpus)
    methods = methods_of(question.slots.task)
    on = cards if named else _ANY_CARD
    read = [
        read_training(method, question, subject, on, n_gpus=cards.count or 1, context=context) for method in methods
    ] or [read_serving(question, subject, on, n_gpus=cards.count or 1, context=context)]
    sized = []
    for reading in read:
        counted = with_counts(_on(reading, cards), context)
        if not named:
            sized.append(replace(reading, cards=cards, counts=counted.counts))
        elif cards.count is None and counted.counts.least:
            sized.append(at_count(counted, counted.counts.least, context))
        else:
            sized.append(counted)
    return sized


def _on(reading: Reading, cards: Cards) -> Reading:
    """The reading's workload on cards of that kind, for counting."""
    hardware = cards.hardware(reading.n_gpus)
    return replace(reading, cards=cards, workload=replace(reading.workload, hardware=hardware))


def _headline(question: Question, main: Reading, readings: list[Reading]) -> Text:
    if main.refused is not None:
        return say("feasibility.refused", why=refusal_of(main.refused), **_common(main))
    named = bool(question.slots.gpus)
    if len(readings) == 1:
        key = "sizing.one_named" if named else "sizing.one"
        if main.cards.count is not None:
            key = f"sizing.count_{main.verdict or 'unknown'}"
        return say(key, **_common(main))
    parts = tuple(say("sizing.part_named" if named else "sizing.part", **_common(reading)) for reading in readings)
    models = {reading.subject.label for reading in readings}
    return say("sizing.several", model=main.subject.label if len(models) == 1 else None, items=parts)


def _common(reading: Reading) -> dict[str, object]:
    return {
        "model": reading.subject.label,
        "method": reading.label,
        "gpu": reading.cards.label,
        "n": reading.n_gpus,
        "memory": memory_of(reading),
        "usable": reading.usable_gib,
        "counts": counts_said(reading.counts),
    }


def _rows(group: list[Reading], groups: list[list[Reading]], context: AdviceContext) -> list[tuple[Cell, ...]]:
    rows = []
    for reading in group:
        label: Say = row_label(reading, groups)
        rows += [row_of(step, label) for step in steps_of(reading, context)]
    return rows
