"""What it costs: cards for a time, a training run, a service, electricity; and how far a budget goes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.electricity import electricity_answer
from bot.advise.fit import Group, assumptions_of, group_of, label_in
from bot.advise.help import ask_back
from bot.advise.phrases import cards_said, sum_of
from bot.advise.prices import billing_said
from bot.advise.pricing import (
    HOURS,
    Price,
    in_readers_money,
    offer_source,
    price_of,
    provider_name,
    read_said,
    to_currency,
    variants_of,
)
from bot.advise.readings import Reading
from bot.advise.runs import length_of, training_of
from bot.advise.setup import Cards, cards_in, subjects_in, usual_cards
from bot.answer import Answer, Assumption, Band, Cell, Cost, Say, Source, Table, Text, say
from bot.catalog.records import GpuSpec
from bot.estimator import ServingEstimate
from bot.question import Money, Question, Task

_SHOWN_PERIODS = ("hour", "day", "month")
_BUDGET_COUNTS = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class _Priced:
    """Cards of one kind with the price of their hour; None where no list has one that may be quoted."""

    cards: Cards
    price: Price | None

    @property
    def count(self) -> int:
        return self.cards.count or 1


def answer_cost(question: Question, context: AdviceContext) -> Answer:
    slots = question.slots
    cards = cards_in(question, context)
    if slots.metric == "energy" and cards and slots.duration_h and cards[0].gpu:
        answer = _energy(question, cards[0], slots.duration_h, context)
        if answer is not None:
            return answer
    subjects = subjects_in(question, context)
    if subjects and slots.task == Task.INFERENCE:
        return _service(question, context)
    if subjects and (slots.tokens or slots.dataset_samples or slots.dataset_gb or not slots.duration_h) and not slots.budget:
        return _run(question, context)
    if not cards and not subjects:
        return ask_back(question, "gpus")
    if slots.budget is not None and slots.budget.period != "hour" and not slots.duration_h:
        return _budget(question, slots.budget, _priced(question, context), context)
    return _rent(question, _priced(question, context), context)


def _energy(question: Question, cards: Cards, hours: float, context: AdviceContext) -> Answer | None:
    assert cards.gpu is not None
    return electricity_answer(cards.gpu, cards.label, cards.count or 1, hours, question, context)


def _priced(question: Question, context: AdviceContext) -> list[_Priced]:
    """Every kind of card of the question, the usual one where none is named."""
    named = cards_in(question, context)
    variants = [variants_of(slot, context) for slot in question.slots.gpus]
    usable = [found for found in variants if found]
    if not named:
        cards = usual_cards(context)
        return [_Priced(cards, price_of((cards.gpu,) if cards.gpu else (), question, context))]
    return [
        _Priced(cards, price_of(_with_variants(cards.gpu, usable, index), question, context))
        for index, cards in enumerate(named)
    ]


def _with_variants(gpu: GpuSpec | None, variants: list[tuple[GpuSpec, ...]], index: int) -> tuple[GpuSpec, ...]:
    """The variant meant, then its siblings: a price of a sibling is better than none, and is named as such."""
    siblings = variants[index] if index < len(variants) else ()
    return tuple(dict.fromkeys((*((gpu,) if gpu else ()), *siblings)))


def _rent(question: Question, priced: list[_Priced], context: AdviceContext) -> Answer:
    """Cards for a time: `8 x V100 for 6 days`; without a time by the hour, the day and the month."""
    hours = question.slots.duration_h
    known = [item for item in priced if item.price is not None]
    if not known:
        return _no_price(question, priced, context)
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
        price=_price_said(first.price, question, context),
    )
    return _with_price(
        Answer(
            question=question,
            headline=headline,
            language=question.language,
            answered_from="catalog",
            table=_rent_table(known, hours) if len(known) > 1 or not hours else None,
            assumptions=_count_assumed(first.cards),
        ),
        first,
        first.price.cost(Band.exact(amount), "run" if hours else "hour", context),
        context,
    )


def _rent_table(priced: list[_Priced], hours: float | None) -> Table:
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


def _budget(question: Question, budget: Money, priced: list[_Priced], context: AdviceContext) -> Answer:
    """How long, or how many, for the money: hours for the count said, else the counts that a month allows."""
    known = [item for item in priced if item.price is not None]
    if not known:
        return _no_price(question, priced, context)
    first = known[0]
    assert first.price is not None
    given = budget.currency or ("CNY" if question.language == "zh" else first.price.currency)
    money = to_currency(budget.amount, given, first.price.currency, context.now.date()) or budget.amount
    gpu_hours = money / first.price.amount
    period = HOURS.get(budget.period or "once")
    most = int(gpu_hours / period) if period else None
    headline = say(
        "cost.budget_many" if most is not None and first.cards.count is None else "cost.budget_long",
        budget=budget.amount,
        currency=given,
        period=budget.period,
        gpu=first.cards.label,
        n=first.count,
        most=most,
        gpu_hours=gpu_hours,
        hours=gpu_hours / first.count,
        price=_price_said(first.price, question, context),
    )
    counts = sorted({*_BUDGET_COUNTS, first.count})
    heads = (say("column.cards"), say("cost.head_lasts"))
    rows = tuple((Cell(n, "count"), Cell(gpu_hours / n, "hours")) for n in counts if gpu_hours / n >= 1)
    assumed = () if budget.currency else (Assumption("budget.currency", given, say("cost.why_currency")),)
    return _with_price(
        Answer(
            question=question,
            headline=headline,
            language=question.language,
            answered_from="catalog",
            table=Table(heads, rows) if rows else None,
            assumptions=assumed,
        ),
        first,
        first.price.cost(Band.exact(money), "run", context),
        context,
    )


def _run(question: Question, context: AdviceContext) -> Answer:
    """A training run: its GPU-hours from the estimator, at the price of the hour."""
    from bot.advise.time import run_groups

    length = length_of(question.slots, context)
    groups = run_groups(question, length, context)
    prices = _priced(question, context)
    readings = [reading for group in groups for reading in group.readings]
    main = groups[0].main
    price = _price_for(main, prices)
    estimate = training_of(main)
    hours = estimate.gpu_hours if estimate else None
    common = {"model": main.subject.label, "method": main.label, "cards": cards_said(main.n_gpus, main.cards)}
    if hours is None:
        headline: Text = say("cost.run_unknown", **common)
    elif price is None:
        headline = say("cost.run_unpriced", gpu_hours=hours, tokens=length.tokens, **common)
    else:
        headline = say(
            "cost.run" if length.said else "cost.run_example",
            amount=hours.times(price.amount),
            currency=price.currency,
            gpu_hours=hours,
            wall=estimate.wall_hours if estimate else None,
            tokens=length.tokens,
            price=_price_said(price, question, context),
            **common,
        )
    answer = Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="estimator",
        table=_run_table(readings, groups, prices) if len(readings) > 1 else None,
        scenarios=tuple(reading.scenario() for reading in readings) if len(readings) > 1 else (),
        main=main.scenario(),
        assumptions=(*length.assumed, *assumptions_of(question, main, context)),
        sum=sum_of(main),
    )
    if price is None or hours is None:
        return answer
    return _with_price(answer, _Priced(main.cards, price), price.cost(hours.times(price.amount), "run", context), context)


def _price_for(reading: Reading, prices: list[_Priced]) -> Price | None:
    return next((item.price for item in prices if item.cards.label == reading.cards.label), prices[0].price)


def _run_table(readings: list[Reading], groups: list[Group], prices: list[_Priced]) -> Table:
    heads = (say("column.method"), say("column.cards"), say("column.wall"), say("column.gpu_hours"), say("cost.head_cost"))
    rows = []
    for reading in readings:
        estimate, price = training_of(reading), _price_for(reading, prices)
        hours = estimate.gpu_hours if estimate else None
        paid = say("cost.amount", amount=hours.times(price.amount), currency=price.currency) if hours and price else None
        rows.append(
            (
                Cell(label_in(reading, groups)),
                Cell(reading.n_gpus, "count"),
                Cell(estimate.wall_hours if estimate else None, "hours"),
                Cell(hours, "band"),
                Cell(paid),
            )
        )
    return Table(heads, tuple(rows))


def _service(question: Question, context: AdviceContext) -> Answer:
    """A service round the clock, or for the time said: the cards that hold it, at the price of their hour."""
    subject = subjects_in(question, context)[0]
    cards = (cards_in(question, context) or (usual_cards(context),))[0]
    reading = group_of(question, subject, cards, context).main
    n_gpus = cards.count or reading.counts.n_least or reading.n_gpus
    if n_gpus != reading.n_gpus:
        reading = group_of(question, subject, cards, context, n_gpus=n_gpus).main
    price = _priced(question, context)[0].price
    hours = question.slots.duration_h or HOURS["month"]
    common = {"model": subject.label, "cards": cards_said(n_gpus, cards), "verdict": reading.verdict, "hours": hours}
    if price is None:
        headline: Text = say("cost.service_unpriced", seller=_seller_named(question, context), **common)
    else:
        headline = say(
            "cost.service",
            amount=price.amount * n_gpus * hours,
            currency=price.currency,
            mtok=_per_mtok(reading, price, n_gpus),
            price=_price_said(price, question, context),
            **common,
        )
    answer = Answer(
        question=question,
        headline=headline,
        language=question.language,
        verdict=reading.verdict if cards.count else None,
        answered_from="estimator",
        main=reading.scenario(),
        assumptions=assumptions_of(question, reading, context),
        sum=sum_of(reading),
    )
    if price is None:
        return answer
    cost = price.cost(Band.exact(price.amount * n_gpus * hours), "month", context)
    return _with_price(answer, _Priced(cards, price), cost, context)


def _per_mtok(reading: Reading, price: Price, n_gpus: int) -> Band | None:
    """Money for 1e6 output tokens at the stated load: price x cards / tokens an hour."""
    estimate = reading.estimate
    speed = estimate.throughput_tokens_per_s if isinstance(estimate, ServingEstimate) else None
    if speed is None or speed.low <= 0:
        return None
    hourly = price.amount * n_gpus
    low, best, high = (hourly / (rate * 3600) * 1e6 for rate in (speed.high, speed.best, speed.low))
    return Band(low, best, high)


def _no_price(question: Question, priced: list[_Priced], context: AdviceContext) -> Answer:
    """No price that may be quoted: say so, with where to look."""
    provider = context.offers.provider_by_id.get(question.slots.provider or "")
    return Answer(
        question=question,
        headline=say(
            "cost.no_price",
            gpu=" / ".join(item.cards.label for item in priced),
            n=priced[0].count,
            seller=_seller_named(question, context),
            url=provider.url if provider else None,
            hours=question.slots.duration_h,
            gpu_hours=priced[0].count * (question.slots.duration_h or 0),
        ),
        language=question.language,
        answered_from="catalog",
    )


def _seller_named(question: Question, context: AdviceContext) -> str | None:
    provider = question.slots.provider
    return provider_name(provider, context, question.language) if provider else None


def _price_said(price: Price, question: Question, context: AdviceContext) -> Text:
    """`$1.79 a GPU-hour (A100 SXM4 80GB, RunPod, on demand, read 2026-11-09 (21 days ago))`."""
    offer = price.offer
    if offer is None:
        return say("cost.price_stated", price=price.amount, currency=price.currency)
    return say(
        "cost.price_listed",
        price=price.amount,
        currency=price.currency,
        card=context.specs.gpu_by_id[offer.gpu].title,
        seller=provider_name(offer.provider, context, question.language),
        billing=billing_said(offer),
        read=read_said(offer, context),
    )


def _with_price(answer: Answer, priced: _Priced, cost: Cost, context: AdviceContext) -> Answer:
    """The answer with its cost, the reader's currency, the price list among the sources, and what a price is not."""
    offer = priced.price.offer if priced.price else None
    converted = in_readers_money(cost.amount, cost.currency, answer.question, context)
    body = (*answer.body, *((converted,) if converted else ()), *((say("prices.not_stock"),) if offer else ()))
    sources: tuple[Source, ...] = (*answer.sources, *((offer_source(offer, context),) if offer else ()))
    return replace(answer, cost=cost, body=body, sources=sources, catalog_date=offer.read_on if offer else None)


def _count_assumed(cards: Cards) -> tuple[Assumption, ...]:
    counted = () if cards.count else (Assumption("gpus[0].count", 1, say("why.one_card")),)
    return (*cards.assumed, *counted)
