"""Which layouts fit on how many cards, best first; the fewest cards that do; the fewest that meet a deadline or a budget.

Counts are those that can be rented: 1, 2, 4, 8 of a node, then whole nodes. Which layouts are tried is in `layout_choice`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.answer import Verdict
from bot.errors import InvalidWorkload
from bot.estimator.cards import node_size
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import TrainingEstimate
from bot.estimator.layout_choice import layouts_on
from bot.estimator.layouts import is_open
from bot.estimator.training import estimate_training, verdict_of, with_layout
from bot.estimator.weight_bound import is_outweighed
from bot.estimator.workload import TrainingWorkload

_IN_NODE = (1, 2, 4, 8)
_NODES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256)
_CLUSTERS = (384, 512, 768, 1024, 1536, 2048)  # nodes of those that pretrain frontier models: up to 16,384 cards
_FAR = 8  # times the fewest cards: what is still tight there needs something else than cards
_RANK = {"yes": 0, "tight": 1, None: 2, "no": 3}


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A concrete layout on a number of cards, with its estimate."""

    workload: TrainingWorkload
    estimate: TrainingEstimate
    n_gpus: int

    @property
    def verdict(self) -> Verdict | None:
        return self.estimate.fits


@dataclass(frozen=True, slots=True)
class SmallestTraining:
    """The fewest cards with verdict yes or tight, and with yes; None where no count helps."""

    min_gpus: int | None
    min_gpus_yes: int | None
    plan: TrainingPlan | None
    plan_yes: TrainingPlan | None


def plan_training(
    workload: TrainingWorkload, data: EstimatorData, *, counts: Iterable[int] | None = None
) -> tuple[TrainingPlan, ...]:
    """Layouts that fit, surest and fastest first: on the stated count, on `counts`, or on the smallest and the next."""
    stated = workload.hardware.n_gpus
    chosen = tuple(counts) if counts is not None else (stated,) if stated else _smallest_and_next(workload, data)
    fitting = (option for n in chosen for verdict, option in _verdicts_on(workload, n, data) if verdict != "no")
    plans = (_plan(option, data) for option in fitting)
    return tuple(sorted((plan for plan in plans if plan is not None), key=_rank))


def smallest_training(workload: TrainingWorkload, data: EstimatorData) -> SmallestTraining:
    """Llama-3-70B in full on A100 80G: 16 cards are tight, 24 fit."""
    least: TrainingWorkload | None = None
    for n in sensible_counts(workload):
        if least is not None and n > _FAR * (least.hardware.n_gpus or 1):
            break
        if is_outweighed(workload, n, data):
            continue
        verdict, option = _best_on(workload, n, data)
        if option is None or verdict == "no":
            continue
        least = least or option
        if verdict == "yes":
            return _smallest(least, option, data)
    return _smallest(least, None, data)


def training_within_hours(workload: TrainingWorkload, data: EstimatorData, *, wall_hours: float) -> TrainingPlan | None:
    """The fewest cards on which the run ends in time; None where no count does, or the length of the run is not known.

    Mixtral-8x7B on 1e12 tokens in 30 days: 128 H100; Llama-3-70B on 15e12 in 60 days: 6,144.
    """
    for n in _counts_in_time(workload):
        plan = best_plan(workload, n, data)
        hours = plan.estimate.wall_hours if plan and plan.verdict != "no" else None
        if hours is not None and hours.best <= wall_hours:
            return plan
    return None


def training_within_gpu_hours(workload: TrainingWorkload, data: EstimatorData, *, gpu_hours: float) -> TrainingPlan | None:
    """The most cards (so the soonest end) on which the run costs at most so many GPU hours: a budget over a price."""
    within: TrainingPlan | None = None
    for n in sensible_counts(workload):
        plan = best_plan(workload, n, data)
        used = plan.estimate.gpu_hours if plan and plan.verdict != "no" else None
        if used is not None and used.best <= gpu_hours:
            within = plan
    return within


def best_plan(workload: TrainingWorkload, n: int, data: EstimatorData) -> TrainingPlan | None:
    """The layout that a sensible engineer takes on `n` cards; None where nothing can be laid out on them."""
    if workload.method == "pretrain" and is_open(workload.parallelism):
        return _plan(replace(workload, hardware=replace(workload.hardware, n_gpus=n)), data)
    _, option = _best_on(workload, n, data)
    return _plan(option, data) if option is not None else None


def _counts_in_time(workload: TrainingWorkload) -> tuple[int, ...]:
    node = node_size(workload.hardware)
    clusters = (node * k for k in _CLUSTERS) if workload.method == "pretrain" else ()
    return _divisible(workload, (*sensible_counts(workload), *clusters))


def sensible_counts(workload: TrainingWorkload) -> tuple[int, ...]:
    """1, 2, 4, 8, then whole nodes; a stated tensor or pipeline size must divide the count."""
    node = node_size(workload.hardware)
    inside = [n for n in _IN_NODE if n < node] + [node]
    return _divisible(workload, (*inside, *(node * k for k in _NODES)))


def _divisible(workload: TrainingWorkload, counts: tuple[int, ...]) -> tuple[int, ...]:
    given = workload.parallelism
    cards = (given.tp or 1) * (given.pp or 1) * (given.cp or 1)
    return tuple(n for n in counts if n % cards == 0)


def _verdicts_on(
    workload: TrainingWorkload, n: int, data: EstimatorData
) -> Iterator[tuple[Verdict | None, TrainingWorkload]]:
    """The layouts on `n` cards with their verdicts, in the order of simplicity.

    Fine-tuning goes on to tensor parallel only where sharding alone does not fit: few fine-tune that way.
    """
    simpler_fits = False
    for option in layouts_on(workload, n):
        if simpler_fits and _splits_layers(option) and workload.method != "pretrain":
            return
        try:
            verdict = verdict_of(option, data)
        except InvalidWorkload:
            continue
        simpler_fits = simpler_fits or verdict != "no"
        yield verdict, option


def _splits_layers(option: TrainingWorkload) -> bool:
    return max(option.parallelism.tp or 1, option.parallelism.ep or 1) > 1


def _best_on(workload: TrainingWorkload, n: int, data: EstimatorData) -> tuple[Verdict | None, TrainingWorkload | None]:
    """The first layout with verdict yes; else the first tight one; else any."""
    best: tuple[Verdict | None, TrainingWorkload | None] = ("no", None)
    for verdict, option in _verdicts_on(workload, n, data):
        if best[1] is None or _RANK[verdict] < _RANK[best[0]]:
            best = (verdict, option)
        if verdict == "yes":
            break
    return best


def _smallest(least: TrainingWorkload | None, sure: TrainingWorkload | None, data: EstimatorData) -> SmallestTraining:
    plan = _plan(least, data) if least else None
    plan_yes = _plan(sure, data) if sure else None
    return SmallestTraining(plan.n_gpus if plan else None, plan_yes.n_gpus if plan_yes else None, plan, plan_yes)


def _smallest_and_next(workload: TrainingWorkload, data: EstimatorData) -> tuple[int, ...]:
    smallest = smallest_training(workload, data)
    if smallest.min_gpus is None:
        return ()
    counts = sensible_counts(workload)
    start = counts.index(smallest.min_gpus)
    return counts[start : start + 4]


def _plan(workload: TrainingWorkload, data: EstimatorData) -> TrainingPlan | None:
    try:
        workload = with_layout(workload, data)
        return TrainingPlan(workload, estimate_training(workload, data), workload.hardware.n_gpus or 1)
    except InvalidWorkload:
        return None


def _rank(plan: TrainingPlan) -> tuple[int, int, float]:
    speed = plan.estimate.tokens_per_s_per_gpu
    return _RANK[plan.verdict], plan.n_gpus, -(speed.best if speed else 0.0)
