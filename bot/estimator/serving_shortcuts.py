"""Speculative decoding and prefix caching: what they gain at the load at hand, by the same roofline."""

from __future__ import annotations

from dataclasses import replace

from bot.estimator.data import EstimatorData
from bot.estimator.serving_pool import cache_pool, running_limit
from bot.estimator.serving_rates import machine_of
from bot.estimator.serving_setup import serving_setup
from bot.estimator.serving_speed import prefill_s, step_s
from bot.estimator.workload import ServingWorkload


def speculative_gain(
    workload: ServingWorkload, data: EstimatorData, *, drafted: int, accepted: float, draft_cost: float = 0.1
) -> float | None:
    """Speed-up of a stream: (accepted + 1) tokens a step that checks `drafted` + 1, with `draft_cost` steps for the draft.

    At one request the check costs little: 4 drafted, 2.5 accepted give about 3. With a full batch the products of all
    drafted tokens count, and the gain sinks below 1 (published: 1.4 to 1.8 times slower at high load). None without a speed.
    """
    setup = serving_setup(workload, data)
    machine = machine_of(setup, data)
    if machine is None:
        return None
    limit = running_limit(setup, cache_pool(setup, data.serving), data)
    batch = limit if setup.concurrency is None else min(setup.concurrency, limit)
    context = setup.input_len + setup.output_len / 2
    plain = step_s(setup, machine, batch, context)
    # The cache is read once for all tokens of a sequence that are checked together.
    check = step_s(setup, machine, batch * (drafted + 1), context / (drafted + 1))
    return (accepted + 1) * plain / (check + draft_cost * plain * max(drafted, 1))


def prefix_cached_prefill_s(workload: ServingWorkload, data: EstimatorData, *, hit_rate: float) -> float | None:
    """Seconds to read a prompt of which `hit_rate` lies in the cache already: only the rest is computed."""
    setup = serving_setup(workload, data)
    machine = machine_of(setup, data)
    if machine is None:
        return None
    fresh = max(1, round(setup.input_len * (1 - hit_rate)))
    whole, rest = (prefill_s(replace(setup, input_len=n), machine, n) for n in (max(setup.input_len, 1), fresh))
    return min(whole, rest)
