"""What it costs: cards for a time and how far a budget goes; training runs, services and electricity by their modules."""

from __future__ import annotations

from bot.advise.bills import Priced, no_price, price_said, priced_cards, with_price
from bot.advise.context import AdviceContext
from bot.advise.help import ask_back
from bot.advise.phrases import cards_said
from bot.advise.pricing import HOURS, Price, to_currency
from bot.advise.setup import Cards, cards_in, subjects_in
from bot.answer import Answer, Assumption, Band, Cell, Say, Table, say
from bot.question import Money, Question, Slots, Task

_SHOWN_PERIODS = ("hour", "day", "month")
_BUDGET_COUNTS = (1, 2, 4, 8, 16, 32, 64)


def answer_cost(question: Question, context: AdviceContext) -> Answer:
    """By what the question gives: a run to estimate, a service, a bill of electricity, a budget, or cards for a time."""
    slots = question.slots
    cards, subjects = cards_in(question, context), subjects_in(question, context)
    if subjects and slots.task == Task.INFERENCE and slots.metric != "energy":
        from bot.advise.service_cost import answer_service_cost

        return answer_service_cost(question, context)
    if subjects and _is_run(slots):
        from bot.advise.run_cost import answer_run_cost

        return answer_run_cost(question, context)
    if slots.metric == "energy" and cards and cards[0].gpu:
        from bot.advise.electricity import electricity_answer

        hours = slots.duration_h or HOURS["year"]
        answer = electricity_answer(cards[0], hours, question, context)
        if answer is not None:
            return answer
    if not cards and not subjects:
        return ask_back(question, "gpus")
    budget = slots.budget
    if (
        budget is not None
        and not slots.duration_h
        and (budget.period in (None, "once") or cards[:1] == () or not cards[0].count)
    ):
        return _budget(question, budget, priced_cards(question, context), context)
    return _rent(question, priced_cards(question, context), context)


def _is_run(slots: Slots) -> bool:
    """Whether the length of the run is told or has to be worked out, rather than cards for a stated time."""
    told = bool(slots.tokens or slots.dataset_samples or slots.dataset_gb)
    return told or (not slots.duration_h and slots.budget is None)


def _rent(question: Question, priced: list[Priced], context: AdviceContext) -> Answer:
    """Cards for a time: `8 x V100 for 6 days`; without a time by the hour, the day and the month."""
    hours = question.slots.duration_h
    known = [item for item in priced if item.price is not None]
    if not known:
        return no_price(question, priced, context)
    first = known[0]
    assert first.price is not None
    amount = first.price.amount * first.count * (hours or 1)
    headline = say(
        "cost.rent" if hours else "cost.rent_hourly",
        n=first.count,
        gpu=first.cards.label,
        hours=hours,
        gpu_hours=first.count * (hours or 1),
        amount=amount,
        month=first.price.amount * first.count * HOURS["month"],
        currency=first.price.currency,
        price=price_said(first.price, question, context),
    )
    answer = Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="catalog",
        table=_rent_table(known, hours) if len(known) > 1 or not hours else None,
        body=_within_budget(first.price, first.count, question, context),
        assumptions=_count_assumed(first.cards),
    )
    return with_price(answer, first, first.price.cost(Band.exact(amount), "run" if hours else "hour", context), context)


def _rent_table(priced: list[Priced], hours: float | None) -> Table:
    """One row a kind of card: by the hour, day and month, and for the time asked."""
    heads: tuple[Say, ...] = (say("column.cards"), *(say(f"cost.head_{period}") for period in _SHOWN_PERIODS))
    rows = []
    for item in priced:
        assert item.price is not None
        hourly, currency = item.price.amount * item.count, item.price.currency
        amounts = [hourly * HOURS[period] for period in _SHOWN_PERIODS] + ([hourly * hours] if hours else [])
        cells = (Cell(say("prices.amount", price=amount, currency=currency)) for amount in amounts)
        rows.append((Cell(cards_said(item.count, item.cards)), *cells))
    return Table((*heads, say("cost.head_asked")) if hours else heads, tuple(rows))


def _within_budget(price: Price, count: int, question: Question, context: AdviceContext) -> tuple[Say, ...]:
    """Whether what it costs a month stays within the budget a month."""
    budget = question.slots.budget
    period = HOURS.get(budget.period or "") if budget else None
    if budget is None or period is None:
        return ()
    given, money = _budget_in(budget, price, question, context)
    bill = price.amount * count * period
    key = "cost.within_budget" if bill <= money else "cost.over_budget"
    return (say(key, budget=budget.amount, given=given, period=budget.period, bill=bill, currency=price.currency),)


def _budget_in(budget: Money, price: Price, question: Question, context: AdviceContext) -> tuple[str, float]:
    """(currency of the budget, its amount in that of the price); one that nobody quotes is taken for the price's own."""
    given = budget.currency or ("CNY" if question.language == "zh" else price.currency)
    converted = to_currency(budget.amount, given, price.currency, context.now.date())
    return (given, converted) if converted is not None else (price.currency, budget.amount)


def _budget(question: Question, budget: Money, priced: list[Priced], context: AdviceContext) -> Answer:
    """How long, or how many, for the money: hours for the count said, else the counts that a month allows."""
    known = [item for item in priced if item.price is not None]
    if not known:
        return no_price(question, priced, context)
    first = known[0]
    assert first.price is not None
    given, money = _budget_in(budget, first.price, question, context)
    gpu_hours = money / first.price.amount
    period = HOURS.get(budget.period or "once")
    headline = say(
        "cost.budget_many" if period and first.cards.count is None else "cost.budget_long",
        budget=budget.amount,
        currency=given,
        period=budget.period,
        gpu=first.cards.label,
        n=first.count,
        most=int(gpu_hours / period) if period else None,
        gpu_hours=gpu_hours,
        hours=gpu_hours / first.count,
        price=price_said(first.price, question, context),
    )
    counts = [n for n in sorted({*_BUDGET_COUNTS, first.count}) if gpu_hours / n >= 1]
    rows = tuple((Cell(n, "count"), Cell(gpu_hours / n, "hours")) for n in counts)
    answer = Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="catalog",
        table=Table((say("column.cards"), say("cost.head_lasts")), rows) if rows and not period else None,
        assumptions=() if budget.currency == given else (Assumption("budget.currency", given, say("cost.why_currency")),),
    )
    return with_price(answer, first, first.price.cost(Band.exact(money), "run", context), context)


def _count_assumed(cards: Cards) -> tuple[Assumption, ...]:
    counted = () if cards.count else (Assumption("gpus[0].count", 1, say("why.one_card")),)
    return (*cards.assumed, *counted)
