"""Does it fit? One reading for a question that says the method, a table of three for "fine-tune" alone."""

from __future__ import annotations

from bot.advise.context import AdviceContext
from bot.advise.help import ask_back
from bot.advise.phrases import FIT_COLUMNS, cards_said, counts_said, memory_of, row_of, sum_of, usual_choices
from bot.advise.readings import Reading, at_count, read_serving, read_training, with_counts
from bot.advise.setup import Cards, Subject, cards_in, subjects_in
from bot.advise.workloads import methods_of
from bot.answer import Alternative, Answer, Assumption, Cell, Say, Table, Text, say
from bot.errors import InvalidWorkload
from bot.question import Question, Task

_MOST_PAIRS = 6  # models x cards that one table shows


def answer_feasibility(question: Question, context: AdviceContext) -> Answer:
    subjects, cards = subjects_in(question, context), cards_in(question, context)
    if not subjects:
        return ask_back(question, "models")
    if not cards:
        from bot.advise.sizing import answer_sizing

        return answer_sizing(question, context)
    pairs = [(subject, card) for subject in subjects for card in cards][:_MOST_PAIRS]
    groups = [_readings(question, subject, card, context) for subject, card in pairs]
    return fit_answer(question, groups, context)


def _readings(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> list[Reading]:
    """Every reading of the question for one model on one kind of card, with the counts that would do."""
    n_gpus = cards.count or 1
    methods = methods_of(question.slots.task)
    if not methods:
        return [with_counts(read_serving(question, subject, cards, n_gpus=n_gpus, context=context), context)]
    read = [read_training(method, question, subject, cards, n_gpus=n_gpus, context=context) for method in methods]
    return [with_counts(reading, context) for reading in read]


def fit_answer(question: Question, groups: list[list[Reading]], context: AdviceContext) -> Answer:
    """The answer for all groups; the headline is about the first reading that fits of the first group."""
    first = groups[0]
    main = main_reading(first, question)
    if len(groups) > 1:
        headline: Say = say("feasibility.several", items=tuple(_short(main_reading(g, question), groups) for g in groups))
    elif len(first) > 1:
        headline = _open_headline(main, first)
    else:
        headline = _headline(main)
    readings = [reading for group in groups for reading in group]
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        verdict=main.verdict,
        answered_from="estimator",
        table=Table(FIT_COLUMNS, tuple(_rows(groups, context))),
        scenarios=tuple(reading.scenario() for reading in readings) if len(readings) > 1 else (),
        main=main.scenario(),
        alternatives=alternatives_of(readings, context),
        assumptions=assumptions_of(question, main, context),
        sum=sum_of(main),
        choices=usual_choices(main),
    )


def main_reading(readings: list[Reading], question: Question) -> Reading:
    """The reading that the headline is about: as asked, or where the method is open the first that fits."""
    if question.slots.task != Task.FINETUNE:
        return readings[0]
    order = {"yes": 0, "tight": 1}
    return min(readings, key=lambda reading: order.get(reading.verdict or "", 2))


def _headline(main: Reading) -> Text:
    common = {
        "model": main.subject.label,
        "method": main.label,
        "cards": cards_said(main.n_gpus, main.cards),
        "n": main.n_gpus,
        "memory": memory_of(main),
        "usable": main.usable_gib,
        "counts": counts_said(main.counts),
    }
    if main.refused is not None:
        return say("feasibility.refused", why=refusal_of(main.refused), **common)
    if main.estimate is None or main.verdict is None:
        return say("feasibility.unknown", **common)
    key = f"feasibility.{main.verdict}"
    if main.verdict == "no" and main.counts.least is not None and main.counts.least <= main.n_gpus:
        key = "feasibility.no_context"  # fits that many cards as such, not at the length or load asked
    return say(key, **common)


def refusal_of(refused: InvalidWorkload) -> Text:
    return say("why.refused", field=refused.field, value=str(refused.value), accepted=refused.accepted)


def _open_headline(main: Reading, readings: list[Reading]) -> Text:
    rest = tuple(
        say("feasibility.also", method=reading.label, counts=counts_said(reading.counts))
        for reading in readings
        if reading is not main
    )
    if main.verdict in ("yes", "tight"):
        return say(
            f"feasibility.open_{main.verdict}",
            model=main.subject.label,
            method=main.label,
            cards=cards_said(main.n_gpus, main.cards),
            memory=memory_of(main),
            usable=main.usable_gib,
            rest=rest,
        )
    all_of_them = tuple(say("feasibility.also", method=r.label, counts=counts_said(r.counts)) for r in readings)
    return say("feasibility.open_no", model=main.subject.label, cards=cards_said(main.n_gpus, main.cards), rest=all_of_them)


def _short(reading: Reading, groups: list[list[Reading]]) -> Text:
    several_models = len({group[0].subject.label for group in groups}) > 1
    several_cards = len({(group[0].cards.label, group[0].n_gpus) for group in groups}) > 1
    return say(
        "feasibility.short",
        model=reading.subject.label if several_models else None,
        cards=cards_said(reading.n_gpus, reading.cards) if several_cards else None,
        method=reading.label,
        verdict=reading.verdict,
        memory=memory_of(reading),
        counts=counts_said(reading.counts) if reading.verdict == "no" else None,
    )


def _rows(groups: list[list[Reading]], context: AdviceContext) -> list[tuple[Cell, ...]]:
    rows = []
    for group in groups:
        for reading in group:
            label = row_label(reading, groups)
            rows += [row_of(step, label) for step in steps_of(reading, context)]
    return rows


def row_label(reading: Reading, groups: list[list[Reading]]) -> Say:
    several_models = len({group[0].subject.label for group in groups}) > 1
    several_cards = len({group[0].cards.label for group in groups}) > 1
    if not (several_models or several_cards):
        return reading.label
    return say(
        "cell.reading",
        model=reading.subject.label if several_models else None,
        gpu=reading.cards.label if several_cards else None,
        method=reading.label,
    )


def steps_of(reading: Reading, context: AdviceContext) -> list[Reading]:
    """The count asked about, then the fewest that start and the fewest with room, as far as they differ."""
    steps = [reading]
    if reading.verdict == "yes":
        return steps
    for count in (reading.counts.least, reading.counts.sure):
        if count is not None and count not in [step.n_gpus for step in steps]:
            steps.append(at_count(reading, count, context))
    if len(steps) > 1 and reading.verdict == "no" and reading.cards.count is None:
        steps = steps[1:]  # nobody asked about one card of them: what would do says it all
    return steps


def alternatives_of(readings: list[Reading], context: AdviceContext) -> tuple[Alternative, ...]:
    """What would do where the count asked about does not."""
    found = []
    for reading in readings:
        for step in steps_of(reading, context):
            memory = memory_of(step)
            if step is reading or memory is None or step.verdict is None:
                continue
            label = say("cell.on_cards", method=step.label, cards=cards_said(step.n_gpus, step.cards))
            found.append(Alternative(label, step.cards.label, step.n_gpus, step.task, step.verdict, memory))
    return tuple(found)


def assumptions_of(question: Question, main: Reading, context: AdviceContext) -> tuple[Assumption, ...]:
    """What was not said and changed a number: names, count, then the estimator's own defaults."""
    made = [*main.subject.assumed, *main.cards.assumed]
    if main.cards.count is None and question.slots.gpus and main.n_gpus == 1:
        made.append(Assumption("gpus[0].count", 1, say("why.one_card")))
    if main.estimate is not None:
        for item in main.estimate.assumptions:
            made.append(Assumption(item.slot, item.value, _why(item.slot, item.why, context)))
    if question.slots.task is None:
        made.append(Assumption("task", main.task, say("why.task")))
    return tuple(made)


def _why(slot: str, key: str, context: AdviceContext) -> Say:
    """The reason of a default, from `knowledge/defaults.yaml`."""
    from bot.advise.setup import bilingual_why

    for section in ("training", "serving"):
        entry = context.estimator.defaults.get(section, {})
        found = entry.get(key.rsplit(".", maxsplit=1)[-1]) or entry.get(slot)
        if isinstance(found, dict) and "why_en" in found:
            return bilingual_why(found)
    return say("why.default")
