"""How many cards to be done in time: the fewest on which a run of known length ends before its deadline."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.fit import Group, assumptions_of, label_in
from bot.advise.money import hourly_said, price_for, sources_of
from bot.advise.phrases import cards_said, sum_of, usual_choices
from bot.advise.readings import Counts, Reading, on_plan
from bot.advise.runs import length_of, run_of, training_of
from bot.answer import Answer, Cell, Say, Table, say
from bot.estimator import TrainingPlan, TrainingWorkload, training_within_hours
from bot.question import Question

_COLUMNS = (
    say("column.method"),
    say("column.cards"),
    say("column.gib_per_card"),
    say("column.wall"),
    say("column.gpu_hours"),
)


def has_deadline(question: Question) -> bool:
    """A run of known length that must end in a known time."""
    slots = question.slots
    return slots.duration_h is not None and bool(slots.tokens or slots.dataset_samples or slots.dataset_gb)


def answer_deadline(question: Question, groups: list[Group], context: AdviceContext) -> Answer | None:
    """None where the job is not training, or where no number of the cards is in time."""
    deadline = question.slots.duration_h
    length = length_of(question.slots, context)
    main = groups[0].main
    plan = _in_time(main, length.tokens, deadline, context)
    if deadline is None or plan is None:
        return None
    timed = on_plan(main, plan, plan.verdict or "tight").with_counts(Counts(plan, plan))
    least = run_of(main, length, context)
    readings = [least, timed] if least.n_gpus < timed.n_gpus else [timed]
    estimate = training_of(timed)
    price = price_for(timed.cards.gpu, question, context)
    lines: list[Say] = [hourly_said(price, timed.n_gpus, timed.cards, context)] if price else []
    return Answer(
        question=question,
        headline=say(
            "deadline.headline",
            model=main.subject.label,
            method=main.label,
            tokens=length.tokens,
            deadline=deadline,
            cards=cards_said(timed.n_gpus, timed.cards),
            wall=estimate.wall_hours if estimate else None,
            least=least.n_gpus if least.n_gpus < timed.n_gpus else None,
        ),
        language=question.language,
        answered_from="estimator",
        body=tuple(lines),
        table=Table(_COLUMNS, tuple(_row(reading, groups) for reading in readings)),
        main=timed.scenario(),
        assumptions=(*length.assumed, *assumptions_of(question, timed, context)),
        sources=sources_of([price], context),
        sum=sum_of(timed),
        choices=usual_choices(timed),
    )


def _in_time(main: Reading, tokens: int, hours: float | None, context: AdviceContext) -> TrainingPlan | None:
    if hours is None or not isinstance(main.workload, TrainingWorkload) or main.cards.gpu is None:
        return None
    workload = replace(main.workload, tokens_b=tokens / 1e9, hardware=main.cards.hardware(None))
    return training_within_hours(_open(workload), context.estimator, wall_hours=hours)


def _open(workload: TrainingWorkload) -> TrainingWorkload:
    """The workload with its layout left to the planner, but for the stages and degrees that were stated."""
    stated = workload.parallelism
    return replace(workload, parallelism=replace(stated, dp=None, fsdp=None) if stated.dp else stated)


def _row(reading: Reading, groups: list[Group]) -> tuple[Cell, ...]:
    estimate = training_of(reading)
    return (
        Cell(say("cell.start", text=label_in(reading, groups))),
        Cell(reading.n_gpus, "count"),
        Cell(reading.memory, "gib"),
        Cell(estimate.wall_hours if estimate else None, "hours"),
        Cell(estimate.gpu_hours if estimate else None, "band"),
    )
