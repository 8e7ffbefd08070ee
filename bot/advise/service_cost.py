"""The bill of a service round the clock: the cards that hold the model and carry the load, at the price of their hour."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from bot.advise.bills import Priced, price_said, priced_cards, seller_named, with_elsewhere, with_price
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of, group_of
from bot.advise.lookup import types_said
from bot.advise.phrases import cards_said, sum_of
from bot.advise.pricing import HOURS, Price
from bot.advise.readings import Reading
from bot.advise.refusals import refusal_of
from bot.advise.setup import Cards, Subject, cards_in, subjects_in, usual_cards
from bot.answer import Answer, Assumption, Band, Text, say
from bot.estimator import ServingEstimate, ServingWorkload
from bot.question import Question

_TRAFFIC = ("input_len", "output_len")
_BUSY = 32  # requests at a time of a server that earns its keep, where the question does not say


def answer_service_cost(question: Question, context: AdviceContext) -> Answer:
    subject = subjects_in(question, context)[0]
    cards = (cards_in(question, context) or (usual_cards(context),))[0]
    asked = group_of(question, subject, cards, context).main
    each = cards.count or asked.counts.n_least or asked.n_gpus
    reading = asked if each == asked.n_gpus else group_of(question, subject, cards, context, n_gpus=each).main
    busy = _under_load(question, subject, cards, each, context)
    replicas = _replicas(busy, question)
    priced = replace(priced_cards(question, context)[0], cards=cards.with_count(each * replicas))
    hours = question.slots.duration_h or HOURS["month"]
    answer = Answer(
        question=question,
        headline=_headline(reading, busy, priced, hours=hours, question=question, context=context),
        language=question.language,
        verdict=asked.verdict if cards.count else None,
        answered_from="estimator",
        main=reading.scenario(),
        assumptions=_assumed(question, reading, busy, context),
        sum=sum_of(reading),
    )
    if reading.refused is not None:
        return answer
    if priced.price is None:
        types = types_said({gpu.id} if (gpu := cards.gpu) else (), question.slots.provider, context)
        return with_elsewhere(replace(answer, body=(types,) if types else ()), priced, hours, context)
    bill = Band.exact(priced.price.amount * priced.count * hours)
    return with_price(answer, priced, priced.price.cost(bill, "month", context), context)


def _under_load(question: Question, subject: Subject, cards: Cards, n_gpus: int, context: AdviceContext) -> Reading:
    """The service as busy as the question says, else as busy as servers usually are.

    A context is a limit and not the traffic: where only that is said, requests are of the usual length.
    """
    slots = question.slots
    loaded = replace(question, slots=slots.with_(concurrency=slots.concurrency or _BUSY, seq_len=None))
    return group_of(loaded, subject, cards, context, n_gpus=n_gpus).main


def _assumed(question: Question, reading: Reading, busy: Reading, context: AdviceContext) -> tuple[Assumption, ...]:
    """Those of the service as asked, and the load behind the price of a million tokens."""
    made = {item.slot: item for item in assumptions_of(question, reading, context)}
    made.update({item.slot: item for item in assumptions_of(question, busy, context) if item.slot in _TRAFFIC})
    if not question.slots.concurrency:
        made["concurrency"] = Assumption("concurrency", _BUSY, say("why.default"))
    return tuple(made.values())


def _replicas(busy: Reading, question: Question) -> int:
    """Copies of the service that carry the requests a second: each makes so many tokens, a reply takes so many."""
    estimate, qps = busy.estimate, question.slots.qps
    if not qps or not isinstance(estimate, ServingEstimate) or not estimate.throughput_tokens_per_s:
        return 1
    assert isinstance(busy.workload, ServingWorkload)
    assumed = {item.slot: item.value for item in estimate.assumptions}
    reply = busy.workload.output_len or assumed.get("output_len")
    return max(1, ceil(qps * reply / estimate.throughput_tokens_per_s.best)) if isinstance(reply, int) else 1


def _headline(
    reading: Reading, busy: Reading, priced: Priced, *, hours: float, question: Question, context: AdviceContext
) -> Text:
    common = {
        "model": reading.subject.label,
        "cards": cards_said(priced.count, priced.cards),
        "verdict": reading.verdict,
        "hours": hours,
        "qps": question.slots.qps,
    }
    if reading.refused is not None:
        return say("cost.service_refused", why=refusal_of(reading), **common)
    price = priced.price
    if price is None:
        return say("cost.service_unpriced", seller=seller_named(question, context), **common)
    return say(
        "cost.service",
        amount=price.amount * priced.count * hours,
        currency=price.currency,
        mtok=_per_mtok(busy, price),
        load=question.slots.concurrency or _BUSY,
        price=price_said(price, question, context),
        **common,
    )


def _per_mtok(busy: Reading, price: Price) -> Band | None:
    """Money for 1e6 output tokens under load: price x cards / tokens an hour."""
    estimate = busy.estimate
    speed = estimate.throughput_tokens_per_s if isinstance(estimate, ServingEstimate) else None
    if speed is None or speed.low <= 0 or busy.verdict == "no":
        return None
    hourly = price.amount * busy.n_gpus
    low, best, high = (hourly / (rate * 3600) * 1e6 for rate in (speed.high, speed.best, speed.low))
    return Band(low, best, high)
