"""A budget and a model, and no card: the cheapest cards for each way of using the model, and how far the money goes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of, tasks_of
from bot.advise.money import sources_of
from bot.advise.phrases import card_sources, cards_said, sum_of, usual_choices
from bot.advise.pricing import HOURS, to_currency
from bot.advise.runs import training_of
from bot.advise.setup import Subject, subjects_in
from bot.advise.ways import Way, sensible_ways
from bot.answer import Answer, Assumption, Band, Cell, Table, Text, say
from bot.question import Action, Money, Question, Task

_COLUMNS = (say("column.method"), say("column.cards"), say("column.price_hour"), say("afford.hours"), say("afford.tokens"))


@dataclass(frozen=True, slots=True)
class Bought:
    """What the budget buys of one way: hours of its cards, and the tokens trained in them."""

    way: Way
    hours: float

    @property
    def tokens(self) -> Band | None:
        """Tokens of a training run that long; None for serving."""
        estimate = training_of(self.way.reading)
        speed = estimate.tokens_per_s_per_gpu if estimate else None
        return speed.times(self.way.reading.n_gpus * 3600 * self.hours) if speed else None

    @property
    def told_tokens(self) -> float | None:
        """The same as it is told, in two digits: speeds are not known better."""
        return float(f"{self.tokens.best:.2g}") if self.tokens else None


def answer_afford(question: Question, context: AdviceContext) -> Answer | None:
    """A row a method on the cards that make it cheapest; None where nothing that would do has a price."""
    budget, subjects = question.slots.budget, subjects_in(question, context)
    if budget is None or not subjects:
        return None
    if question.slots.task == Task.INFERENCE:  # a service runs on: its plans are held against the budget
        from bot.advise.recommend import answer_recommend

        return answer_recommend(replace(question, action=Action.ANSWER), context)
    currency = budget.currency or ("CNY" if question.language == "zh" else "USD")
    dollars = to_currency(budget.amount, currency, "USD", context.now.date())
    if dollars is None:
        return None
    found = [_bought(task, question, subjects[0], dollars, context) for task in tasks_of(question)]
    bought = [item for item in found if item]
    if not bought:
        return None
    question = replace(question, action=Action.ANSWER)
    main = bought[0]
    assumed = () if budget.currency else (Assumption("budget.currency", currency, say("cost.why_currency")),)
    return Answer(
        question=question,
        headline=_headline(bought, budget, currency),
        language=question.language,
        answered_from="estimator",
        verdict=main.way.reading.verdict,
        table=Table(_COLUMNS, tuple(_row(item) for item in bought)),
        main=main.way.reading.scenario(),
        body=(say("afford.rented"),),
        assumptions=(*assumed, *assumptions_of(question, main.way.reading, context)),
        sources=(*sources_of([item.way.price for item in bought], context), *card_sources(main.way.reading)),
        sum=sum_of(main.way.reading),
        choices=usual_choices(main.way.reading),
    )


def _bought(task: str, question: Question, subject: Subject, dollars: float, context: AdviceContext) -> Bought | None:
    """The way that trains most for the money; for serving the one that runs longest."""
    asked = replace(question, slots=question.slots.with_(task=Task(task), budget=None), tasks=())
    ways = (Bought(way, dollars / way.hourly) for way in sensible_ways(asked, subject, context) if way.hourly)
    return max(ways, key=lambda item: (item.tokens.best if item.tokens else 0.0, item.hours), default=None)


def _headline(bought: list[Bought], budget: Money, currency: str) -> Text:
    main = bought[0]
    return say(
        "afford.headline",
        budget=budget.amount,
        currency=currency,
        period=budget.period if budget.period in HOURS else None,
        model=main.way.reading.subject.label,
        method=main.way.reading.label,
        cards=cards_said(main.way.reading.n_gpus, main.way.reading.cards),
        hours=main.hours,
        tokens=main.told_tokens,
    )


def _row(item: Bought) -> tuple[Cell, ...]:
    reading = item.way.reading
    return (
        Cell(say("cell.start", text=reading.label)),
        Cell(say("cell.start", text=cards_said(reading.n_gpus, reading.cards))),
        Cell(item.way.hourly, "usd"),
        Cell(item.hours, "hours"),
        Cell(item.told_tokens, "compact"),
    )
