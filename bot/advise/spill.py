"""Serving with part of the model in host memory, where a message speaks of that: what llama.cpp and KTransformers do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from bot import estimator
from bot.advise.context import AdviceContext
from bot.advise.readings import Reading, host_limit_gib
from bot.answer import Band
from bot.estimator import ServingEstimate, ServingWorkload
from bot.question import Question

if TYPE_CHECKING:
    from bot.estimator import OffloadSplit

_DESKTOP_CARDS = 2
_OF_HOST = 0.9  # the rest is the system's
_SPEED = 0.4  # either way: hosts differ in memory channels more than cards do
_GGUF = "gguf_q4_k_m"


def spilled(reading: Reading, question: Question, context: AdviceContext) -> Reading:
    """`tight` with the layers that the cards lack room for in host memory; the reading itself where nobody spoke of that.

    Llama-3-70B Q4_K_M on one RTX 3090 with 64 GB of RAM: 45 of 80 layers on the card, the other 18 GiB on the host.
    """
    if reading.verdict != "no" or reading.refused is not None or not _wanted(reading, question):
        return reading
    room = _OF_HOST * host_limit_gib(reading.cards, reading.n_gpus, context)
    for workload in _workloads(reading, question):
        split = estimator.offload_split(workload, context.estimator)
        if split is not None and split.host_gib <= room:
            return _on_both(reading, workload, split, context)
    return reading


def _wanted(reading: Reading, question: Question) -> bool:
    """Said, or a desktop's memory named beside its cards; a server of many cards is not bought for that."""
    if question.slots.offload not in (None, "none") or question.setup.host_layers:
        return True
    return question.setup.host_ram_gib is not None and reading.n_gpus <= _DESKTOP_CARDS


def _workloads(reading: Reading, question: Question) -> Iterator[ServingWorkload]:
    """As asked; then, where no type of weights is named, in the 4-bit file that such engines load."""
    assert isinstance(reading.workload, ServingWorkload)
    slots = question.slots
    yield reading.workload
    if slots.precision is None and slots.quant is None and slots.engine in (None, "llama.cpp", "ollama"):
        yield replace(reading.workload, weights_format=_GGUF, engine="llama.cpp", tp=None)


def _on_both(reading: Reading, workload: ServingWorkload, split: OffloadSplit, context: AdviceContext) -> Reading:
    estimate = estimator.estimate_serving(workload, context.estimator)
    speed = Band.around(split.tokens_per_s, _SPEED, _SPEED) if split.tokens_per_s else None
    shared = replace(
        estimate,
        fits="tight",
        memory_gib_per_gpu=_within(estimate, split.gpu_gib / reading.n_gpus),
        decode_tokens_per_s_per_request=speed,
    )
    least = estimator.ServingPlan(workload, shared, reading.n_gpus)
    held = replace(reading, workload=workload, estimate=shared, verdict="tight", split=split)
    return held.with_counts(replace(reading.counts, least=least))


def _within(estimate: ServingEstimate, on_card: float) -> Band:
    """Filled as far as the card goes."""
    usable = estimate.usable_gib_per_gpu or on_card
    return Band(min(on_card, usable) * 0.95, min(on_card, usable), usable)
