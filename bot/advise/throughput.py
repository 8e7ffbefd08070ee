"""How fast? Tokens a second of serving, alone and under load, or of training on more and more cards."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of, group_of
from bot.advise.help import ask_back
from bot.advise.phrases import cards_said, sum_of, usual_choices, weights_label
from bot.advise.readings import Reading, format_of, read_serving
from bot.advise.refusals import refusal_of
from bot.advise.runs import training_of
from bot.advise.serving import in_four_bit, request_tokens, users_at_once
from bot.advise.setup import Cards, Subject, cards_in, subjects_in, usual_cards
from bot.answer import Answer, Band, Cell, Table, Text, Verdict, say
from bot.estimator import ServingEstimate, ServingWorkload
from bot.question import TRAINING_TASKS, Question

_LOADS = (1, 8, 32, 128)
_SCALES = (1, 2, 4, 8)
_SERVE_COLUMNS = (say("column.load"), say("column.speed_each"), say("column.speed_total"), say("column.ttft"))
_TRAIN_COLUMNS = (
    say("column.cards"),
    say("column.tokens_per_card"),
    say("column.speed_total"),
    say("column.gib_per_card"),
)


def answer_throughput(question: Question, context: AdviceContext) -> Answer:
    subjects = subjects_in(question, context)
    if not subjects:
        return ask_back(question, "models")
    cards = (cards_in(question, context) or (usual_cards(context),))[0]
    if question.slots.task in TRAINING_TASKS:
        return _training(question, subjects[0], cards, context)
    return _serving(question, subjects[0], cards, context)


def _serving(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> Answer:
    """On the cards asked for; where they don't hold the model, on the fewest that do."""
    asked = read_serving(question, subject, cards, n_gpus=cards.count or 1, context=context)
    n_gpus, weights = asked.n_gpus, None
    smaller = in_four_bit(asked, context) if cards.count and asked.verdict == "no" else None
    if smaller is not None and smaller.verdict in ("yes", "tight"):
        weights = format_of(smaller)
    elif asked.verdict == "no" and asked.refused is None and asked.counts.n_least and asked.counts.n_least > n_gpus:
        n_gpus = asked.counts.n_least
    load = question.slots.concurrency or question.slots.batch
    loads = sorted({*(_LOADS), *((load,) if load else ())})
    by_load = {
        users: _under(users, subject, cards.with_count(n_gpus), question, context, weights=weights) for users in loads
    }
    main = by_load[load or (loads[-1] if question.slots.qps else 1)]
    return Answer(
        question=question,
        headline=_serving_headline(main, asked, question, context),
        language=question.language,
        verdict=_carries(main, question) if question.slots.qps else asked.verdict if cards.count else None,
        answered_from="estimator",
        table=Table(
            _SERVE_COLUMNS, tuple(_load_row(users, reading) for users, reading in by_load.items() if reading.estimate)
        ),
        main=main.scenario(),
        body=_at_once_line(main, context),
        assumptions=assumptions_of(question, main, context),
        sum=sum_of(main),
        choices=usual_choices(main),
    )


def _at_once_line(main: Reading, context: AdviceContext) -> tuple[Text, ...]:
    """How many requests the cache holds at once, before any waits."""
    held = users_at_once(main, context)
    return (say("throughput.at_once", n=held, tokens=request_tokens(main)),) if held else ()


def _under(
    users: int, subject: Subject, cards: Cards, question: Question, context: AdviceContext, *, weights: str | None
) -> Reading:
    """The service with so many requests in flight, on the cards as counted."""
    loaded = replace(question, slots=question.slots.with_(concurrency=users, batch=None))
    return read_serving(loaded, subject, cards, n_gpus=cards.count or 1, context=context, weights=weights)


def _serving_headline(main: Reading, asked: Reading, question: Question, context: AdviceContext) -> Text:
    estimate = main.estimate
    common = {
        "model": main.subject.label,
        "weights": weights_label(format_of(main)),
        "cards": cards_said(main.n_gpus, main.cards),
        "asked": cards_said(asked.n_gpus, asked.cards) if asked.n_gpus != main.n_gpus else None,
        "larger": weights_label(format_of(asked)) if format_of(asked) != format_of(main) else None,
    }
    if main.refused is not None:
        return say("throughput.refused", why=refusal_of(main), **common)
    if not isinstance(estimate, ServingEstimate) or estimate.decode_tokens_per_s_per_request is None:
        return say("throughput.unknown", **common)
    workload = main.workload
    assert isinstance(workload, ServingWorkload)
    qps = question.slots.qps
    if qps:
        return say("throughput.qps", qps=qps, most=_requests_per_s(estimate, main), **common)
    if asks(question, "first_token", context) and estimate.ttft_ms:
        key = "throughput.first_token"
    elif asks(question, "total", context) and workload.concurrency not in (None, 1):
        key = "throughput.total"
    else:
        key = "throughput.serving"
    return say(
        key,
        users=workload.concurrency or 1,
        each=estimate.decode_tokens_per_s_per_request,
        total=estimate.throughput_tokens_per_s or estimate.decode_tokens_per_s_total,
        ttft=estimate.ttft_ms.times(1 / 1000) if estimate.ttft_ms else None,
        at_once=users_at_once(main, context),
        saturated=bool(estimate.saturated),
        **common,
    )


def _requests_per_s(estimate: ServingEstimate, main: Reading) -> Band | None:
    """Requests a second that the output rate allows, at the reply length of the question or the usual one."""
    total = estimate.throughput_tokens_per_s
    named = {a.slot: a.value for a in estimate.assumptions}
    assert isinstance(main.workload, ServingWorkload)
    reply = main.workload.output_len or named.get("output_len")
    return total.times(1 / reply) if total and isinstance(reply, int) and reply else None


def _carries(main: Reading, question: Question) -> Verdict | None:
    """Whether the request rate that is asked for can be kept up."""
    most = _requests_per_s(main.estimate, main) if isinstance(main.estimate, ServingEstimate) else None
    if most is None or question.slots.qps is None:
        return None
    if most.low >= question.slots.qps:
        return "yes"
    return "tight" if most.high >= question.slots.qps else "no"


def _load_row(users: int, reading: Reading) -> tuple[Cell, ...]:
    estimate = reading.estimate
    assert isinstance(estimate, ServingEstimate)
    ttft = estimate.ttft_ms
    return (
        Cell(users, "count"),
        Cell(estimate.decode_tokens_per_s_per_request, "tokens_per_s"),
        Cell(estimate.throughput_tokens_per_s, "tokens_per_s"),
        Cell(ttft.times(1 / 1000) if ttft else None, "band"),
    )


def _training(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> Answer:
    """Training speed on one card and on more: what a second card or node brings."""
    counts = sorted({*_SCALES, *((cards.count,) if cards.count else ())})
    groups = {n: group_of(question, subject, cards, context, n_gpus=n) for n in counts}
    asked = groups[cards.count or 1]
    method = asked.main.task
    runs = {n: next(r for r in group.readings if r.task == method) for n, group in groups.items()}
    main = runs[cards.count or 1]
    estimate = training_of(main)
    speed = estimate.tokens_per_s_per_gpu if estimate else None
    headline = say(
        "throughput.training" if speed else "time.unknown",
        model=subject.label,
        method=main.label,
        cards=cards_said(main.n_gpus, cards),
        n=main.n_gpus,
        each=speed,
        total=speed.times(main.n_gpus) if speed else None,
    )
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="estimator",
        table=Table(_TRAIN_COLUMNS, tuple(_scale_row(n, reading) for n, reading in runs.items() if training_of(reading))),
        main=main.scenario(),
        assumptions=assumptions_of(question, main, context),
        sum=sum_of(main),
        choices=usual_choices(main),
    )


def _scale_row(n: int, reading: Reading) -> tuple[Cell, ...]:
    estimate = training_of(reading)
    speed = estimate.tokens_per_s_per_gpu if estimate else None
    total = speed.times(n) if speed else None
    fits = reading.verdict in ("yes", "tight")
    return (
        Cell(n, "count"),
        Cell(speed if fits else None, "tokens_per_s"),
        Cell(total if fits else say("cell.no_room_here"), "tokens_per_s"),
        Cell(reading.memory, "gib"),
    )
