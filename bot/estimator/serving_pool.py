"""What an engine sets aside for the cache, and how many tokens and requests that holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.catalog.records import GIB
from bot.estimator.data import EstimatorData
from bot.estimator.serving_memory import activation_bytes, cache_bytes_per_card, overhead_gib, step_tokens, weights_per_card
from bot.estimator.serving_rates import speed_row
from bot.estimator.serving_setup import ServingSetup


@dataclass(frozen=True, slots=True)
class Pool:
    """Of one replica. `tokens` counts what sequences of `max_model_len` put in; 0 where nothing is left."""

    gib_per_card: float
    tokens: float
    requests: float  # of max_model_len tokens


def cache_pool(setup: ServingSetup, calibration: Mapping[str, Any]) -> Pool | None:
    """The pool after weights, activations, graphs and reserve; None where the card's size is not known.

    Llama-3.1-8B in BF16 on a 24 GB card, vLLM 0.6 at 20,000: 0.9 x 23.5 - 15.0 - 2.2 - 0.35 = 3.7 GiB, 30,000 tokens
    (its log: 3.81 GiB, 31,232).
    """
    if setup.usable_gib is None:
        return None
    table = calibration["memory"]
    gib = max(0.0, _left_gib(setup, table))
    one = cache_bytes_per_card(setup, setup.max_model_len, table)
    if setup.cache.state_bytes or setup.cache.sliding:  # pages of unlike layers are aligned to each other
        one /= table["aligned_share"]
    requests = gib * GIB / one if one else 0.0
    return Pool(gib, requests * setup.max_model_len, requests)


def budget_gib(setup: ServingSetup) -> float:
    """What the engine may take of one card. Engines that reserve nothing may take all of it."""
    usable = setup.usable_gib or 0.0
    share = setup.utilisation if setup.utilisation is not None and not setup.engine.of_free else 1.0
    return usable * share


def running_limit(setup: ServingSetup, pool: Pool | None, data: EstimatorData) -> float:
    """Requests that run at once: as many as the pool and the engine's own limit allow, at the lengths at hand."""
    limit = float(setup.max_seqs)
    if pool is None or setup.engine.cache == "eager":
        return limit
    # Some engines admit a request only with room for all its output, others on the way.
    mean = (
        setup.input_len
        + setup.output_len * speed_row(setup.engine.name, setup.workload.engine_version, setup.gpu, data).admission
    )
    one = cache_bytes_per_card(setup, max(mean, 1), data.serving["memory"])
    return max(1.0, min(limit, pool.gib_per_card * GIB / one)) if one else limit


def _left_gib(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """What is left for the cache on each card, by what the engine's share is a share of."""
    usable = (setup.usable_gib or 0.0) - table["driver_gib"]
    share = setup.utilisation if setup.utilisation is not None else 1.0
    weights, overhead = weights_per_card(setup) / GIB, overhead_gib(setup, table)
    # A server sets aside for its largest step, whatever the load.
    activations = activation_bytes(setup, step_tokens(setup), table, requests=setup.max_seqs) / GIB
    if setup.engine.static:
        return float(share * (usable - table["parallel_gib"] * (setup.tp > 1) - table["context_gib"]) - weights)
    if setup.engine.of_free:
        return float(share * (usable - weights - activations - overhead))
    return float(share * usable - weights - activations - overhead)
