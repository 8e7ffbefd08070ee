"""Which cards? The fewest of each card that hold the job, as three plans: economy, recommended, with headroom."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of
from bot.advise.help import ask_back
from bot.advise.largest import answer_largest
from bot.advise.money import sources_of
from bot.advise.phrases import card_sources, cards_said, sum_of, usual_choices, verdict_cell
from bot.advise.pricing import HOURS
from bot.advise.readings import format_of
from bot.advise.setup import cards_in, subjects_in
from bot.advise.ways import NODE, Way, money_of, sensible_ways, within
from bot.answer import Alternative, Answer, Band, Cell, Cost, Say, Table, Text, say
from bot.question import Question

_SHOWN = 5
_HEADROOM = 1.5  # the third plan has at least half as much memory again as the job needs
_COLUMNS = (
    say("column.plan"),
    say("column.gib_per_card"),
    say("column.verdict"),
    say("column.price_hour"),
)


def answer_recommend(question: Question, context: AdviceContext) -> Answer:
    subjects = subjects_in(question, context)
    if not subjects:
        return _without_model(question, context)
    ways = within(sensible_ways(question, subjects[0], context), question.slots.budget, question, context)
    if not ways:
        from bot.advise.sizing import answer_sizing

        return answer_sizing(question, context)
    return _answer(question, ways, context)


def _without_model(question: Question, context: AdviceContext) -> Answer:
    """Cards in hand: the largest model for them. A card to get: its prices. Neither: for what?"""
    cards = cards_in(question, context)
    if cards and (question.slots.models or question.slots.task or (cards[0].count or 1) > 1):
        return answer_largest(question, context)
    if cards:
        from bot.advise.prices import answer_price_lookup

        return answer_price_lookup(question, context)
    return ask_back(question, "recommend")


def _plans(ways: list[Way]) -> dict[str, Way]:
    """The cheapest in any format; the cheapest as published on few cards; the cheapest with half as much memory again."""
    published = [way for way in ways if not way.smaller] or ways
    sure = [way for way in published if way.reading.verdict == "yes"] or published
    roomy = [way for way in sure if way.room >= _HEADROOM] or sure
    return {"economy": ways[0], "recommended": min(sure, key=_sensible), "headroom": roomy[0]}


def _sensible(way: Way) -> tuple[bool, bool, bool, float]:
    """One node before several, joined cards before loose ones, then by price."""
    return way.reading.n_gpus > NODE, not way.joined, way.hourly is None, way.hourly or 0.0


def _answer(question: Question, ways: list[Way], context: AdviceContext) -> Answer:
    plans = _plans(ways)
    best = plans["economy" if asks(question, "cheapest", context) else "recommended"]
    listed = [*plans.values(), *(way for way in ways if not way.smaller), *ways]
    shown = list({id(way): way for way in listed}.values())[:_SHOWN]
    main = best.reading
    return Answer(
        question=question,
        headline=_headline(question, plans, best, context),
        language=question.language,
        verdict=main.verdict,
        answered_from="estimator",
        table=Table(_COLUMNS, tuple(_row(way, plans, varied=_varied(shown)) for way in shown)),
        body=_trade_off(plans["economy"]),
        main=main.scenario(),
        alternatives=tuple(_alternative(way, context) for way in shown if way is not best),
        assumptions=assumptions_of(question, replace(main, cards=replace(main.cards, count=main.n_gpus)), context),
        sources=(*sources_of([way.price for way in shown], context), *card_sources(main)),
        sum=sum_of(main),
        cost=_hourly_cost(best, context),
        choices=usual_choices(main),
    )


def _headline(question: Question, plans: dict[str, Way], best: Way, context: AdviceContext) -> Text:
    """The plan and its price, against the budget where one is told; then the plan at the other end."""
    other = plans["recommended"] if best is plans["economy"] else plans["economy"]
    differs = other is not best
    return say(
        "recommend.headline",
        method=best.reading.label,
        model=best.reading.subject.label,
        cards=_said(best),
        hourly=best.hourly,
        currency=best.price.currency if best.price else None,
        budget=_against_budget(question, best, context),
        other=_said(other) if differs else None,
        other_hourly=other.hourly if differs else None,
        other_cheaper=other is plans["economy"],
        other_tight=other.reading.verdict == "tight",
        other_weights=format_of(other.reading) if differs and _varied([best, other]) else None,
    )


def _said(way: Way) -> Text:
    return cards_said(way.reading.n_gpus, way.reading.cards)


def _against_budget(question: Question, way: Way, context: AdviceContext) -> Text | None:
    """What the plan comes to in the budget's period, or how long the money lasts where it is told without one."""
    budget = question.slots.budget
    if budget is None or way.price is None or not way.hourly:
        return None
    given, money = money_of(budget, way.price.currency, question, context)
    period = HOURS.get(budget.period or "")
    common = {"budget": budget.amount, "given": given, "period": budget.period, "currency": way.price.currency}
    if period is None:
        return say("recommend.lasts", hours=money / way.hourly, **common)
    bill = way.hourly * period
    return say("recommend.within" if bill <= money else "recommend.over", bill=bill, **common)


def _trade_off(economy: Way) -> tuple[Say, ...]:
    """What weights of fewer bits cost, where the economy plan takes them."""
    if not economy.smaller:
        return ()
    eight = format_of(economy.reading) == "fp8"
    return (say("recommend.eight_bit" if eight else "recommend.four_bit", weights=format_of(economy.reading)),)


def _varied(ways: list[Way]) -> bool:
    """Whether the plans differ in their weights, so that each has to say which."""
    return len({format_of(way.reading) for way in ways}) > 1


def _row(way: Way, plans: dict[str, Way], *, varied: bool) -> tuple[Cell, ...]:
    roles = tuple(say(f"plan.{name}") for name, chosen in plans.items() if chosen is way)
    weights = format_of(way.reading) if varied else None
    currency = way.price.currency if way.price else None
    return (
        Cell(say("recommend.row", cards=_said(way), weights=weights, roles=roles)),
        Cell(way.reading.memory, "gib"),
        verdict_cell(way.reading),
        Cell(say("prices.amount", price=way.hourly, currency=currency) if way.hourly else None),
    )


def _hourly_cost(way: Way, context: AdviceContext) -> Cost | None:
    return way.price.cost(Band.exact(way.hourly), "hour", context) if way.price and way.hourly else None


def _alternative(way: Way, context: AdviceContext) -> Alternative:
    reading = way.reading
    assert reading.memory is not None
    assert reading.verdict is not None
    return Alternative(
        label=say("cell.on_cards", method=reading.label, cards=cards_said(reading.n_gpus, reading.cards)),
        gpu=reading.cards.label,
        n_gpus=reading.n_gpus,
        method=reading.task,
        verdict=reading.verdict,
        memory_gib_per_gpu=reading.memory,
        cost=_hourly_cost(way, context),
    )
