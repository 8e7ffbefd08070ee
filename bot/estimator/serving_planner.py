"""Layouts searched: which counts of cards carry a workload, and how far a given server goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.catalog.records import GIB
from bot.estimator.cards import GPUS_PER_NODE, node_size
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate
from bot.estimator.serving import estimate_serving, fits_memory, most_gib
from bot.estimator.serving_memory import cache_bytes_per_card, memory_need
from bot.estimator.serving_pool import cache_pool
from bot.estimator.serving_setup import ServingSetup, serving_setup, with_load
from bot.estimator.weight_bound import is_outweighed
from bot.estimator.workload import ServingWorkload

_MOST_NODES = 16


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """A concrete layout on `n_gpus` cards and its estimate."""

    workload: ServingWorkload
    estimate: ServingEstimate
    n_gpus: int


@dataclass(frozen=True, slots=True)
class SmallestServing:
    """The fewest cards with verdict `yes` or `tight`, and with `yes`; None where no count helps."""

    min_gpus: int | None
    min_gpus_yes: int | None
    plan: ServingPlan | None = None
    plan_yes: ServingPlan | None = None


def layout_on(workload: ServingWorkload, n_gpus: int, data: EstimatorData) -> ServingWorkload | None:
    """The workload on `n_gpus` cards as an engineer would lay it out, spelled out; None where TP leaves cards over."""
    setup = _laid_out(workload, n_gpus, data)
    return setup.workload if setup else None


def _laid_out(workload: ServingWorkload, n_gpus: int, data: EstimatorData) -> ServingSetup | None:
    """The same with everything else decided."""
    open_layout = replace(workload, hardware=replace(workload.hardware, n_gpus=n_gpus), tp=None, pp=None, layer_split=None)
    setup = serving_setup(open_layout, data)
    if setup.layer_split > 1:
        return replace(setup, workload=replace(open_layout, layer_split=setup.layer_split))
    if setup.cards * setup.replicas != n_gpus:
        return None
    return replace(setup, workload=replace(open_layout, tp=setup.tp, pp=setup.pp))


def layouts_on(workload: ServingWorkload, n_gpus: int, data: EstimatorData) -> Iterator[ServingWorkload]:
    """The sensible layout, then narrower tensor parallelism with more replicas."""
    sensible = layout_on(workload, n_gpus, data)
    if sensible is None:
        return
    yield sensible
    tp = (sensible.tp or 1) // 2
    while tp and n_gpus <= GPUS_PER_NODE and sensible.layer_split is None:
        yield replace(sensible, tp=tp, pp=1)
        tp //= 2


def plan_serving(
    workload: ServingWorkload, data: EstimatorData, *, counts: Iterable[int] | None = None
) -> tuple[ServingPlan, ...]:
    """Layouts that fit, the surest and fastest first: on `counts`, on the stated count, or on the fewest that do."""
    stated = workload.hardware.n_gpus
    chosen = tuple(counts) if counts is not None else (stated,) if stated else _smallest_and_sure(workload, data)
    laid_out = [layout for n in chosen for layout in layouts_on(workload, n, data)]
    plans = [
        ServingPlan(layout, estimate_serving(layout, data), layout.hardware.n_gpus or 1)
        for layout in laid_out
        if fits_memory(layout, data) != "no"
    ]
    return tuple(sorted(plans, key=_rank))


def _smallest_and_sure(workload: ServingWorkload, data: EstimatorData) -> tuple[int, ...]:
    found = smallest_serving(workload, data)
    return tuple(sorted({n for n in (found.min_gpus, found.min_gpus_yes) if n}))


def _rank(plan: ServingPlan) -> tuple[bool, int, float]:
    rate = plan.estimate.throughput_tokens_per_s
    return plan.estimate.fits != "yes", plan.n_gpus, -(rate.best if rate else 0.0)


def smallest_serving(workload: ServingWorkload, data: EstimatorData) -> SmallestServing:
    """Qwen2-72B in BF16 on A100 80G: tight on 2, yes on 4."""
    first: ServingPlan | None = None
    for count in node_counts(workload):
        if is_outweighed(workload, count, data):
            continue
        setup = _laid_out(workload, count, data)
        verdict = fits_memory(setup, data) if setup else None
        if setup is None or verdict not in ("yes", "tight"):
            continue
        plan = ServingPlan(setup.workload, estimate_serving(setup, data), count)
        first = first or plan
        if verdict == "yes":
            return SmallestServing(first.n_gpus, count, first, plan)
    return SmallestServing(first.n_gpus if first else None, None, first, None)


def longest_serving_context(workload: ServingWorkload, data: EstimatorData) -> int | None:
    """Prompt plus output of each request at the stated concurrency that is expected to fit; None if not even one token.

    Qwen2-72B in BF16 on 2 x A100 80G: about 34,000 tokens for one request with the server's share raised to 0.95.
    """
    setup = serving_setup(workload, data)
    if setup.usable_gib is None:
        return None
    limit = int((setup.model.context_length or 10**7) * setup.stretch)

    def fits(tokens: int) -> bool:
        longer = with_load(setup, request_tokens=tokens)
        return memory_need(longer, data.serving).per_card <= most_gib(longer)

    low, high = 0, limit
    if fits(high):
        return limit
    while high - low > max(1, low // 1000):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low or None


def most_users(workload: ServingWorkload, data: EstimatorData) -> int | None:
    """Requests of the stated lengths that run at once on all cards, before any waits; None where the card is unknown."""
    setup = serving_setup(workload, data)
    pool = cache_pool(setup, data.serving)
    if pool is None:
        return None
    one = cache_bytes_per_card(setup, setup.request_tokens, data.serving["memory"])
    return setup.replicas * min(setup.max_seqs, int(pool.gib_per_card * GIB / one))


def node_counts(workload: ServingWorkload) -> tuple[int, ...]:
    """Counts as they can be rented: 1, 2, 4, 8 of a node, then whole nodes."""
    node = node_size(workload.hardware)
    within = [1 << power for power in range(node.bit_length()) if 1 << power <= node]
    return (*within, *(node * nodes for nodes in range(2, _MOST_NODES + 1)))
