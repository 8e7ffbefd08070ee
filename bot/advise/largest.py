"""The other way round: cards are named and no model. What is the largest that they serve and train?"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of
from bot.advise.help import ask_back
from bot.advise.phrases import cards_said, sum_of, usual_choices
from bot.advise.readings import Reading, Workload, estimated, is_too_large
from bot.advise.setup import Cards, Subject, cards_in, usual
from bot.advise.workloads import methods_of, serving_workload, training_workload
from bot.answer import Answer, Cell, Table, Text, say
from bot.question import TRAINING_TASKS, Action, Question, Task

_MOST_CARDS = 4
_MEMORY = re.compile(r"(?<![\w.])(\d{1,4})\s?(?:g|gb|gib)(?![\w/])", re.IGNORECASE)
_TRAINED = ("qlora", "lora", "full_finetune")
_UNIFIED = "Apple"  # trains little and is served by llama.cpp
_COLUMNS = (say("column.way"), say("column.largest"), say("column.gib_per_card"), say("column.only_just"))


@dataclass(frozen=True, slots=True)
class Way:
    """A way of using the cards: serving with weights of a format, or a method of training."""

    task: str
    weights: str | None = None

    @property
    def label(self) -> Text:
        return say("method.inference_in", weights=self.weights) if self.weights else say(f"method.{self.task}")


@dataclass(frozen=True, slots=True)
class Found:
    """The largest model of one way that fits with room to spare, and a larger one that only just starts."""

    way: Way
    fits: Reading | None
    tight: Reading | None


def wants_largest(question: Question, context: AdviceContext) -> bool:
    """No model is named, because the largest that the cards hold is asked for."""
    return not question.slots.models and bool(held(question, context)) and asks(question, "largest", context)


def held(question: Question, context: AdviceContext) -> tuple[Cards, ...]:
    """The cards that are named; where none is, the memory that the message tells (`QLoRA on 24GB`)."""
    cards = cards_in(question, context)
    told = None if cards else _MEMORY.search(question.text)
    return (Cards(f"{told[1]} GB", None, float(told[1]), 1),) if told and float(told[1]) else cards


def answer_largest(question: Question, context: AdviceContext) -> Answer:
    """A row a way of using the cards, with the largest of the usual models that fits."""
    cards = held(question, context)[:_MOST_CARDS]
    sizes = _ladder(question, context)
    if not cards or not sizes:
        return ask_back(question, "models")
    question = replace(question, action=Action.ANSWER) if asks(question, "largest", context) else question
    found = [[_largest(question, card, way, sizes, context) for way in _ways(question, card)] for card in cards]
    asking = question.action == Action.CLARIFY
    main = _main(found[0], question)
    return Answer(
        question=question,
        headline=_headline(question, cards[0], found[0], main),
        language=question.language,
        answered_from="estimator",
        table=_by_way(found[0]) if len(cards) == 1 else _by_card(cards, found),
        main=main.scenario() if main and not asking else None,
        assumptions=assumptions_of(question, main, context) if main else cards[0].assumed,
        sum=sum_of(main) if main and not asking else (),
        choices=ask_back(question, "models").choices if asking or not main else usual_choices(main),
    )


def _headline(question: Question, cards: Cards, found: list[Found], main: Reading | None) -> Text:
    """What is asked about; where that is left open, serving as published and in 4 bit, and QLoRA."""
    readings = [item.fits for item in found if item.fits]
    if main is not None and question.slots.task == Task.INFERENCE:
        readings = [reading for reading in readings if reading.task == "inference"]
    elif question.slots.task is None:
        readings = [reading for reading in readings if reading.task in ("inference", "qlora")]
    return say(
        "largest.headline",
        cards=cards_said(cards.count or 1, cards),
        one=(cards.count or 1) == 1,
        items=tuple(say("largest.part", method=reading.label, model=reading.subject.label) for reading in readings),
        asking=question.action == Action.CLARIFY,
    )


def _main(found: list[Found], question: Question) -> Reading | None:
    """The first that fits of the kind of work asked about."""
    readings = [item.fits for item in found if item.fits]
    asked = methods_of(question.slots.task) or ("inference",)
    return next((reading for reading in readings if reading.task in asked), readings[0] if readings else None)


def _ways(question: Question, cards: Cards) -> list[Way]:
    """Serving by format, training by method; the format or the method that is asked for alone."""
    served = _served(question, cards)
    if cards.gpu is not None and cards.gpu.vendor == _UNIFIED:
        return served
    task = question.slots.task
    methods = methods_of(task) if task in TRAINING_TASKS else _TRAINED
    trained = [Way(method) for method in methods]
    if task in TRAINING_TASKS:
        return trained
    return served if task == Task.INFERENCE and question.slots.precision else [*served, *trained]


def _served(question: Question, cards: Cards) -> list[Way]:
    gpu, engine = cards.gpu, question.slots.engine
    if (gpu is not None and gpu.vendor == _UNIFIED) or engine in ("llama.cpp", "ollama") or question.slots.quant == "gguf":
        return [Way("inference", weights) for weights in ("gguf_f16", "gguf_q8_0", "gguf_q4_k_m")]
    wide = "bf16" if gpu is None or gpu.bf16_tflops else "fp16"
    eight = "fp8" if gpu is not None and gpu.fp8_tflops else "int8_w8a8"
    return [Way("inference", weights) for weights in (wide, eight, "awq_int4")]


def _by_way(found: list[Found]) -> Table:
    rows = tuple(
        (
            Cell(say("cell.start", text=item.way.label)),
            Cell(item.fits.subject.label if item.fits else None),
            Cell(item.fits.memory if item.fits else None, "gib"),
            Cell(item.tight.subject.label if item.tight else None),
        )
        for item in found
    )
    return Table(_COLUMNS, rows)


def _by_card(cards: tuple[Cards, ...], found: list[list[Found]]) -> Table:
    """A row a kind of card and way: cards differ in the formats that they compute with."""
    rows = tuple(
        (
            Cell(say("cell.start", text=cards_said(card.count or 1, card))),
            Cell(say("cell.start", text=item.way.label)),
            Cell(item.fits.subject.label if item.fits else None),
            Cell(item.fits.memory if item.fits else None, "gib"),
        )
        for card, row in zip(cards, found, strict=True)
        for item in row
    )
    return Table((say("column.cards"), *_COLUMNS[:3]), rows)


def _ladder(question: Question, context: AdviceContext) -> list[Subject]:
    """Models of the family that is named, largest first; of the usual sizes where none is."""
    named = next((slot.name for slot in question.slots.models if slot.name), None)
    if named:
        family = [m for m in context.specs.models if m.name.casefold().startswith(named.casefold()) and m.kind == "text"]
        if family:
            return [Subject(m, m.name) for m in sorted(family, key=lambda m: -m.params_b)]
    names = usual(context.folder)["ladder"]
    return [Subject(context.specs.model(name), name) for name in names]


def _largest(question: Question, cards: Cards, way: Way, sizes: list[Subject], context: AdviceContext) -> Found:
    """The first of `sizes` that fits with room to spare, and the first before it that starts at all.

    Mixtures of experts are left out of training: few frameworks shard or quantise their experts.
    """
    tight = None
    for subject in (subject for subject in sizes if way.task == "inference" or not subject.model.is_moe):
        workload = _workload(question, cards, way, subject)
        if is_too_large(workload, context):
            continue
        names_weights = way.task == "inference"
        blank = Reading(way.task, subject, cards, workload, None, None, names_weights=names_weights)
        reading = estimated(blank, context)
        if reading.verdict == "yes":
            return Found(way, reading, tight)
        tight = tight or (reading if reading.verdict == "tight" else None)
    return Found(way, None, tight)


def _workload(question: Question, cards: Cards, way: Way, subject: Subject) -> Workload:
    n_gpus = cards.count or 1
    if way.task != "inference":
        return training_workload(way.task, question, subject, cards, n_gpus)  # type: ignore[arg-type]
    served = serving_workload(question, subject, cards, n_gpus)
    engine = served.engine or ("llama.cpp" if (way.weights or "").startswith("gguf") else None)
    return replace(served, weights_format=way.weights, engine=engine)
