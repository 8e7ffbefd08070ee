"""A load given: the layouts and the number of replicas that carry it, as three plans from economy to headroom."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate
from bot.estimator.serving import estimate_serving
from bot.estimator.serving_planner import layout_on, node_counts
from bot.estimator.workload import ServingWorkload

_MOST_REQUESTS = 4096
_MOST_CARDS = 16  # of one replica: larger ones are for models that need them, and planned by memory
_RECOMMENDED_LOAD = 0.7  # of what a replica carries: beyond, queues grow faster than the load
_HEADROOM_LOAD = 0.5
_LESS = 0.9  # step by which a load is lowered until there is room to spare


@dataclass(frozen=True, slots=True)
class Load:
    """What the service must carry: requests a second, or users at once. Targets are means; None: as it comes."""

    requests_per_s: float | None = None
    users: int | None = None
    ttft_ms: float | None = None
    tpot_ms: float | None = None


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """`replicas` carry the load, `spare` more keep it when one fails. `estimate` is of one replica at `users_each`."""

    name: Literal["economy", "recommended", "headroom"]
    workload: ServingWorkload
    estimate: ServingEstimate
    replicas: int
    spare: int
    users_each: int

    @property
    def gpus_each(self) -> int:
        return self.workload.hardware.n_gpus or 1

    @property
    def n_gpus(self) -> int:
        return self.gpus_each * (self.replicas + self.spare)


def plan_service(workload: ServingWorkload, load: Load, data: EstimatorData) -> tuple[ServicePlan, ...]:
    """Economy (no spare, up to the limit), recommended (70 % of it, one spare) and headroom (half of it, one spare).

    Each on the layout that takes the fewest cards. Empty where no layout of these cards meets the targets.
    """
    carriers = [c for c in (_carrier(w, load, data) for w in _layouts(workload, data)) if c is not None]
    if not carriers:
        return ()
    plans = [
        _cheapest("economy", carriers, load, data, share=1.0, spare=0, sure=False),
        _cheapest("recommended", carriers, load, data, share=_RECOMMENDED_LOAD, spare=1, sure=True),
        _cheapest("headroom", carriers, load, data, share=_HEADROOM_LOAD, spare=1, sure=True),
    ]
    return tuple(plan for plan in plans if plan is not None)


@dataclass(frozen=True, slots=True)
class _Carrier:
    """One replica at the most users that still meet the targets."""

    workload: ServingWorkload
    estimate: ServingEstimate
    users: int
    requests_per_s: float | None

    @property
    def best_rate(self) -> float | None:
        rate = self.estimate.throughput_tokens_per_s
        return rate.best if rate else None


def _layouts(workload: ServingWorkload, data: EstimatorData) -> Iterable[ServingWorkload]:
    for count in node_counts(workload):
        if count > _MOST_CARDS:
            return
        laid_out = layout_on(workload, count, data)
        if laid_out is not None:
            yield laid_out


def _carrier(workload: ServingWorkload, load: Load, data: EstimatorData) -> _Carrier | None:
    """The largest number of requests in flight that meets the targets without waiting for the cache."""

    def at(users: int) -> ServingEstimate | None:
        try:
            estimate = estimate_serving(replace(workload, concurrency=users), data)
        except InvalidWorkload:
            return None
        return estimate if _meets(estimate, load) else None

    first = at(1)
    if first is None:
        return None
    low, high, best = 1, _MOST_REQUESTS, first
    while high - low > max(0, low // 50):
        middle = (low + high + 1) // 2
        found = at(middle)
        low, high, best = (middle, high, found) if found else (low, middle - 1, best)
    rate = best.throughput_tokens_per_s
    output = workload.output_len or _assumed(best, "output_len")
    return _Carrier(workload, best, low, rate.best / output if rate and output else None)


def _meets(estimate: ServingEstimate, load: Load) -> bool:
    if estimate.fits == "no" or estimate.saturated:
        return False
    for figure, target in ((estimate.ttft_ms, load.ttft_ms), (estimate.tpot_ms, load.tpot_ms)):
        if target is not None and (figure is None or figure.best > target):
            return False
    return True


def _cheapest(
    name: Literal["economy", "recommended", "headroom"],
    carriers: Iterable[_Carrier],
    load: Load,
    data: EstimatorData,
    *,
    share: float,
    spare: int,
    sure: bool,
) -> ServicePlan | None:
    plans = []
    for carrier in carriers:
        users = max(1, int(carrier.users * share))
        estimate = _at(carrier, users, data)
        while sure and estimate.fits != "yes" and users > 1:
            users = max(1, int(users * _LESS))
            estimate = _at(carrier, users, data)
        replicas = _replicas(carrier, estimate, users, load, share)
        if replicas is not None and (estimate.fits == "yes" or not sure):
            busy = replace(carrier.workload, concurrency=users)
            plans.append(ServicePlan(name, busy, estimate, replicas, spare, users))
    return min(plans, key=lambda plan: (plan.n_gpus, plan.gpus_each), default=None)


def _at(carrier: _Carrier, users: int, data: EstimatorData) -> ServingEstimate:
    return estimate_serving(replace(carrier.workload, concurrency=users), data)


def _replicas(carrier: _Carrier, estimate: ServingEstimate, users: int, load: Load, share: float) -> int | None:
    """Enough for the users, and for the requests a second at `share` of what a replica could do."""
    needed = [1.0]
    if load.users:
        needed.append(load.users / users)
    if load.requests_per_s:
        if not carrier.requests_per_s or not estimate.throughput_tokens_per_s or not carrier.best_rate:
            return None
        # With fewer users than at the limit a replica also completes fewer requests.
        relative = estimate.throughput_tokens_per_s.best / carrier.best_rate
        needed.append(load.requests_per_s / (carrier.requests_per_s * min(share, relative)))
    return math.ceil(max(needed) - 1e-9)


def _assumed(estimate: ServingEstimate, slot: str) -> int | None:
    value = next((item.value for item in estimate.assumptions if item.slot == slot), None)
    return value if isinstance(value, int) else None
