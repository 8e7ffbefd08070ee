"""How long does it take? Hours of a run on the cards asked for, or on the fewest that hold it."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.fit import Group, assumptions_of, group_of, label_in
from bot.advise.help import ask_back
from bot.advise.money import hourly_said, price_for, sources_of
from bot.advise.phrases import cards_said, sum_of, usual_choices
from bot.advise.pricing import Price
from bot.advise.readings import Reading
from bot.advise.refusals import refusal_of
from bot.advise.runs import Length, length_of, run_of, training_of
from bot.advise.setup import cards_in, subjects_in, usual_cards
from bot.answer import Answer, Assumption, Cell, Say, Table, Text, say
from bot.question import Question, Task

_MOST_GROUPS = 4
_NODE = 8
_LARGEST = 2048
_USUAL_RUN_H = 30 * 24
_COLUMNS = (
    say("column.method"),
    say("column.cards"),
    say("column.tokens_per_card"),
    say("column.wall"),
    say("column.gpu_hours"),
)


def answer_time(question: Question, context: AdviceContext) -> Answer:
    """The time of a training run; a question about inference goes to its speed."""
    if question.slots.task == Task.INFERENCE:
        from bot.advise.throughput import answer_throughput

        return answer_throughput(question, context)
    subjects = subjects_in(question, context)
    if not subjects and question.slots.budget is not None:  # how long the money lasts
        from bot.advise.cost import answer_cost

        return answer_cost(question, context)
    if not subjects:
        return ask_back(question, "models")
    length = length_of(question.slots, context)
    groups = run_groups(question, length, context)
    return _answer(question, groups, length, context)


def run_groups(question: Question, length: Length, context: AdviceContext) -> list[Group]:
    """Models and cards with the time of the run. A task that is not said is training."""
    slots = question.slots
    training = question if slots.task else replace(question, slots=slots.with_(task=Task.FINETUNE))
    cards = cards_in(question, context) or (usual_cards(context),)
    pairs = [(subject, card) for subject in subjects_in(question, context) for card in cards][:_MOST_GROUPS]
    groups = [group_of(training, subject, card, context) for subject, card in pairs]
    cluster = max((_cluster(group, training, length, context) for group in groups), default=0)
    if cluster:
        groups = [_on_cluster(group, cluster, training, context) for group in groups]
    return [_timed(group, length, context) for group in groups]


def _timed(group: Group, length: Length, context: AdviceContext) -> Group:
    readings = tuple(run_of(reading, length, context) for reading in group.readings)
    return replace(group, readings=readings, main=readings[group.readings.index(group.main)])


def _cluster(group: Group, question: Question, length: Length, context: AdviceContext) -> int:
    """Cards on which pretraining of a told length ends in about a month; 0 where a count is told, or none can be told.

    The fewest cards that hold a job are slow: Mixtral-8x7B takes twice the GPU-hours on the 16 H100 that just hold it.
    """
    least = group.main.counts.n_sure or group.main.counts.n_least
    if group.cards.count or group.main.task != "pretrain" or not length.said or least is None:
        return 0
    count = max(_NODE, 2 * least)
    roomy = group_of(question, group.subject, group.cards, context, n_gpus=count).main
    estimate = training_of(run_of(roomy, length, context))
    if estimate is None or estimate.gpu_hours is None:
        return 0
    while count < _LARGEST and estimate.gpu_hours.best / count > _USUAL_RUN_H:
        count *= 2
    return count


def _on_cluster(group: Group, count: int, question: Question, context: AdviceContext) -> Group:
    if group.cards.count:
        return group
    assumed = Assumption("gpus[0].count", count, say("why.example"))
    cards = replace(group.cards, assumed=(*group.cards.assumed, assumed))
    return group_of(question, group.subject, cards, context, n_gpus=count)


def _answer(question: Question, groups: list[Group], length: Length, context: AdviceContext) -> Answer:
    main = groups[0].main
    readings = [reading for group in groups for reading in group.readings]
    price = price_for(main.cards.gpu, question, context)
    estimate = training_of(main)
    hours = estimate.gpu_hours if estimate else None
    return Answer(
        question=question,
        headline=_headline(main, length) if len(groups) == 1 else _several(groups, length),
        language=question.language,
        verdict=None,
        answered_from="estimator",
        body=_priced(price, main, length, context),
        table=Table(
            _COLUMNS, tuple(_row(reading, groups) for reading in readings), say("time.caption", tokens=length.tokens)
        ),
        scenarios=tuple(reading.scenario() for reading in readings) if len(readings) > 1 else (),
        main=main.scenario(),
        assumptions=(*length.assumed, *assumptions_of(question, main, context)),
        sources=sources_of([price], context),
        sum=sum_of(main),
        cost=price.cost(hours.times(price.amount), "run", context) if price and hours else None,
        choices=usual_choices(main),
    )


def _priced(price: Price | None, main: Reading, length: Length, context: AdviceContext) -> tuple[Say, ...]:
    """The price of an hour, and of the run where its length is told."""
    if price is None:
        return ()
    hourly = hourly_said(price, main.n_gpus, main.cards, context)
    estimate = training_of(main)
    hours = estimate.gpu_hours if estimate else None
    if hours is None or not length.said:
        return (hourly,)
    return (hourly, say("time.cost", amount=hours.times(price.amount), currency=price.currency))


def _headline(main: Reading, length: Length) -> Text:
    estimate = training_of(main)
    common = {"model": main.subject.label, "method": main.label, "cards": cards_said(main.n_gpus, main.cards)}
    if main.refused is not None:
        return say("feasibility.refused", why=refusal_of(main), **common)
    if estimate is None or estimate.wall_hours is None:
        return say("time.unknown", **common)
    key = "time.said" if length.said else "time.example"
    return say(
        key,
        tokens=length.tokens,
        wall=estimate.wall_hours,
        gpu_hours=estimate.gpu_hours,
        n=main.n_gpus,
        verdict=main.verdict,
        **common,
    )


def _several(groups: list[Group], length: Length) -> Text:
    """The time of each model or card in a few words."""
    items = tuple(_in_short(group, groups) for group in groups)
    return say("time.several", tokens=length.tokens, said=length.said, items=items)


def _in_short(group: Group, groups: list[Group]) -> Text:
    estimate = training_of(group.main)
    wall = estimate.wall_hours if estimate else None
    return say("time.part", what=label_in(group.main, groups), cards=cards_said(group.main.n_gpus, group.cards), wall=wall)


def _row(reading: Reading, groups: list[Group]) -> tuple[Cell, ...]:
    estimate = training_of(reading)
    return (
        Cell(say("cell.start", text=label_in(reading, groups))),
        Cell(reading.n_gpus, "count"),
        Cell(estimate.tokens_per_s_per_gpu if estimate else None, "tokens_per_s"),
        Cell(estimate.wall_hours if estimate else None, "hours"),
        Cell(estimate.gpu_hours if estimate else None, "band"),
    )
