"""The bill of a training run: GPU-hours from the estimator at the price of the hour, or its electricity."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from bot.advise.bills import Priced, price_said, priced_cards, rounded, with_price
from bot.advise.context import AdviceContext
from bot.advise.electricity import electricity_price, pue_in
from bot.advise.fit import Group, assumptions_of, label_in
from bot.advise.phrases import cards_said, sum_of
from bot.advise.pricing import Price
from bot.advise.readings import Reading, estimated
from bot.advise.runs import Length, length_of, training_of
from bot.advise.time import run_groups
from bot.answer import Answer, Band, Cell, Say, Table, Text, say
from bot.estimator import TrainingWorkload
from bot.question import Question

_LONG_RUN_H = 60 * 24  # from two months on, the number of cards that shortens it is said too
_USUAL_RUN_H = 30 * 24


def answer_run_cost(question: Question, context: AdviceContext) -> Answer:
    length = length_of(question.slots, context)
    groups = run_groups(question, length, context)
    prices = priced_cards(question, context)
    readings = [reading for group in groups for reading in group.readings]
    main = groups[0].main
    price = _price_for(main, prices)
    answer = Answer(
        question=question,
        headline=_headline(main, length, price, question, context),
        language=question.language,
        answered_from="estimator",
        table=_table(readings, groups, prices) if len(readings) > 1 else None,
        body=_cards_for_time(main, question),
        scenarios=tuple(reading.scenario() for reading in readings) if len(readings) > 1 else (),
        main=main.scenario(),
        assumptions=(*length.assumed, *assumptions_of(question, main, context)),
        sum=sum_of(main),
    )
    hours = _gpu_hours(main)
    if hours is None:
        return answer
    if question.slots.metric == "energy":
        return _with_electricity(answer, main, hours, context)
    if price is None:
        return answer
    return with_price(answer, Priced(main.cards, price), price.cost(hours.times(price.amount), "run", context), context)


def _gpu_hours(reading: Reading) -> Band | None:
    estimate = training_of(reading)
    return rounded(estimate.gpu_hours) if estimate and estimate.gpu_hours else None


def _price_for(reading: Reading, prices: list[Priced]) -> Price | None:
    return next((item.price for item in prices if item.cards.label == reading.cards.label), prices[0].price)


def _headline(main: Reading, length: Length, price: Price | None, question: Question, context: AdviceContext) -> Text:
    hours = _gpu_hours(main)
    estimate = training_of(main)
    wall = estimate.wall_hours if estimate else None
    common = {"model": main.subject.label, "method": main.label, "cards": cards_said(main.n_gpus, main.cards)}
    if hours is None:
        return say("cost.run_unknown", **common)
    if price is None:
        return say("cost.run_unpriced", gpu_hours=hours, tokens=length.tokens, **common)
    return say(
        "cost.run" if length.said else "cost.run_example",
        amount=rounded(hours.times(price.amount)),
        currency=price.currency,
        gpu_hours=hours,
        wall=wall if wall and (main.cards.count or wall.best <= _LONG_RUN_H) else None,
        tokens=length.tokens,
        gpu=main.cards.label,
        price=price_said(price, question, context),
        **common,
    )


def _cards_for_time(main: Reading, question: Question) -> tuple[Say, ...]:
    """How many cards finish in the time said, or in a month where the run would take long."""
    hours, estimate = _gpu_hours(main), training_of(main)
    wall = estimate.wall_hours if estimate else None
    wanted = question.slots.duration_h or (_USUAL_RUN_H if wall and wall.best > _LONG_RUN_H else None)
    if hours is None or wanted is None:
        return ()
    return (say("cost.cards_for_time", hours=wanted, n=ceil(hours.best / wanted), gpu=main.cards.label),)


def _table(readings: list[Reading], groups: list[Group], prices: list[Priced]) -> Table:
    heads = (say("column.method"), say("column.cards"), say("column.wall"), say("column.gpu_hours"), say("cost.head_cost"))
    return Table(heads, tuple(_row(reading, groups, _price_for(reading, prices)) for reading in readings))


def _row(reading: Reading, groups: list[Group], price: Price | None) -> tuple[Cell, ...]:
    estimate, hours = training_of(reading), _gpu_hours(reading)
    paid = (
        say("cost.amount", amount=rounded(hours.times(price.amount)), currency=price.currency) if hours and price else None
    )
    return (
        Cell(say("cell.start", text=label_in(reading, groups))),
        Cell(reading.n_gpus, "count"),
        Cell(estimate.wall_hours if estimate else None, "hours"),
        Cell(hours, "band"),
        Cell(paid),
    )


def _with_electricity(answer: Answer, main: Reading, hours: Band, context: AdviceContext) -> Answer:
    """The energy of the run instead of its rent, at the PUE of the message where there is one."""
    question = answer.question
    pue = pue_in(question.text)
    if pue is not None and isinstance(main.workload, TrainingWorkload):
        main = estimated(replace(main, workload=replace(main.workload, pue=pue)), context)
    estimate = training_of(main)
    energy = estimate.energy_mwh if estimate else None
    if energy is None or main.cards.gpu is None:
        return answer
    price = electricity_price(question, context)
    headline = say(
        "cost.run_electricity",
        model=main.subject.label,
        method=main.label,
        gpu=main.cards.label,
        gpu_hours=hours,
        mwh=rounded(energy),
        kwh=rounded(energy.times(1000)),
        amount=rounded(energy.times(1000 * price.amount)),
        currency=price.currency,
    )
    return replace(
        answer,
        headline=headline,
        table=None,
        main=main.scenario(),
        assumptions=(*assumptions_of(question, main, context), *price.assumed),
        sum=sum_of(main),
        sources=(main.cards.gpu.as_source(),),
    )
