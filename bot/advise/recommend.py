"""Which cards? The fewest of each card that hold the job, as three plans: economy, recommended, with headroom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of, group_of
from bot.advise.help import ask_back
from bot.advise.largest import answer_largest
from bot.advise.money import price_for, sources_of
from bot.advise.phrases import cards_said, sum_of, usual_choices, verdict_cell
from bot.advise.pricing import Price
from bot.advise.readings import Plan, Reading, on_plan
from bot.advise.setup import Cards, Subject, cards_in, gpu_label, subjects_in, usual
from bot.answer import Alternative, Answer, Band, Cell, Cost, Table, Text, say
from bot.question import Money, Question

_SHOWN = 5
_NODE = 8
_PAIR = 2  # two cards work together over PCIe well enough
_HEADROOM = 1.5  # the third plan has at least half as much memory again as the job needs
_COLUMNS = (
    say("column.plan"),
    say("column.gib_per_card"),
    say("column.verdict"),
    say("column.price_hour"),
)


@dataclass(frozen=True, slots=True)
class Way:
    """Cards of one kind that hold the job, with their price an hour."""

    reading: Reading
    price: Price | None

    @property
    def hourly(self) -> float | None:
        return self.price.amount * self.reading.n_gpus if self.price else None

    @property
    def room(self) -> float:
        """Memory of all the cards over the need."""
        memory, usable = self.reading.memory, self.reading.usable_gib
        return usable / memory.best if memory and usable else 0.0


def answer_recommend(question: Question, context: AdviceContext) -> Answer:
    subjects = subjects_in(question, context)
    if not subjects:
        return _without_model(question, context)
    ways = _within(_ways(question, subjects[0], context), question.slots.budget)
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


def _ways(question: Question, subject: Subject, context: AdviceContext) -> list[Way]:
    """Cards that are named, or all that are usually on offer, cheapest first; those without a price come last."""
    named = cards_in(question, context)
    offered = named if len(named) > 1 else (*named, *_others(named, context))
    found = []
    for cards in offered:
        main = group_of(question, subject, cards, context).main
        plan: Plan | None = main.counts.sure or main.counts.least
        if main.verdict != "yes" and plan is not None:
            main = on_plan(main, plan, "yes" if main.counts.sure else "tight")
        if main.verdict in ("yes", "tight"):
            found.append(Way(main, price_for(cards.gpu, question, context)))
    return sorted(found, key=lambda way: (way.hourly is None, way.hourly or 0, way.reading.n_gpus))


def _others(named: tuple[Cards, ...], context: AdviceContext) -> tuple[Cards, ...]:
    """What is usually on offer, besides a card that is named."""
    own = {cards.gpu.id for cards in named if cards.gpu}
    cards = (_card(name, context) for name in usual(context.folder)["cards_to_offer"])
    return tuple(card for card in cards if card.gpu and card.gpu.id not in own)


def _card(name: str, context: AdviceContext) -> Cards:
    return Cards(gpu_label(name), context.specs.gpu(name))


def _within(ways: list[Way], budget: Money | None) -> list[Way]:
    """Ways that an hourly budget in dollars pays for; other budgets say nothing about an hour."""
    if budget is None or budget.period != "hour" or budget.currency not in (None, "USD"):
        return ways
    return [
        way for way in ways if way.hourly is not None and Decimal(str(way.hourly)) <= Decimal(str(budget.amount))
    ] or ways


def _plans(ways: list[Way]) -> dict[str, Way]:
    """The cheapest; the cheapest that surely fits on few cards; the cheapest with half as much memory again."""
    economy = ways[0]
    sure = [way for way in ways if way.reading.verdict == "yes"] or ways
    recommended = min(sure, key=_sensible)
    roomy = [way for way in sure if way.room >= _HEADROOM] or sure
    return {"economy": economy, "recommended": recommended, "headroom": roomy[0]}


def _sensible(way: Way) -> tuple[bool, bool, bool, float]:
    """One node before several, joined cards before loose ones, then by price."""
    n_gpus, gpu = way.reading.n_gpus, way.reading.cards.gpu
    joined = n_gpus <= _PAIR or (gpu is not None and gpu.link_domain >= n_gpus)
    return n_gpus > _NODE, not joined, way.hourly is None, way.hourly or 0.0


def _answer(question: Question, ways: list[Way], context: AdviceContext) -> Answer:
    plans = _plans(ways)
    best = plans["recommended"]
    shown = list(dict.fromkeys([*(id(way) for way in plans.values()), *(id(way) for way in ways)]))[:_SHOWN]
    by_id = {id(way): way for way in ways}
    rows = tuple(_row(by_id[key], plans) for key in shown)
    main = best.reading
    return Answer(
        question=question,
        headline=_headline(plans),
        language=question.language,
        verdict=main.verdict,
        answered_from="estimator",
        table=Table(_COLUMNS, rows),
        main=main.scenario(),
        alternatives=tuple(_alternative(by_id[key], context) for key in shown if by_id[key] is not best),
        assumptions=assumptions_of(question, replace(main, cards=replace(main.cards, count=main.n_gpus)), context),
        sources=sources_of([by_id[key].price for key in shown], context),
        sum=sum_of(main),
        cost=_hourly_cost(best, context),
        choices=usual_choices(main),
    )


def _headline(plans: dict[str, Way]) -> Text:
    best, cheap = plans["recommended"], plans["economy"]
    return say(
        "recommend.headline",
        method=best.reading.label,
        model=best.reading.subject.label,
        cards=cards_said(best.reading.n_gpus, best.reading.cards),
        hourly=best.hourly,
        cheaper=cards_said(cheap.reading.n_gpus, cheap.reading.cards) if cheap is not best else None,
        cheaper_hourly=cheap.hourly if cheap is not best else None,
        cheaper_tight=cheap.reading.verdict == "tight",
    )


def _row(way: Way, plans: dict[str, Way]) -> tuple[Cell, ...]:
    roles = tuple(say(f"plan.{name}") for name, chosen in plans.items() if chosen is way)
    label = say("recommend.row", cards=cards_said(way.reading.n_gpus, way.reading.cards), roles=roles)
    return (
        Cell(label),
        Cell(way.reading.memory, "gib"),
        verdict_cell(way.reading),
        Cell(way.hourly, "usd"),
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
