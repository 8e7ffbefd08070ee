"""The sum behind a serving estimate's memory, with the user's numbers in each line."""

from __future__ import annotations

from bot.answer import SumLine, say
from bot.catalog.records import GIB
from bot.estimator.serving_memory import MemoryNeed
from bot.estimator.serving_setup import ServingSetup


def memory_sum(setup: ServingSetup, need: MemoryNeed) -> tuple[SumLine, ...]:
    """One line a part of `need`, on the fullest card. `72.7e9 x bf16 = 135.4 GiB / 2` for Qwen2-72B on two cards."""
    lines = (
        ("weights", need.weights, _weights(setup)),
        ("kv_cache", need.cache, _cache(setup)),
        ("activations", need.activations, ""),
        ("overhead", need.overhead, ""),
    )
    return tuple(SumLine(say(f"breakdown.{name}"), value, "GiB", formula) for name, value, formula in lines if value > 0)


def _weights(setup: ServingSetup) -> str:
    whole = f"{setup.arch.total / 1e9:.4g}e9 x {setup.format.name} = {setup.weights.total / GIB:.1f} GiB"
    return f"{whole} / {setup.cards}" if setup.cards > 1 else whole


def _cache(setup: ServingSetup) -> str:
    each = setup.cache.growing * setup.kv_value_bytes
    copies = setup.cache_shards * setup.stages
    shared = f" / {copies}" if copies > 1 else ""
    return f"{setup.concurrency or 1:,} x {setup.request_tokens:,} x {each:,.0f} B{shared}"
