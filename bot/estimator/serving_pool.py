"""What an engine sets aside for the cache, and how many tokens and requests that holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.catalog.records import GIB
from bot.estimator.serving_memory import activation_bytes, cache_bytes_per_card, overhead_gib, step_tokens, weights_per_card
from bot.estimator.serving_setup import ServingSetup


@dataclass(frozen=True, slots=True)
class Pool:
    """Of one replica. `tokens` counts what sequences of `max_model_len` put in; 0 where nothing is left."""

    gib_per_card: float
    tokens: float
    requests: float  # of max_model_len tokens


def cache_pool(setup: ServingSetup, calibration: Mapping[str, Any]) -> Pool | None:
    """The pool after weights, activations, graphs and reserve; None where the card's size is not known.

    Llama-3.1-8B in BF16 on a 24 GB card, vLLM 0.6 at 20,000: 0.9 x 23.6 - 15.0 - 2.1 - 0.35 = 3.8 GiB, 31,000 tokens.
    """
    if setup.usable_gib is None:
        return None
    table = calibration["memory"]
    gib = max(0.0, budget_gib(setup) - _before_cache(setup, table))
    if setup.engine.of_free:
        free = setup.usable_gib - _before_cache(setup, table)
        gib = max(0.0, free * (setup.utilisation or 1.0))
    one = cache_bytes_per_card(setup, setup.max_model_len, table)
    requests = gib * GIB / one if one else 0.0
    return Pool(gib, requests * setup.max_model_len, requests)


def budget_gib(setup: ServingSetup) -> float:
    """What the engine may take of one card. Engines that reserve nothing may take all of it."""
    usable = setup.usable_gib or 0.0
    share = setup.utilisation if setup.utilisation is not None and not setup.engine.of_free else 1.0
    return usable * share


def running_limit(setup: ServingSetup, pool: Pool | None, calibration: Mapping[str, Any]) -> float:
    """Requests that run at once: as many as the pool and the engine's own limit allow, at the lengths at hand."""
    limit = float(setup.max_seqs)
    if pool is None or setup.engine.cache == "eager":
        return limit
    mean = setup.input_len + setup.output_len * 0.75  # half-grown on average, with some of the pool kept free for growth
    one = cache_bytes_per_card(setup, max(mean, 1), calibration["memory"])
    return max(1.0, min(limit, pool.gib_per_card * GIB / one)) if one else limit


def _before_cache(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    activations = activation_bytes(setup, step_tokens(setup), table) / GIB
    return weights_per_card(setup) / GIB + activations + overhead_gib(setup, table)
