"""A question read in one way and estimated: the method, the cards, the verdict, and how many cards would do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.setup import Cards, Subject, usual
from bot.advise.workloads import serving_workload, training_workload
from bot.answer import Scenario, Text, Verdict, say
from bot.errors import InvalidWorkload, UnsupportedWorkload
from bot.estimator import (
    EstimatorData,
    ServingEstimate,
    ServingWorkload,
    TrainingEstimate,
    TrainingWorkload,
    estimate_serving,
    estimate_training,
)
from bot.estimator.workload import Method
from bot.question import Question

Workload = TrainingWorkload | ServingWorkload
Estimate = TrainingEstimate | ServingEstimate


@dataclass(frozen=True, slots=True)
class Counts:
    """The fewest cards that start (`yes` or `tight`) and the fewest with room to spare; None: no count helps."""

    least: int | None = None
    sure: int | None = None
    least_estimate: Estimate | None = None
    sure_estimate: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a question on `n_gpus` cards. `refused`: the estimator's reason why it cannot run at all."""

    task: str
    subject: Subject
    cards: Cards
    n_gpus: int
    workload: Workload
    estimate: Estimate | None
    verdict: Verdict | None
    counts: Counts = Counts()
    max_seq_len: int | None = None
    refused: InvalidWorkload | None = None

    @property
    def label(self) -> Text:
        return say(f"method.{self.task}")

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
            min_gpus=self.counts.least,
            min_gpus_yes=self.counts.sure,
            max_seq_len=self.max_seq_len,
        )


def read_training(
    method: Method, question: Question, subject: Subject, cards: Cards, *, n_gpus: int, context: AdviceContext
) -> Reading:
    workload = training_workload(method, question, subject, cards, n_gpus)
    return _reading(method, subject, cards, workload, context)


def read_serving(question: Question, subject: Subject, cards: Cards, *, n_gpus: int, context: AdviceContext) -> Reading:
    workload = serving_workload(question, subject, cards, n_gpus)
    return _reading("inference", subject, cards, workload, context)


def _reading(task: str, subject: Subject, cards: Cards, workload: Workload, context: AdviceContext) -> Reading:
    n_gpus = workload.hardware.n_gpus or 1
    try:
        estimate = estimate_of(workload, context.estimator)
    except InvalidWorkload as exc:
        return Reading(task, subject, cards, n_gpus, workload, None, "no", refused=exc)
    except UnsupportedWorkload:
        return Reading(task, subject, cards, n_gpus, workload, None, None)
    verdict = _with_host_memory(estimate, n_gpus, context)
    return Reading(task, subject, cards, n_gpus, workload, estimate, verdict)


def _with_host_memory(estimate: Estimate, n_gpus: int, context: AdviceContext) -> Verdict | None:
    """Offloaded states must fit the host too: `yes` becomes `tight` where they need more than hosts usually have."""
    if estimate.fits != "yes" or not isinstance(estimate, TrainingEstimate) or not estimate.host_ram_gib:
        return estimate.fits
    usually = usual(context.folder)["host_ram_gib_per_gpu"]["value"] * n_gpus
    return "tight" if estimate.host_ram_gib > usually else "yes"


def estimate_of(workload: Workload, data: EstimatorData) -> Estimate:
    if isinstance(workload, TrainingWorkload):
        return estimate_training(workload, data)
    return estimate_serving(workload, data)


def with_counts(reading: Reading, context: AdviceContext) -> Reading:
    """The reading with the counts that would do."""
    if reading.cards.gpu is None and reading.cards.memory_gb is None:
        return reading
    return replace(reading, counts=counts_for(reading.workload, context))


def at_count(reading: Reading, n_gpus: int, context: AdviceContext) -> Reading:
    """The same reading on another number of cards."""
    hardware = replace(reading.workload.hardware, n_gpus=n_gpus)
    workload: Workload = replace(reading.workload, hardware=hardware)
    again = _reading(reading.task, reading.subject, reading.cards, workload, context)
    return replace(again, counts=reading.counts)


# Counts that people rent: single cards, halves of a node, whole nodes of eight.
_COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)


def counts_for(workload: Workload, context: AdviceContext) -> Counts:
    least: tuple[int, Estimate] | None = None
    for count in _COUNTS:
        sized: Workload = replace(workload, hardware=replace(workload.hardware, n_gpus=count))
        try:
            estimate = estimate_of(sized, context.estimator)
        except (InvalidWorkload, UnsupportedWorkload):
            continue
        if least is None and estimate.fits in ("yes", "tight"):
            least = (count, estimate)
        if estimate.fits == "yes":
            assert least is not None
            return Counts(least[0], count, least[1], estimate)
    return Counts(*(least[0], None, least[1], None) if least else ())
