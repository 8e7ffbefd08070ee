"""This or that? Cards side by side for the job that is named, by time and by money; without a job by their data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of, groups_of
from bot.advise.help import ask_back
from bot.advise.money import prices_alike, sources_of
from bot.advise.phrases import cards_said, sum_of, verdict_cell
from bot.advise.pricing import Price
from bot.advise.readings import Reading, in_few_bits, on_plan
from bot.advise.runs import Length, length_of, training_of
from bot.advise.setup import Cards, Subject, bilingual_why, cards_in, subjects_in, usual
from bot.advise.time import run_groups
from bot.answer import Answer, Assumption, Band, Cell, Choice, Cost, Scenario, Table, Text, say
from bot.estimator import ServingEstimate
from bot.question import TRAINING_TASKS, GpuSlot, Question, Task

_ALIKE = 0.1  # within 10 % two costs are called equal: speeds are not known better
_MOST = 5


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared: the cards, the reading on them, and what it costs there."""

    reading: Reading
    speed: Band | None  # tokens a second of all the cards
    price: Price | None
    cost: Cost | None  # of the run, or of a million output tokens

    @property
    def cards(self) -> Cards:
        return self.reading.cards

    @property
    def said(self) -> Text:
        return cards_said(self.reading.n_gpus, self.cards)


def answer_compare(question: Question, context: AdviceContext) -> Answer:
    subjects, cards = subjects_in(question, context), cards_in(question, context)
    if not subjects and question.slots.metric in ("price", "spot_price"):
        from bot.advise.prices import answer_price_lookup

        return answer_price_lookup(question, context)
    if len(cards) < 2 and not subjects and (question.slots.instance or question.slots.provider):
        from bot.advise.prices import answer_price_lookup

        return answer_price_lookup(question, context)
    if len(cards) < 2 and len(subjects) < 2:
        if not cards and not subjects:
            return ask_back(question, "compare")
        question, cards = _against_the_usual(question, cards, context)
    if not subjects:
        return _by_data(question, cards, context)
    if len(cards) < 2:
        from bot.advise.feasibility import answer_feasibility

        return answer_feasibility(question, context)
    length = length_of(question.slots, context)
    sides = _sides(question, subjects[0], cards[:_MOST], length, context)
    return _by_job(question, sides, length, context)


def _against_the_usual(
    question: Question, cards: tuple[Cards, ...], context: AdviceContext
) -> tuple[Question, tuple[Cards, ...]]:
    """One card alone is compared with those that people weigh it against."""
    own = {card.gpu.id for card in cards if card.gpu}
    names = [name for name in usual(context.folder)["compare_with"] if context.specs.gpu(name).id not in own]
    count = cards[0].count if cards else None
    slots = tuple(GpuSlot(name=name, count=count) for name in names[: 2 if not cards else 1])
    widened = replace(question, slots=question.slots.with_(gpus=(*question.slots.gpus, *slots)))
    return widened, cards_in(widened, context)


def _sides(
    question: Question, subject: Subject, cards: tuple[Cards, ...], length: Length, context: AdviceContext
) -> list[Side]:
    if question.slots.task in TRAINING_TASKS:
        groups = run_groups(question, length, context)[: len(cards)]
    else:
        groups = groups_of(_under_load(question, context), (subject,), cards, context)
    readings = _alike([group.main for group in groups], question, context)
    prices = prices_alike([card.gpu for card in cards], question, context)
    return [_side(_runnable(reading), price, context) for reading, price in zip(readings, prices, strict=False)]


def _alike(readings: list[Reading], question: Question, context: AdviceContext) -> list[Reading]:
    """All with the same weights: in 4 bit where the question leaves that open and the published ones don't fit all."""
    serving = all(reading.task == "inference" for reading in readings)
    if not serving or question.slots.precision or question.slots.quant or all(r.verdict != "no" for r in readings):
        return readings
    return [in_few_bits(reading, context) for reading in readings]


def _under_load(question: Question, context: AdviceContext) -> Question:
    """Serving with several requests at a time: one alone uses no card well, so that its cost tells nothing."""
    slots = question.slots
    load = slots.concurrency or slots.batch or usual(context.folder)["compare_load"]["value"]
    return replace(question, slots=slots.with_(task=Task.INFERENCE, concurrency=load))


def _runnable(reading: Reading) -> Reading:
    """On the cards asked for if they hold it, else on the fewest that do."""
    if reading.verdict == "no" and reading.counts.least is not None:
        return on_plan(reading, reading.counts.least, "yes" if reading.counts.least is reading.counts.sure else "tight")
    return reading


def _side(reading: Reading, price: Price | None, context: AdviceContext) -> Side:
    if reading.verdict == "no":
        return Side(reading, None, price, None)
    training = training_of(reading)
    if training is not None:
        per_card = training.tokens_per_s_per_gpu
        speed = per_card.times(reading.n_gpus) if per_card else None
        hours = training.gpu_hours
        return Side(
            reading, speed, price, price.cost(hours.times(price.amount), "run", context) if price and hours else None
        )
    serving = reading.estimate
    speed = serving.throughput_tokens_per_s if isinstance(serving, ServingEstimate) else None
    if price is None or speed is None or speed.low <= 0:
        return Side(reading, speed, price, None)
    hours = Band(*(reading.n_gpus * 1e6 / rate / 3600 for rate in (speed.high, speed.best, speed.low)))
    return Side(reading, speed, price, price.cost(hours.times(price.amount), "mtok", context))


def _by_job(question: Question, sides: list[Side], length: Length, context: AdviceContext) -> Answer:
    main = sides[0].reading
    training = training_of(main) is not None
    columns = (
        say("column.what"),
        say("column.gib_per_card"),
        say("column.verdict"),
        say("column.speed_total"),
        say("column.price_hour"),
        say("column.cost_run" if training else "column.cost_mtok"),
    )
    caption = say("time.caption", tokens=length.tokens) if training else None
    return Answer(
        question=question,
        headline=_by_cost(sides) if asks(question, "cost_per_token", context) else _headline(sides, training=training),
        language=question.language,
        verdict=main.verdict if main.cards.count else None,
        answered_from="estimator",
        table=Table(columns, tuple(_row(side) for side in sides), caption),
        scenarios=tuple(_scenario(side) for side in sides),
        main=main.scenario(),
        assumptions=(
            *(length.assumed if training else _load_assumed(question, context)),
            *assumptions_of(question, main, context),
        ),
        sources=sources_of([side.price for side in sides], context),
        sum=sum_of(main),
        cost=sides[0].cost,
        choices=(Choice(say("choice.cost"), say("choice.cost_message")),),
    )


def _scenario(side: Side) -> Scenario:
    return replace(side.reading.scenario(), label=side.said)


def _row(side: Side) -> tuple[Cell, ...]:
    price = side.price.amount * side.reading.n_gpus if side.price else None
    amount = side.cost.amount if side.cost else None
    return (
        Cell(say("cell.start", text=side.said)),
        Cell(side.reading.memory, "gib"),
        verdict_cell(side.reading),
        Cell(side.speed, "tokens_per_s"),
        Cell(price, "usd"),
        Cell(amount, "usd"),
    )


def _headline(sides: list[Side], *, training: bool) -> Text:
    """Which is faster and by how much, which is cheaper for the same work, and at what price that turns."""
    first, second = sides[0], sides[1]
    if first.reading.verdict == second.reading.verdict == "no":
        return say("compare.neither", a=first.said, b=second.said, model=first.reading.subject.label)
    if first.speed is None or second.speed is None:
        return say(
            "compare.no_speed",
            a=first.said,
            b=second.said,
            a_verdict=first.reading.verdict,
            b_verdict=second.reading.verdict,
        )
    fast, slow = (first, second) if first.speed.best >= second.speed.best else (second, first)
    assert fast.speed is not None
    assert slow.speed is not None
    ratio = fast.speed.best / slow.speed.best
    if ratio - 1 <= _ALIKE and fast.cost and slow.cost:
        return _same_speed(fast, slow)
    common: dict[str, object] = {"fast": fast.said, "slow": slow.said, "ratio": ratio, "model": first.reading.subject.label}
    if not (fast.cost and slow.cost):
        return say("compare.speed_alike" if ratio - 1 <= _ALIKE * 2 else "compare.speed_only", **common)
    dearer = fast.cost.price_per_gpu_hour * fast.reading.n_gpus / (slow.cost.price_per_gpu_hour * slow.reading.n_gpus)
    gap = fast.cost.amount.best / slow.cost.amount.best
    winner = "equal" if abs(gap - 1) <= _ALIKE else "fast" if gap < 1 else "slow"
    return say(f"compare.{winner}", dearer=dearer, saved=abs(1 - gap), training=training, **common)


def _load_assumed(question: Question, context: AdviceContext) -> tuple[Assumption, ...]:
    """The load of a comparison, where none is told."""
    slots = question.slots
    load = usual(context.folder)["compare_load"]
    return () if slots.concurrency or slots.batch else (Assumption("concurrency", load["value"], bilingual_why(load)),)


def _by_cost(sides: list[Side]) -> Text:
    """What a million output tokens, or the run, costs on each side; the cheapest leads."""
    priced = sorted((side for side in sides if side.cost), key=lambda side: side.cost.amount.best if side.cost else 0)
    if len(priced) < 2 or priced[0].cost is None or priced[1].cost is None:
        return _headline(sides, training=training_of(sides[0].reading) is not None)
    cheap, dear = priced[0], priced[1]
    assert cheap.cost is not None
    assert dear.cost is not None
    ratio = dear.cost.amount.best / cheap.cost.amount.best
    return say(
        "compare.per_run" if training_of(cheap.reading) else "compare.per_mtok",
        cheap=cheap.said,
        cheap_cost=cheap.cost.amount,
        dear=dear.said,
        dear_cost=dear.cost.amount,
        currency=cheap.cost.currency,
        ratio=ratio,
        alike=ratio - 1 <= _ALIKE,
        model=cheap.reading.subject.label,
    )


def _same_speed(one: Side, other: Side) -> Text:
    """Two that work equally fast: the hour decides."""
    assert one.cost is not None
    assert other.cost is not None
    cheap, dear = sorted((one, other), key=lambda side: side.cost.amount.best if side.cost else 0)
    assert cheap.cost is not None
    assert dear.cost is not None
    saved = 1 - cheap.cost.amount.best / dear.cost.amount.best
    return say("compare.same_speed", cheap=cheap.said, dear=dear.said, saved=saved, model=cheap.reading.subject.label)


def _by_data(question: Question, cards: tuple[Cards, ...], context: AdviceContext) -> Answer:
    """No job is named: memory, bandwidth, peak, link, power and price side by side."""
    known = [card for card in cards[:_MOST] if card.gpu is not None]
    if len(known) < 2:
        return ask_back(question, "gpus")
    a, b = sorted(known[:2], key=lambda card: -(card.gpu.bandwidth_gbs or 0) if card.gpu else 0)
    assert a.gpu is not None
    assert b.gpu is not None
    columns = (say("column.what"), *(say("column.plain", name=card.label) for card in known))
    return Answer(
        question=question,
        headline=say(
            "compare.data",
            a=a.label,
            b=b.label,
            memory=a.gpu.memory_gb / b.gpu.memory_gb,
            bandwidth=_ratio(a.gpu.bandwidth_gbs, b.gpu.bandwidth_gbs),
            peak=_ratio(_peak(a), _peak(b)),
        ),
        language=question.language,
        answered_from="catalog",
        table=Table(columns, tuple(_data_rows(known, question, context))),
        assumptions=tuple(item for card in known for item in card.assumed),
        sources=tuple(dict.fromkeys(card.gpu.as_source() for card in known if card.gpu)),
        choices=(Choice(say("choice.for_job"), say("choice.for_job_message", a=a.label, b=b.label)),),
    )


def _peak(card: Cards) -> float | None:
    assert card.gpu is not None
    return card.gpu.bf16_tflops or card.gpu.fp16_tflops


def _ratio(first: float | None, second: float | None) -> float | None:
    return first / second if first and second else None


def _data_rows(cards: list[Cards], question: Question, context: AdviceContext) -> list[tuple[Cell, ...]]:
    specs = [card.gpu for card in cards if card.gpu is not None]
    prices = prices_alike(specs, question, context)
    rows: list[tuple[str, list[object], str]] = [
        ("memory_gb", [spec.memory_gb for spec in specs], "figure"),
        ("bandwidth", [spec.bandwidth_gbs for spec in specs], "count"),
        ("bf16", [spec.bf16_tflops or spec.fp16_tflops for spec in specs], "count"),
        ("fp8", [spec.fp8_tflops for spec in specs], "count"),
        ("link", [spec.link_gbs for spec in specs], "count"),
        ("power", [spec.tdp_w for spec in specs], "count"),
        ("price", [price.amount if price else None for price in prices], "usd"),
    ]
    return [(Cell(say(f"spec.{key}")), *(Cell(value, unit) for value in values)) for key, values, unit in rows]
