"""Can these cards serve it, for how many at once, and how fast? A row for the weights as asked, and for smaller ones."""

from __future__ import annotations

from dataclasses import replace

from bot import estimator
from bot.advise.context import AdviceContext
from bot.advise.fit import Group, fit_answer
from bot.advise.phrases import cards_said, counts_said, safe_said, verdict_cell, weights_label
from bot.advise.readings import Reading, format_of, in_few_bits, steps_of
from bot.advise.refusals import refusal_of
from bot.answer import Answer, Band, Cell, Table, Text, say
from bot.estimator import ServingEstimate, ServingWorkload
from bot.question import Question

_BIG_FORMATS = ("bf16", "fp16", "fp32", "fp8", "int8_w8a8", "gptq_int8", "bnb_int8")


def serving_answer(question: Question, groups: list[Group], context: AdviceContext, *, how_many: bool = False) -> Answer:
    """The table of weights, cards, memory, requests and speed; the headline is about the first model on the first card."""
    main = groups[0].main
    smaller = {id(group): in_four_bit(group.main, context) for group in groups}
    answer = fit_answer(question, groups, _headline(main, smaller[id(groups[0])], context, how_many=how_many), context)
    rows = [row for group in groups for row in _rows(group, smaller[id(group)], groups, context)]
    return replace(answer, table=Table(_COLUMNS, tuple(rows), say("serve.caption", tokens=request_tokens(main))))


_COLUMNS = (
    say("column.weights"),
    say("column.cards"),
    say("column.gib_per_card"),
    say("column.at_once"),
    say("column.speed_each"),
    say("column.verdict"),
)


def in_four_bit(reading: Reading, context: AdviceContext) -> Reading | None:
    """The same on the same cards with 4-bit weights, where the weights as asked are larger and do not surely fit."""
    workload = reading.workload
    if reading.verdict == "yes" or not isinstance(workload, ServingWorkload):
        return None
    asked = format_of(reading)
    if asked not in _BIG_FORMATS and reading.refused is None:
        return None
    return in_few_bits(reading, context)


def _headline(main: Reading, smaller: Reading | None, context: AdviceContext, *, how_many: bool) -> Text:
    estimate = main.estimate
    common = {
        "model": main.subject.label,
        "weights": weights_label(format_of(main)),
        "cards": cards_said(main.n_gpus, main.cards),
        "gpu": main.cards.label,
        "n": main.n_gpus,
        "memory": main.memory,
        "usable": main.usable_gib,
        "counts": counts_said(main.counts),
        "counts_of": counts_said(main.counts, main.cards.label),
        "least": main.counts.n_least,
        "safe": safe_said(main.counts) if main.counts.n_sure else None,
        "smaller": _smaller_said(smaller),
        "each": speed_each(main),
        "users": _concurrency(main),
        "at_once": users_at_once(main, context),
        "longest": main.longest,
        "tokens": request_tokens(main),
    }
    if main.refused is not None and not (how_many and main.counts.least):
        return say("serve.refused", why=refusal_of(main), **common)
    assert isinstance(estimate, ServingEstimate)
    if main.verdict is None:
        return say("serve.unknown", **common)
    if main.split is not None:
        host = {"on_card": main.split.gpu_layers, "layers": main.split.layers, "host": main.split.host_gib}
        return say("serve.spilled", **host, **common)
    if how_many and main.cards.count is None:
        return say("serve.how_many", **common)
    short_of_cache = main.verdict == "no" and estimate.memory_gib_per_gpu.best - _cache(estimate) < (main.usable_gib or 0)
    return say("serve.no_room" if short_of_cache else f"serve.{main.verdict}", **common)


def _cache(estimate: ServingEstimate) -> float:
    return estimate.memory_breakdown_gib.get("kv_cache", 0.0)


def _smaller_said(smaller: Reading | None) -> Text | None:
    if smaller is None or smaller.verdict is None:
        return None
    if smaller.verdict == "no":
        return None
    return say(f"serve.smaller_{smaller.verdict}", weights=weights_label(format_of(smaller)), n=smaller.n_gpus)


def speed_each(reading: Reading) -> Band | None:
    return reading.estimate.decode_tokens_per_s_per_request if isinstance(reading.estimate, ServingEstimate) else None


def users_at_once(reading: Reading, context: AdviceContext) -> int | None:
    """Requests of the stated lengths that the cache holds at once."""
    if not isinstance(reading.workload, ServingWorkload) or reading.estimate is None or reading.verdict == "no":
        return None
    return estimator.most_users(reading.workload, context.estimator)


def _concurrency(reading: Reading) -> int:
    assert isinstance(reading.workload, ServingWorkload)
    asked = reading.workload.concurrency
    return asked if isinstance(asked, int) else 1


def request_tokens(reading: Reading) -> int | None:
    workload = reading.workload
    assert isinstance(workload, ServingWorkload)
    if workload.input_len is not None or workload.output_len is not None:
        return (workload.input_len or 0) + (workload.output_len or 0)
    if reading.estimate is None:
        return None
    named = {a.slot: a.value for a in reading.estimate.assumptions}
    lengths = [named.get("input_len"), named.get("output_len")]
    return sum(value for value in lengths if isinstance(value, int)) or None


def _rows(group: Group, smaller: Reading | None, groups: list[Group], context: AdviceContext) -> list[tuple[Cell, ...]]:
    main = group.main
    asked = main.cards.count is not None
    steps = steps_of(main, asked_count=asked)
    small_steps = [] if smaller is None else [smaller] if smaller.verdict != "no" else steps_of(smaller, asked_count=False)
    return [_row(step, groups, context) for step in (*steps[:1], *small_steps, *steps[1:])]


def _row(reading: Reading, groups: list[Group], context: AdviceContext) -> tuple[Cell, ...]:
    several_models = len({group.subject.label for group in groups}) > 1
    several_cards = len({group.cards.label for group in groups}) > 1
    label = say(
        "serve.row",
        weights=weights_label(format_of(reading)),
        model=reading.subject.label if several_models else None,
        gpu=reading.cards.label if several_cards else None,
    )
    return (
        Cell(label),
        Cell(reading.n_gpus, "count"),
        Cell(reading.memory, "gib"),
        Cell(users_at_once(reading, context), "count"),
        Cell(speed_each(reading), "tokens_per_s"),
        verdict_cell(reading),
    )
