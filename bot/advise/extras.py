"""What a reader does next with an answer about memory: the price of the way that works, its time, a run that was measured,
the steps that would make it fit, and the configuration."""

from __future__ import annotations

from dataclasses import replace

from bot import estimator
from bot.advise.context import AdviceContext
from bot.advise.ladder import savings_of
from bot.advise.money import hourly_said, price_for, sources_of
from bot.advise.phrases import cards_said
from bot.advise.readings import Reading, on_plan
from bot.advise.runs import length_of, run_of, training_of
from bot.answer import Answer, Measured, Recipe, Say, say
from bot.estimator import ServingEstimate, ServingWorkload, TrainingEstimate, TrainingWorkload
from bot.question import Question

# Measured quantities that a reader can hold beside the answer.
_TELLING = ("memory", "tokens_per_s")


def with_extras(answer: Answer, main: Reading, question: Question, context: AdviceContext) -> Answer:
    works = _that_works(main)
    price = price_for(works.cards.gpu, question, context) if works else None
    lines: list[Say] = _longest_line(main)
    if works and price:
        lines.append(hourly_said(price, works.n_gpus, works.cards, context))
    if works and isinstance(works.workload, TrainingWorkload):
        lines += _time_line(works, question, context)
    return replace(
        answer,
        body=(*answer.body, *lines),
        measured=answer.measured or _measured(main, context),
        savings=answer.savings or (savings_of(main, context) if main.verdict != "yes" else ()),
        recipes=answer.recipes or (_recipes(works) if works else ()),
        sources=(*answer.sources, *sources_of([price], context)),
    )


def _longest_line(main: Reading) -> list[Say]:
    """How far the length can grow on the cards asked about."""
    if main.longest is None or main.verdict not in ("yes", "tight"):
        return []
    cards = cards_said(main.n_gpus, main.cards)
    return [say("extras.longest", tokens=main.longest, serving=main.task == "inference", method=main.label, cards=cards)]


def _that_works(main: Reading) -> Reading | None:
    """The reading as asked where it fits, else on the fewest cards that hold it."""
    if main.verdict in ("yes", "tight"):
        return main
    plan = main.counts.sure or main.counts.least
    return on_plan(main, plan, "yes" if main.counts.sure else "tight") if plan else None


def _time_line(works: Reading, question: Question, context: AdviceContext) -> list[Say]:
    length = length_of(question.slots, context)
    estimate = training_of(run_of(works, length, context))
    if estimate is None or estimate.wall_hours is None:
        return []
    cards = cards_said(works.n_gpus, works.cards)
    return [say("extras.time", tokens=length.tokens, wall=estimate.wall_hours, method=works.label, cards=cards)]


def _measured(main: Reading, context: AdviceContext) -> tuple[Measured, ...]:
    """The nearest published run, to judge the estimate by."""
    workload = main.workload
    if isinstance(workload, ServingWorkload):
        found = estimator.nearest_serving(workload, context.library.serving_measurements)
    else:
        runs = context.library.training_measurements(workload.method)
        telling = (run for run in runs if run.quantity.startswith(_TELLING))
        found = estimator.nearest_training(workload, telling)
    return (found,) if found else ()


def _recipes(works: Reading) -> tuple[Recipe, ...]:
    """The configuration that realises the answer."""
    if isinstance(works.workload, ServingWorkload) and isinstance(works.estimate, ServingEstimate):
        return (estimator.serving_recipe(works.workload, works.estimate),)
    if isinstance(works.workload, TrainingWorkload) and isinstance(works.estimate, TrainingEstimate):
        return (estimator.training_recipe(works.workload, works.estimate),)
    return ()
