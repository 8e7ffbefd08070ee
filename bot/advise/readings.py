"""A question read in one way and estimated: the method, the cards, the verdict, and how many cards would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from bot import estimator
from bot.advise.context import AdviceContext
from bot.advise.setup import Cards, Subject, usual
from bot.advise.workloads import serving_workload, training_workload
from bot.answer import Band, Scenario, Text, Verdict, say
from bot.errors import InvalidWorkload, UnsupportedWorkload
from bot.estimator import ServingEstimate, ServingWorkload, TrainingEstimate, TrainingWorkload
from bot.estimator.workload import Method
from bot.question import Question

if TYPE_CHECKING:
    from bot.estimator import OffloadSplit, ServingPlan, TrainingPlan

    Plan = TrainingPlan | ServingPlan

Workload = TrainingWorkload | ServingWorkload
Estimate = TrainingEstimate | ServingEstimate


@dataclass(frozen=True, slots=True)
class Counts:
    """The fewest cards that start (`yes` or `tight`) and the fewest with room to spare; None: no count helps."""

    least: Plan | None = None
    sure: Plan | None = None

    @property
    def n_least(self) -> int | None:
        return self.least.n_gpus if self.least else None

    @property
    def n_sure(self) -> int | None:
        return self.sure.n_gpus if self.sure else None


def _no_counts() -> Counts:
    return Counts()


def _no_length() -> None:
    return None


@dataclass(frozen=True)
class Limits:
    """How far a reading goes. Each limit is a search: it is worked out when it is first asked for, and once."""

    find_counts: Callable[[], Counts] = _no_counts
    find_longest: Callable[[], int | None] = _no_length

    @cached_property
    def counts(self) -> Counts:
        return self.find_counts()

    @cached_property
    def longest(self) -> int | None:
        return self.find_longest()


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a question on `n_gpus` cards. `refused`: the estimator's reason why it cannot run at all."""

    task: str
    subject: Subject
    cards: Cards
    workload: Workload
    estimate: Estimate | None
    verdict: Verdict | None
    limits: Limits = field(default_factory=Limits, compare=False, repr=False)
    refused: InvalidWorkload | None = None
    split: OffloadSplit | None = None  # where part of the model lies in host memory
    names_weights: bool = False  # served in weights that nobody asked for, so that the label says which

    @property
    def n_gpus(self) -> int:
        return self.workload.hardware.n_gpus or 1

    @property
    def counts(self) -> Counts:
        return self.limits.counts

    @property
    def longest(self) -> int | None:
        """Tokens of a sequence, or of a request, that still fit."""
        return self.limits.longest

    def with_counts(self, counts: Counts) -> Reading:
        return replace(self, limits=Limits(lambda: counts, lambda: self.longest))

    @property
    def label(self) -> Text:
        if self.names_weights and isinstance(self.workload, ServingWorkload):
            return say("method.inference_in", weights=self.workload.weights_format)
        return say(f"method.{self.task}")

    @property
    def memory(self) -> Band | None:
        return self.estimate.memory_gib_per_gpu if self.estimate else None

    @property
    def usable_gib(self) -> float | None:
        return self.estimate.usable_gib_per_gpu if self.estimate else None

    def scenario(self) -> Scenario:
        return Scenario(
            task=self.task,
            label=self.label,
            verdict=self.verdict,
            estimate=self.estimate,
            n_gpus=self.n_gpus,
            min_gpus=self.counts.n_least,
            min_gpus_yes=self.counts.n_sure,
            max_seq_len=self.longest,
        )


def read_training(
    method: Method, question: Question, subject: Subject, cards: Cards, *, n_gpus: int, context: AdviceContext
) -> Reading:
    return read(method, subject, cards, training_workload(method, question, subject, cards, n_gpus), context)


def read_serving(
    question: Question, subject: Subject, cards: Cards, *, n_gpus: int, context: AdviceContext, weights: str | None = None
) -> Reading:
    workload = serving_workload(question, subject, cards, n_gpus)
    if weights:
        workload = replace(workload, weights_format=weights)
    reading = read("inference", subject, cards, workload, context)
    return _stood_in(reading, workload, context) if _lacks_format(reading) else reading


# What stands in for weights that the card cannot compute with: the same bytes, so that size and counts still tell.
_SAME_BYTES = {"fp8": "int8_w8a8", "nvfp4": "awq_int4"}


def _lacks_format(reading: Reading) -> bool:
    """The weights, as asked or as published, are of a type that the card has no arithmetic for."""
    if reading.refused is not None:
        return reading.refused.field == "weights_format" and reading.refused.value in _SAME_BYTES
    gpu = reading.cards.gpu
    native = format_of(reading)
    return gpu is not None and native == "fp8" and not gpu.fp8_tflops and reading.counts.least is None


def _stood_in(reading: Reading, workload: ServingWorkload, context: AdviceContext) -> Reading:
    """The reading with figures of weights of the same size that the card does run; the verdict stays no."""
    same = replace(workload, weights_format=_SAME_BYTES[format_of(reading) or "fp8"])
    other = read("inference", reading.subject, reading.cards, same, context)
    return replace(other, verdict="no", refused=reading.refused) if other.estimate else reading


def format_of(reading: Reading) -> str | None:
    """The weights of a reading: as asked, or the checkpoint's own type as the estimator read it."""
    if not isinstance(reading.workload, ServingWorkload):
        return None
    if reading.workload.weights_format or reading.estimate is None:
        return reading.workload.weights_format
    return next((str(a.value) for a in reading.estimate.assumptions if a.slot == "weights_format"), None)


def read(task: str, subject: Subject, cards: Cards, workload: Workload, context: AdviceContext) -> Reading:
    """The workload estimated, with the counts that would do and the longest text that fits."""
    reading = estimated(Reading(task, subject, cards, workload, None, None), context)
    known = reading.estimate is not None and (cards.gpu or cards.memory_gb)
    return _as_planned(_with_limits(reading, context)) if known else reading


def _as_planned(reading: Reading) -> Reading:
    """A planner may lay the same cards out better than by default: tensor parallel in place of shards alone."""
    if reading.verdict != "no" or reading.n_gpus == 1:
        return reading
    counts = reading.counts
    if counts.least is None or counts.n_least != reading.n_gpus:
        return reading
    return on_plan(reading, counts.least, "yes" if counts.n_sure == reading.n_gpus else "tight")


def _with_itself(counts: Counts, reading: Reading) -> Counts:
    """Cards that do are counted among those that do: a planner leaves out odd counts, 3 with whole layers on each."""
    n = reading.n_gpus
    least = counts.least if counts.n_least and counts.n_least <= n else None
    sure = counts.sure if counts.n_sure and counts.n_sure <= n else None
    starts, surely = reading.verdict in ("yes", "tight"), reading.verdict == "yes"
    return Counts(
        least=least or (_plan_of(reading) if starts else counts.least),
        sure=sure or (_plan_of(reading) if surely else counts.sure),
    )


def _plan_of(reading: Reading) -> Plan:
    """The reading itself as a plan."""
    if isinstance(reading.workload, TrainingWorkload):
        assert isinstance(reading.estimate, TrainingEstimate)
        return estimator.TrainingPlan(reading.workload, reading.estimate, reading.n_gpus)
    assert isinstance(reading.estimate, ServingEstimate)
    return estimator.ServingPlan(reading.workload, reading.estimate, reading.n_gpus)


def estimated(reading: Reading, context: AdviceContext) -> Reading:
    """The reading with the estimate of its workload; counts and limits are kept."""
    workload = reading.workload
    try:
        if isinstance(workload, TrainingWorkload):
            estimate: Estimate = estimator.estimate_training(workload, context.estimator)
        else:
            estimate = estimator.estimate_serving(workload, context.estimator)
    except InvalidWorkload as exc:
        return replace(reading, verdict="no", refused=exc)
    except UnsupportedWorkload:
        return reading
    return replace(reading, estimate=estimate, verdict=_within_host(estimate, reading.cards, reading.n_gpus, context))


def is_too_large(workload: Workload, context: AdviceContext) -> bool:
    """Whether it surely does not fit or cannot run at all, by memory alone: for searches that drop most of what they try."""
    data = context.estimator
    try:
        if estimator.is_outweighed(workload, workload.hardware.n_gpus or 1, data):
            return True
        if isinstance(workload, TrainingWorkload):
            return estimator.training_verdict(workload, data) == "no"
        return estimator.fits_memory(workload, data) == "no"
    except InvalidWorkload:
        return True
    except UnsupportedWorkload:
        return False


# More cards than this are no advice for a job that fewer can start.
_MOST_SAID = 256


def _with_limits(reading: Reading, context: AdviceContext) -> Reading:
    limits = Limits(lambda: _counts_of(reading, context), lambda: _longest_of(reading, context))
    return replace(reading, limits=limits)


def _counts_of(reading: Reading, context: AdviceContext) -> Counts:
    """The fewest cards, as far as their hosts hold what is offloaded."""
    workload, data = reading.workload, context.estimator
    if not isinstance(workload, TrainingWorkload):
        served = estimator.smallest_serving(workload, data)
        return _with_itself(Counts(served.plan, served.plan_yes), reading)
    smallest = estimator.smallest_training(workload, data)
    sure = smallest.plan_yes if smallest.plan_yes and smallest.plan_yes.n_gpus <= _MOST_SAID else None
    if sure is not None and _within_host(sure.estimate, reading.cards, sure.n_gpus, context) != "yes":
        sure = None
    least = smallest.plan
    if least is not None and _within_host(least.estimate, reading.cards, least.n_gpus, context) == "no":
        least = sure or _least_with_host(reading, least.estimate, context)
    return _with_itself(Counts(least, sure), reading)


def _longest_of(reading: Reading, context: AdviceContext) -> int | None:
    workload, data = reading.workload, context.estimator
    if isinstance(workload, TrainingWorkload):
        return estimator.longest_training_seq(workload, data)
    return estimator.longest_serving_context(workload, data)


def _within_host(estimate: Estimate, cards: Cards, n_gpus: int, context: AdviceContext) -> Verdict | None:
    """Offloaded states must fit the host too: `tight` where they need more than hosts usually have, `no` beyond any host."""
    if estimate.fits == "no" or not isinstance(estimate, TrainingEstimate) or not estimate.host_ram_gib:
        return estimate.fits
    usual_host = usual(context.folder)["host_ram_gib_per_gpu"]
    most = host_limit_gib(cards, n_gpus, context)
    usually = cards.host_ram_gib or usual_host["value"] * n_gpus
    if estimate.host_ram_gib > most:
        return "no"
    return "tight" if estimate.host_ram_gib > usually else estimate.fits


def _least_with_host(reading: Reading, small: TrainingEstimate, context: AdviceContext) -> TrainingPlan | None:
    """The smallest count whose hosts hold what is offloaded. 70B, 1,183 GiB: 3 cards' hosts at most 512 each, so 4."""
    assert isinstance(reading.workload, TrainingWorkload)
    if reading.cards.host_ram_gib or not small.host_ram_gib:
        return None
    share = host_limit_gib(reading.cards, 1, context)
    count = 1
    while count * share < small.host_ram_gib:
        count *= 2
    plans = estimator.plan_training(reading.workload, context.estimator, counts=(count,)) if count <= _MOST_SAID else ()
    return next(iter(plans), None)


def host_limit_gib(cards: Cards, n_gpus: int, context: AdviceContext) -> float:
    """Host memory as said, or the most that hosts of so many cards are sold with."""
    most: float = usual(context.folder)["host_ram_gib_per_gpu"]["most"]
    return cards.host_ram_gib or most * n_gpus


def in_few_bits(reading: Reading, context: AdviceContext) -> Reading:
    """The same served with 4-bit weights, of the kind that the engine loads: the one a refusal names, if it does."""
    workload, refused = reading.workload, reading.refused
    assert isinstance(workload, ServingWorkload)
    weights = "gguf_q4_k_m" if workload.engine in ("llama.cpp", "ollama") else "awq_int4"
    if refused is not None and refused.field == "weights_format" and refused.choices:
        weights = refused.choices[0]
    smaller = replace(workload, weights_format=weights)
    return replace(read("inference", reading.subject, reading.cards, smaller, context), names_weights=True)


def on_plan(reading: Reading, plan: Plan, verdict: Verdict) -> Reading:
    """The same reading as one of its plans lays it out."""
    return replace(reading, workload=plan.workload, estimate=plan.estimate, verdict=verdict, refused=None)


def steps_of(reading: Reading, *, asked_count: bool) -> list[Reading]:
    """The count asked about, then the fewest that start and the fewest with room, as far as they differ."""
    if reading.verdict == "yes":
        return [reading]
    steps = [reading]
    for plan, verdict in ((reading.counts.least, _least_verdict(reading)), (reading.counts.sure, "yes")):
        if plan is not None and plan.n_gpus > steps[-1].n_gpus:
            steps.append(on_plan(reading, plan, verdict))
    # Nobody asked about one card: what would do says it all.
    return steps[1:] if len(steps) > 1 and reading.verdict == "no" and not asked_count else steps


def _least_verdict(reading: Reading) -> Verdict:
    return "yes" if reading.counts.n_least == reading.counts.n_sure else "tight"
