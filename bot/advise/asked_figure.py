"""Questions that ask for one figure of serving or training: how many users, how long a context, how large a cache or batch.

The answer is that of the question's own module with the figure that was asked for as its headline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of, group_of, without_card
from bot.advise.phrases import cards_said, usual_choices, weights_label
from bot.advise.readings import Reading, format_of, read_serving
from bot.advise.serving import request_tokens, users_at_once
from bot.advise.setup import Cards, Subject, cards_in, subjects_in, usual_cards
from bot.answer import Answer, Cell, SumLine, Table, say
from bot.catalog.records import GIB, ModelSpec
from bot.estimator import ServingEstimate, ServingWorkload, TrainingWorkload, largest_training_batch
from bot.question import TRAINING_TASKS, Intent, Question, Task

_MEMORY = frozenset({Intent.FEASIBILITY, Intent.SIZING, Intent.THROUGHPUT})
_LENGTHS = (4096, 32768, 131072)
_USERS = (1, 4, 16, 64)
_LENGTH_SLOTS = ("seq_len", "input_len", "output_len")
_STEP = 1024  # tokens that a cache without a length is told for
_VALUE_BYTES = 2  # of a cached key or value in 16 bit


@dataclass(frozen=True, slots=True)
class Asked:
    """What the figures are worked out from."""

    question: Question
    subject: Subject
    cards: Cards
    context: AdviceContext


def answer_figure(question: Question, context: AdviceContext) -> Answer | None:
    """None where no such figure is asked for, or where nothing fits that it could be a figure of."""
    subjects = subjects_in(question, context)
    if question.intent not in _MEMORY or not subjects or len(subjects) > 1:
        return None
    cards = cards_in(question, context)
    trains = question.slots.task in TRAINING_TASKS
    if asks(question, "cache", context) and asks(question, "amount", context) and not trains:
        return _cache(Asked(question, subjects[0], cards[0] if cards else usual_cards(context), context))
    if len(cards) != 1:
        return None
    asked = Asked(question, subjects[0], cards[0], context)
    found = ((name, figure) for name, figure, served in _FIGURES if not (served and trains))
    return next((figure(asked) for name, figure in found if asks(question, name, context)), None)


def _read(asked: Asked, users: int | None = None) -> Reading:
    """The question as one about serving; with `users` in flight where that is said."""
    question, count = asked.question, asked.cards.count or 1
    slots = question.slots.with_(task=Task.INFERENCE)
    loaded = replace(question, slots=slots.with_(concurrency=users, batch=None) if users else slots)
    return read_serving(loaded, asked.subject, asked.cards, n_gpus=count, context=asked.context)


def _users(asked: Asked) -> Answer | None:
    """Requests of the lengths stated that the cache holds at once, and the speed of each under that load."""
    from bot.advise.throughput import answer_throughput

    most = users_at_once(_read(asked, 1), asked.context)
    if not most or asked.question.slots.qps:
        return None
    full = _read(asked, most)
    estimate = full.estimate
    slots = asked.question.slots.with_(task=Task.INFERENCE, concurrency=most, batch=None)
    base = answer_throughput(replace(asked.question, slots=slots), asked.context)
    if not isinstance(estimate, ServingEstimate):
        return None
    headline = say(
        "figure.users",
        users=most,
        tokens=request_tokens(full),
        total=estimate.throughput_tokens_per_s,
        each=estimate.decode_tokens_per_s_per_request,
        ttft=estimate.ttft_ms.times(1 / 1000) if estimate.ttft_ms else None,
        **_common(full),
    )
    return replace(base, question=asked.question, headline=headline, body=(), verdict=_read(asked, 1).verdict)


def _longest(asked: Asked) -> Answer | None:
    """The longest request or training sequence that fits, and how it shrinks as more requests share the cards.

    A length that is told is first of all a question whether it fits; that answer names the longest too.
    """
    if set(_LENGTH_SLOTS) & set(asked.question.slots.stated()):
        return None
    if asked.question.slots.task in TRAINING_TASKS:
        return _longest_sequence(asked)
    shorter = replace(asked, question=_without_lengths(asked.question))
    stated = asked.question.slots.concurrency or asked.question.slots.batch or 1
    by_users = {users: _read(shorter, users) for users in sorted({*_USERS, stated})}
    main = by_users[stated]
    if not main.longest or main.verdict not in ("yes", "tight"):
        return None
    limit = main.subject.model.context_length
    rows = tuple((Cell(n, "count"), Cell(r.longest, "safe_length")) for n, r in by_users.items() if r.longest)
    headline = say("figure.longest", longest=main.longest, users=stated, own_limit=main.longest == limit, **_common(main))
    made = _of(asked, main, headline, Table((say("column.load"), say("figure.each_up_to")), rows))
    return replace(made, assumptions=tuple(item for item in made.assumptions if item.slot not in _LENGTH_SLOTS))


def _longest_sequence(asked: Asked) -> Answer | None:
    from bot.advise.feasibility import answer_feasibility

    question = _without_lengths(asked.question)
    readings = group_of(question, asked.subject, asked.cards, asked.context).readings
    fitting = [reading for reading in readings if reading.longest and reading.verdict in ("yes", "tight")]
    if not fitting:
        return None
    items = tuple(say("figure.sequence_part", method=reading.label, longest=reading.longest) for reading in fitting)
    headline = say("figure.sequence", items=items, model=asked.subject.label, cards=_common(fitting[0])["cards"])
    return replace(answer_feasibility(question, asked.context), question=asked.question, headline=headline)


def _batch(asked: Asked) -> Answer | None:
    """The largest micro batch that fits in training."""
    from bot.advise.feasibility import answer_feasibility

    slots = asked.question.slots
    if slots.task not in TRAINING_TASKS:
        return None
    question = replace(asked.question, slots=slots.with_(batch=None))
    main = group_of(question, asked.subject, asked.cards, asked.context).main
    assert isinstance(main.workload, TrainingWorkload)
    most = largest_training_batch(main.workload, asked.context.estimator) if main.verdict != "no" else None
    if not most:
        return None
    assumed = {a.slot: a.value for a in main.estimate.assumptions} if main.estimate else {}
    headline = say(
        "figure.batch", most=most, method=main.label, tokens=main.workload.seq_len or assumed.get("seq_len"), **_common(main)
    )
    return replace(answer_feasibility(question, asked.context), question=asked.question, headline=headline)


def _cache(asked: Asked) -> Answer | None:
    """Bytes a token and GiB at the length stated, by the model alone: no card changes them but for copies."""
    reading = _read(replace(asked, cards=without_card(asked.cards), question=_one_card(asked.question)))
    estimate = reading.estimate
    if not isinstance(estimate, ServingEstimate) or not estimate.kv_bytes_per_token:
        return None
    each, slots = estimate.kv_bytes_per_token, asked.question.slots
    users = slots.concurrency or slots.batch or 1
    said = slots.seq_len or (slots.input_len or 0) + (slots.output_len or 0)
    lengths = sorted({*_LENGTHS, *((said,) if said else ())})
    limit = asked.subject.model.context_length
    rows = tuple((Cell(n, "count"), Cell(_gib(n, each), "sum")) for n in lengths if not limit or n <= limit or n == said)
    headline = say(
        "figure.cache",
        tokens=said or None,
        users=users,
        gib=_gib(said, each) * users if said else None,
        each=each,
        step=_STEP,
        thousand=each * _STEP / 2**20,
        model=asked.subject.label,
    )
    made = _of(asked, reading, headline, Table((say("figure.tokens"), say("figure.cache_gib")), rows))
    formula = _formula(asked.subject.model, each)
    line = SumLine(say("figure.per_token"), each, "B", formula)
    body = (say("figure.formula", formula=formula, each=each),) if formula else ()
    return replace(made, body=body, sum=(line,), main=reading.scenario(), assumptions=asked.subject.assumed)


def _gib(tokens: int, each: float) -> float:
    """131,072 tokens of 57,344 bytes are 7.0 GiB."""
    return tokens * each / GIB


def _formula(model: ModelSpec, each: float) -> str:
    """`2 x 28 layers x 4 KV heads x 128 x 2 B`, where the cache is that plain; else nothing."""
    if not (model.layers and model.kv_heads and model.head_dim):
        return ""
    plain = 2 * model.layers * model.kv_heads * model.head_dim * _VALUE_BYTES
    parts = (model.layers, model.kv_heads, model.head_dim, _VALUE_BYTES)
    return "2 x {} layers x {} KV heads x {} x {} B".format(*parts) if plain == each else ""


def _of(asked: Asked, main: Reading, headline: object, table: Table) -> Answer:
    return Answer(
        question=asked.question,
        headline=headline,  # type: ignore[arg-type]
        language=asked.question.language,
        verdict=main.verdict,
        answered_from="estimator",
        table=table,
        main=main.scenario(),
        assumptions=assumptions_of(asked.question, main, asked.context),
        choices=usual_choices(main),
    )


def _without_lengths(question: Question) -> Question:
    """A length is what is asked for."""
    return replace(question, slots=question.slots.with_(seq_len=None, input_len=None, output_len=None))


def _one_card(question: Question) -> Question:
    return replace(question, slots=question.slots.with_(tp=None))


def _common(reading: Reading) -> dict[str, object]:
    workload = reading.workload
    return {
        "model": reading.subject.label,
        "cards": cards_said(reading.n_gpus, reading.cards),
        "weights": weights_label(format_of(reading)) if isinstance(workload, ServingWorkload) else None,
    }


# (words of asked.yaml, figure, whether it is one of serving alone)
_FIGURES: tuple[tuple[str, Callable[[Asked], Answer | None], bool], ...] = (
    ("batch", _batch, False),
    ("longest", _longest, False),
    ("users", _users, True),
)
