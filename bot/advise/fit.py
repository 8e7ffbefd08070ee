"""What answers about memory share: which readings a question has, the answer built from them, and its assumptions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.extras import with_extras
from bot.advise.phrases import FIT_COLUMNS, cards_said, fit_row, sum_of, usual_choices
from bot.advise.readings import Reading, in_few_bits, read_serving, read_training, steps_of
from bot.advise.setup import Cards, Subject, bilingual_why
from bot.advise.spill import spilled
from bot.advise.workloads import methods_of, pulls_four_bit, variant_of
from bot.answer import Alternative, Answer, Assumption, Say, Table, say
from bot.estimator import ServingWorkload
from bot.question import Question, Task

_MOST_PAIRS = 6  # models x cards that one table shows
_PRETRAINS_FROM = 1e9  # tokens; to train on so many without naming a method is to pretrain
_SERVING_SLOTS = ("quant", "engine", "concurrency", "qps", "input_len", "output_len", "tp")
_TRAINING_SLOTS = ("framework", "zero_stage", "offload", "epochs", "tokens", "dataset_samples", "dataset_gb")


@dataclass(frozen=True, slots=True)
class Group:
    """Every reading of the question for one model on one kind of card; `main` is what the headline is about."""

    subject: Subject
    cards: Cards
    readings: tuple[Reading, ...]
    main: Reading


def tasks_of(question: Question) -> tuple[str, ...]:
    """Pretraining for very many tokens, one method, three for "fine-tune", serving and three where nothing is said."""
    slots = question.slots
    if question.tasks:
        return tuple(dict.fromkeys(name for task in question.tasks for name in methods_of(task) or ("inference",)))
    if slots.task == Task.TRAIN and (slots.tokens or 0) * (slots.epochs or 1) >= _PRETRAINS_FROM:
        return ("pretrain",)
    variant = variant_of(question)
    methods = (variant,) if variant else methods_of(slots.task)
    if methods:
        return methods
    said = slots.stated()
    setup = question.setup
    serves = bool(setup.host_layers or setup.weights_format) or any(name in said for name in _SERVING_SLOTS)
    trains = any(name in said for name in _TRAINING_SLOTS if not (serves and name == "offload"))
    if slots.task is None and trains:
        return methods_of(Task.TRAIN)
    if slots.task is None and slots.precision is None and not serves:
        return ("inference", *methods_of(Task.FINETUNE))
    return ("inference",)


def group_of(
    question: Question, subject: Subject, cards: Cards, context: AdviceContext, *, n_gpus: int | None = None
) -> Group:
    count = n_gpus or cards.count or 1
    readings = [_reading(task, question, subject, cards, n_gpus=count, context=context) for task in tasks_of(question)]
    first = readings[0]
    serves_among_others = question.slots.task is None and len(readings) > 1 and first.task == "inference"
    if serves_among_others and first.verdict == "no" and first.refused is None:
        readings.insert(1, in_few_bits(first, context))
    return Group(subject, cards, tuple(readings), main_of(tuple(readings), question))


def main_reading(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> Reading:
    """The main reading of a group alone, for searches over many cards."""
    count = cards.count or 1
    tasks = tasks_of(question) if question.slots.task == Task.FINETUNE else tasks_of(question)[:1]
    readings = [_reading(task, question, subject, cards, n_gpus=count, context=context) for task in tasks]
    return main_of(tuple(readings), question)


def _reading(
    task: str, question: Question, subject: Subject, cards: Cards, *, n_gpus: int, context: AdviceContext
) -> Reading:
    if task == "inference":
        return spilled(read_serving(question, subject, cards, n_gpus=n_gpus, context=context), question, context)
    return read_training(task, question, subject, cards, n_gpus=n_gpus, context=context)  # type: ignore[arg-type]


def main_of(readings: tuple[Reading, ...], question: Question) -> Reading:
    """As asked; where the method is open, the most demanding method that surely fits, else the first that starts."""
    if question.slots.task != Task.FINETUNE:
        return readings[0]
    sure = [reading for reading in readings if reading.verdict == "yes"]
    tight = [reading for reading in readings if reading.verdict == "tight"]
    return (sure[-1:] or tight[:1] or [readings[0]])[0]


def groups_of(
    question: Question, subjects: tuple[Subject, ...], cards: tuple[Cards, ...], context: AdviceContext
) -> list[Group]:
    pairs = [(subject, card) for subject in subjects for card in cards][:_MOST_PAIRS]
    return [group_of(question, subject, card, context) for subject, card in pairs]


def fit_answer(question: Question, groups: list[Group], headline: Say, context: AdviceContext) -> Answer:
    """The answer for all groups: table, scenarios, what would do instead, and the assumptions of the main reading."""
    main = groups[0].main
    if not main.subject.known:
        size = main.subject.model.params_b
        headline = say("feasibility.unknown_model", name=main.subject.label, size=size, rest=headline)
    readings = [reading for group in groups for reading in group.readings]
    crowded = len(readings) > 3
    steps = [(step, label_in(step, groups)) for reading in readings for step in _steps(reading)[: 2 if crowded else 3]]
    answer = Answer(
        question=question,
        headline=headline,
        language=question.language,
        verdict=main.verdict,
        answered_from="estimator",
        table=Table(FIT_COLUMNS, tuple(fit_row(step, label) for step, label in steps)),
        scenarios=tuple(reading.scenario() for reading in readings) if len(readings) > 1 else (),
        main=main.scenario(),
        alternatives=alternatives_of(readings),
        assumptions=assumptions_of(question, main, context),
        sum=sum_of(main),
        choices=usual_choices(main),
    )
    return with_extras(answer, main, question, context)


def _steps(reading: Reading) -> list[Reading]:
    return steps_of(reading, asked_count=reading.cards.count is not None)


def label_in(reading: Reading, groups: list[Group]) -> Say:
    """The method, with the model and the card where the table shows several."""
    several_models = len({group.subject.label for group in groups}) > 1
    several_cards = len({group.cards.label for group in groups}) > 1
    if not (several_models or several_cards):
        return reading.label
    model = reading.subject.label if several_models else None
    return say("cell.reading", model=model, gpu=reading.cards.label if several_cards else None, method=reading.label)


def alternatives_of(readings: list[Reading]) -> tuple[Alternative, ...]:
    """What would do where the count asked about does not."""
    found = []
    for reading in readings:
        for step in steps_of(reading, asked_count=True)[1:]:
            if step.memory is None or step.verdict is None:
                continue
            label = say("cell.on_cards", method=step.label, cards=cards_said(step.n_gpus, step.cards))
            found.append(Alternative(label, step.cards.label, step.n_gpus, step.task, step.verdict, step.memory))
    return tuple(found)


def assumptions_of(question: Question, main: Reading, context: AdviceContext) -> tuple[Assumption, ...]:
    """What was not said and changed a number: names, count, then the estimator's own defaults."""
    made = [*main.subject.assumed, *main.cards.assumed]
    if main.cards.count is None and question.slots.gpus and main.n_gpus == 1:
        made.append(Assumption("gpus[0].count", 1, say("why.one_card")))
    if isinstance(main.workload, ServingWorkload) and pulls_four_bit(question.slots):
        made.append(Assumption("weights_format", main.workload.weights_format, say("why.ollama")))
    if main.task == "inference" and question.setup.weights_format:
        made.append(Assumption("weights_format", question.setup.weights_format, say("why.bits")))
    if main.estimate is not None:
        made += [Assumption(i.slot, i.value, _why(i.slot, i.why, context)) for i in main.estimate.assumptions]
    if question.slots.task is None:
        made.append(Assumption("task", main.task, say("why.task")))
    return tuple(made)


def _why(slot: str, key: str, context: AdviceContext) -> Say:
    """The reason of a default, from `knowledge/defaults.yaml`."""
    for section in ("training", "serving"):
        entries = context.estimator.defaults.get(section, {})
        found = entries.get(key.rsplit(".", maxsplit=1)[-1]) or entries.get(slot)
        if isinstance(found, dict) and "why_en" in found:
            return bilingual_why(found)
    return say("why.default")


def without_card(cards: Cards) -> Cards:
    """A card large enough for anything: what the job needs in all."""
    return replace(cards, label="", gpu=None, memory_gb=None, count=None)
