"""How much memory, how many cards: the fewest that start and the fewest with room to spare."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.deadline import answer_deadline, has_deadline
from bot.advise.feasibility import answer_feasibility
from bot.advise.fit import Group, fit_answer, group_of, label_in, main_of, tasks_of, without_card
from bot.advise.help import ask_back
from bot.advise.ladder import savings_of, way_out
from bot.advise.phrases import cards_said, counts_said, is_over, safe_said, weights_label
from bot.advise.readings import Reading, format_of, on_plan
from bot.advise.refusals import refusal_of
from bot.advise.setup import Cards, Subject, cards_in, subjects_in, usual_cards
from bot.answer import Answer, Assumption, Cell, Table, Text, say
from bot.estimator import ServingWorkload
from bot.question import Question

_MOST_GROUPS = 6
_USUAL_RUN_H = 30 * 24  # a pretraining run that nobody set a deadline for


def answer_sizing(question: Question, context: AdviceContext) -> Answer:
    subjects, cards = subjects_in(question, context), cards_in(question, context)
    if not subjects:
        if question.slots.budget is not None and cards:  # how many of these cards the money pays for
            from bot.advise.cost import answer_cost

            return answer_cost(question, context)
        from bot.advise.open_question import answer_open

        return answer_open(question, "models", context) or ask_back(question, "models")
    if not cards and question.slots.budget is not None:
        from bot.advise.afford import answer_afford

        afforded = answer_afford(question, context)
        if afforded is not None:
            return afforded
    if not cards and not has_deadline(question) and _pretrains(question):
        return _in_a_month(question, context)
    if not cards and not has_deadline(question):
        return _in_all(question, subjects, context)
    cards = cards or (usual_cards(context),)
    if cards[0].count is not None:
        return answer_feasibility(question, context)
    if question.slots.qps and tasks_of(question) == ("inference",):
        from bot.advise.load import answer_load

        carried = answer_load(question, subjects[0], cards[0], context)
        if carried is not None:
            return carried
    pairs = [(subject, card) for subject in subjects for card in cards][:_MOST_GROUPS]
    if has_deadline(question):
        asked = [group_of(question, subject, card, context) for subject, card in pairs]
        in_time = answer_deadline(question, asked, context)
        if in_time is not None:
            return in_time
    groups = [_on_fewest(group_of(question, subject, card, context), question) for subject, card in pairs]
    answer = _how_many(question, groups, context)
    return replace(answer, verdict=None)


def _pretrains(question: Question) -> bool:
    """A run of so many tokens that time, not memory, decides the number of cards."""
    return bool(question.slots.tokens) and tasks_of(question) == ("pretrain",)


def _in_a_month(question: Question, context: AdviceContext) -> Answer:
    """The same with a usual deadline, since none is told."""
    months = replace(question, slots=question.slots.with_(duration_h=_USUAL_RUN_H))
    answer = answer_sizing(months, context)
    assumed = Assumption("duration_h", _USUAL_RUN_H, say("why.example"))
    return replace(answer, question=question, assumptions=(assumed, *answer.assumptions))


def _on_fewest(group: Group, question: Question) -> Group:
    """Every reading on the fewest cards that hold it."""
    readings = tuple(_fewest(reading) for reading in group.readings)
    return replace(group, readings=readings, main=main_of(readings, question))


def _fewest(reading: Reading) -> Reading:
    least, sure = reading.counts.least, reading.counts.sure
    if least is None:
        return reading
    return on_plan(reading, least, "yes" if sure is not None and sure.n_gpus == least.n_gpus else "tight")


def _how_many(question: Question, groups: list[Group], context: AdviceContext) -> Answer:
    readings = [reading for group in groups for reading in group.readings]
    if all(reading.task == "inference" for reading in readings):
        from bot.advise.serving import serving_answer

        return serving_answer(question, groups, context, how_many=True)
    main = groups[0].main
    if len(readings) == 1:
        if main.refused is not None:
            headline = say("feasibility.refused", why=refusal_of(main), **_common(main))
        else:
            key = "sizing.one_named" if main.counts.n_least else "sizing.none_named"
            headline = say(key, **{**_common(main), "counts": counts_said(main.counts, main.cards.label)})
    else:
        parts = tuple(_part(reading, groups) for reading in readings)
        headline = say("sizing.several_named", model=_one_model(groups), gpu=_one_gpu(groups), items=parts)
    return fit_answer(question, groups, headline, context)


def _part(reading: Reading, groups: list[Group]) -> Text:
    key = "sizing.part_named" if reading.counts.n_least else "feasibility.also_none"
    return say(key, method=label_in(reading, groups), counts=counts_said(reading.counts))


def _one_model(groups: list[Group]) -> str | None:
    labels = {group.subject.label for group in groups}
    return labels.pop() if len(labels) == 1 else None


def _one_gpu(groups: list[Group]) -> str | None:
    labels = {group.cards.label for group in groups}
    return labels.pop() if len(labels) == 1 else None


def _common(reading: Reading) -> dict[str, object]:
    return {
        "model": reading.subject.label,
        "method": reading.label,
        "gpu": reading.cards.label,
        "cards": cards_said(reading.n_gpus, reading.cards),
        "n": reading.n_gpus,
        "memory": reading.memory,
        "usable": reading.usable_gib,
        "counts": counts_said(reading.counts),
        "least": reading.counts.n_least,
        "longest": reading.longest,
    }


def _in_all(question: Question, subjects: tuple[Subject, ...], context: AdviceContext) -> Answer:
    """No card is named: what one card that held everything would need, and how many of the usual card that makes."""
    usual_card = usual_cards(context)
    groups = [_needed(question, subject, usual_card, context) for subject in subjects[:_MOST_GROUPS]]
    readings = [reading for group in groups for reading in group.readings]
    if len(readings) == 1:
        headline = _in_all_headline(readings[0], usual_card, context)
    else:
        parts = tuple(say("sizing.part", method=label_in(r, groups), memory=r.memory) for r in readings)
        headline = say("sizing.several", model=_one_model(groups), items=parts)
    columns = (say("column.method"), say("column.gib_in_all"), say("column.cards_of", gpu=usual_card.label))
    rows = tuple(
        (Cell(say("cell.start", text=label_in(r, groups))), Cell(r.memory, "gib"), Cell(counts_said(r.counts)))
        for r in readings
    )
    answer = fit_answer(question, groups, headline, context)
    return replace(answer, verdict=None, table=Table(columns, rows))


def _in_all_headline(reading: Reading, usual_card: Cards, context: AdviceContext) -> Text:
    common = {**_common(reading), "gpu": usual_card.label}
    least = reading.counts.least
    fewest = on_plan(reading, least, "tight") if least and least is not reading.counts.sure else None
    if fewest and is_over(fewest):
        return _over_headline(fewest, common, context)
    if not isinstance(reading.workload, ServingWorkload):
        return say("sizing.one", **common)
    users = reading.workload.concurrency
    weights = weights_label(format_of(reading))
    return say("serve.in_all", weights=weights, users=users if isinstance(users, int) else 1, **common)


def _over_headline(fewest: Reading, common: dict[str, object], context: AdviceContext) -> Text:
    """The fewest cards start it with luck only: what makes it fit there, and how many are safe."""
    step = way_out(savings_of(fewest, context))
    safe = safe_said(fewest.counts) if fewest.counts.n_sure else None
    more = {"n_least": fewest.n_gpus, "step": step.change if step else None, "left": step.left_gib if step else None}
    return say("sizing.one_over", safe=safe, **more, **common)


def _needed(question: Question, subject: Subject, usual_card: Cards, context: AdviceContext) -> Group:
    """Memory without a card, counts on the usual one."""
    needed = group_of(question, subject, without_card(usual_card), context, n_gpus=1)
    counted = group_of(question, subject, usual_card, context, n_gpus=1)
    asked = (reading for reading in counted.readings if not reading.names_weights)
    readings = tuple(
        replace(need, cards=usual_card).with_counts(count.counts) for need, count in zip(needed.readings, asked, strict=True)
    )
    return Group(subject, usual_card, readings, main_of(readings, question))
