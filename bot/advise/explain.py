"""Why? The last answer of the thread taken apart: its sum, largest part first, then what would change it most.

Where the turn changed something ("why not without offload?"), the changed question is answered first and then explained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.readings import Reading, estimated
from bot.advise.rules import corrected_claims
from bot.advise.setup import Cards, Subject, cards_in, subjects_in, usual_cards
from bot.advise.workloads import serving_workload, training_workload
from bot.answer import Answer, Cell, Cost, Source, SumLine, Table, Text, say
from bot.catalog.records import GIB
from bot.estimator import ServingEstimate, ServingWorkload, TrainingEstimate, TrainingWorkload
from bot.faq.claims import load_claims
from bot.question import Act, Action, Intent, Question

_CHANGES, _EVIDENCE = 3, 4
_SHOW_AGAIN = frozenset(
    {"topics.energy_sum", "topics.own_hidden", "topics.interruptions_advice", "topics.price_against_speed_rule"}
)
_COLUMNS = (say("column.part"), say("column.gib"), say("column.formula"))
_SPEED = frozenset({Intent.TIME, Intent.THROUGHPUT, Intent.COMPARE})
_MONEY = frozenset({Intent.COST, Intent.PRICE_LOOKUP})


def answer_why(question: Question, context: AdviceContext) -> Answer:
    """The explanation of what was answered before; a hint where nothing was."""
    last = _explained(question, context)
    if last is None or last.action != Action.ANSWER:
        return _nothing_to_explain(question)
    if isinstance(last.headline, Text) and last.headline.key.startswith("topics."):
        return _of_topic(last, question)
    headline, *lines = _figures(last, context) or list(_evidence(last, context)) or [say("explain.sources")]
    return replace(
        last,
        question=question,
        language=question.language,
        headline=headline,
        body=tuple(lines),
        table=_table(last) if headline.key == "explain.memory" else None,
        corrections=(),
        caveats=(),
        sources=_sources(last, context),
        faq_candidates=(),
        choices=(),
    )


def _of_topic(last: Answer, question: Question) -> Answer:
    """A sum around the cards again, with the reason of each figure that it assumes."""
    reasons = tuple(say("explain.assumed", what=say(f"slot.{a.slot}", value=a.value), why=a.why) for a in last.assumptions)
    sums = tuple(line for line in last.body if isinstance(line, Text) and line.key in _SHOW_AGAIN)
    return replace(last, question=question, language=question.language, body=(*sums, *reasons), caveats=(), corrections=(),
                   faq_candidates=(), choices=())  # fmt: skip


def _explained(question: Question, context: AdviceContext) -> Answer | None:
    """The answer to take apart: of the changed question, else the last one, else of what is known of the conversation.

    A surface that keeps questions but no answers has the last question alone; it is answered again.
    """
    before = context.thread.question
    if question.changed:
        intent = before.intent if before and question.intent == Intent.FAQ else question.intent
        return _answered(replace(question, intent=intent), context)
    if context.thread.answer is not None:
        return context.thread.answer
    known = before or question
    return _answered(known, context) if known.slots.stated() else None


def _answered(question: Question, context: AdviceContext) -> Answer | None:
    from bot.advise.advisor import answer_as

    return answer_as(replace(question, act=Act.SET), context)


def _nothing_to_explain(question: Question) -> Answer:
    return Answer(
        question, say("explain.nothing"), question.language, action=Action.HELP, answered_from="help", private=True
    )


def _figures(last: Answer, context: AdviceContext) -> list[Text]:
    """The sum behind the figure that was asked for; the memory of the job only where that was the question."""
    speed = [*_time(last), *_decoding(last, context)]
    money = [*_money(last.cost, context), *_bill(last)]
    if last.question.intent in _SPEED and speed:
        return [*speed, *money]
    if last.question.intent in _MONEY and money:
        return [*money, *speed]
    return [*_memory(last, context), *speed, *money]


def _memory(last: Answer, context: AdviceContext) -> Iterator[Text]:
    parts = _parts(last)
    if not parts:
        return
    total = sum(line.value for line in parts)
    usable = last.main.estimate.usable_gib_per_gpu if last.main and last.main.estimate else None
    first = parts[0]
    yield say("explain.memory", part=first.label, value=first.value, total=total, share=first.value / total, usable=usable)
    yield from (
        say("reply.rung", change=s.change, saved=s.saved_gib, left=s.left_gib, verdict=s.verdict) for s in last.savings
    )
    yield from _changes(last, context)


def _parts(last: Answer) -> list[SumLine]:
    return sorted((line for line in last.sum if line.value > 0 and line.unit == "GiB"), key=lambda line: -line.value)


def _table(last: Answer) -> Table | None:
    """The sum of the main figure, largest part first, each with the formula it comes from."""
    rows = tuple((Cell(line.label), Cell(line.value, "sum"), Cell(line.formula or None)) for line in _parts(last))
    return Table(_COLUMNS, rows) if rows else None


def _time(last: Answer) -> Iterator[Text]:
    estimate = last.main.estimate if last.main else None
    if not isinstance(estimate, TrainingEstimate) or not (estimate.gpu_hours and estimate.tokens_per_s_per_gpu):
        return
    n_gpus = last.main.n_gpus or 1 if last.main else 1
    rate = estimate.tokens_per_s_per_gpu
    tokens = last.question.slots.tokens
    yield say(
        "explain.time", hours=estimate.wall_hours, gpu_hours=estimate.gpu_hours, n_gpus=n_gpus, rate=rate, tokens=tokens
    )
    if estimate.mfu and estimate.model_tflops_per_gpu:
        yield say("explain.rate", tflops=estimate.model_tflops_per_gpu, mfu=estimate.mfu.best)


def _decoding(last: Answer, context: AdviceContext) -> Iterator[Text]:
    """Why a token takes as long as it does: what reading the weights alone would take, against the estimate."""
    estimate = last.main.estimate if last.main else None
    cards = cards_in(last.question, context)
    bandwidth = cards[0].gpu.bandwidth_gbs if cards and cards[0].gpu else None
    if not isinstance(estimate, ServingEstimate) or estimate.tpot_ms is None or not bandwidth:
        return
    weights = estimate.weights_gib_per_gpu
    yield say(
        "explain.decoding",
        tpot=estimate.tpot_ms,
        weights=weights,
        bandwidth=bandwidth,
        floor=weights * GIB / 1e9 / bandwidth * 1000,
        users=last.question.slots.concurrency or 1,
    )


def _money(cost: Cost | None, context: AdviceContext) -> Iterator[Text]:
    if cost is None:
        return
    common = {
        "currency": cost.currency,
        "price": cost.price_per_gpu_hour,
        "provider": cost.provider,
        "billing": say(f"money.{cost.billing}"),
        "read_on": cost.read_on,
    }
    if cost.per == "hour" and abs(cost.amount.best - cost.price_per_gpu_hour) < 0.005:
        yield say("explain.price", days=context.offers.limits.cheapest_days, **common)
    else:
        yield say("explain.cost", amount=cost.amount, per=cost.per, **common)


def _bill(last: Answer) -> Iterator[Text]:
    """Lines of a sum that is not of memory: hours, energy, money."""
    for line in last.sum:
        if line.unit != "GiB":
            yield say("reply.sum_line", label=line.label, value=line.value, unit=line.unit, formula=line.formula)


def _evidence(last: Answer, context: AdviceContext) -> Iterator[Text]:
    """What the claims behind a correction or an entry rest on, each piece once."""
    claims = load_claims(context.folder)
    if last.answered_from != "faq" and not corrected_claims(last):
        return
    ids = _claims(last)
    found = {
        (e.en, e.zh): claims.sources[e.source].title
        for claim_id in ids
        for e in claims.claim(claim_id).evidence
        if e.kind not in ("background", "search-gap")
    }
    for (en, zh), source in list(found.items())[:_EVIDENCE]:
        yield say("explain.evidence", en=en, zh=zh, source=source)


def _claims(last: Answer) -> tuple[str, ...]:
    """The claims that the answer put right or warned about."""
    warned = (claim for caveat in last.caveats for claim in caveat.claims)
    return tuple(dict.fromkeys((*sorted(corrected_claims(last)), *warned)))


def _sources(last: Answer, context: AdviceContext) -> tuple[Source, ...]:
    of_sum = tuple(line.source for line in last.sum if line.source)
    of_claims = load_claims(context.folder).sources_of(*_claims(last))
    return tuple(dict.fromkeys((*last.sources, *of_sum, *of_claims)))


def _changes(last: Answer, context: AdviceContext) -> Iterator[Text]:
    """What moves the figure most, GiB a card: each thing changed alone, the largest change first."""
    base = _reading(last, context)
    if base is None or base.memory is None:
        return
    moved = []
    for key, workload in _variants(base):
        memory = estimated(replace(base, workload=workload), context).memory
        if memory is not None and abs(memory.best - base.memory.best) > 0.05:
            moved.append((memory.best - base.memory.best, key))
    if moved:
        shown = sorted(moved, key=lambda change: -abs(change[0]))[:_CHANGES]
        yield say("explain.changes", items=tuple(say(f"explain.change_{key}", gib=delta) for delta, key in shown))


def _reading(last: Answer, context: AdviceContext) -> Reading | None:
    """The main reading of the answer, rebuilt from its question."""
    question, main = last.question, last.main
    subjects = subjects_in(question, context)
    if main is None or main.estimate is None or not subjects:
        return None
    cards = (cards_in(question, context) or (usual_cards(context),))[0]
    workload = _workload(main.task, question, subjects[0], cards, main.n_gpus)
    return estimated(Reading(main.task, subjects[0], cards, workload, None, None), context)


def _workload(
    task: str, question: Question, subject: Subject, cards: Cards, n_gpus: int | None
) -> TrainingWorkload | ServingWorkload:
    if task == "inference":
        return serving_workload(question, subject, cards, n_gpus)
    return training_workload(task, question, subject, cards, n_gpus)  # type: ignore[arg-type]


def _variants(base: Reading) -> Iterator[tuple[str, TrainingWorkload | ServingWorkload]]:
    """One thing changed at a time: length, batch or users, cards, and the method's own lever."""
    workload = base.workload
    assumed = {a.slot: a.value for a in base.estimate.assumptions} if base.estimate else {}
    twice = replace(workload.hardware, n_gpus=(workload.hardware.n_gpus or 1) * 2)
    yield "cards", replace(workload, hardware=twice)
    if isinstance(workload, TrainingWorkload):
        yield "length", replace(workload, seq_len=2 * _int(workload.seq_len or assumed.get("seq_len"), 2048))
        yield "batch", replace(workload, micro_batch=2 * _int(workload.micro_batch or assumed.get("micro_batch"), 1))
        yield "checkpointing", replace(workload, checkpointing="none")
        yield "optimizer", replace(workload, optimizer="adamw_8bit")
        return
    yield "length", replace(workload, input_len=2 * _int(workload.input_len or assumed.get("input_len"), 3000))
    if workload.concurrency != "max":
        yield "users", replace(workload, concurrency=2 * _int(workload.concurrency or assumed.get("concurrency"), 1))
    yield "int4", replace(workload, weights_format="awq_int4")


def _int(value: object, default: int) -> int:
    return int(value) if isinstance(value, int | float) else default
