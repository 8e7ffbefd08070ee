"""Memory that one replica needs for the requests at hand: never what an engine reserves, that is `serving_pool`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.catalog.records import GIB
from bot.estimator.serving_setup import ServingSetup

_LOGIT_BYTES = 4  # sampling works on FP32 logits


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """GiB on the fullest card, by part, and over all cards of the replica."""

    weights: float
    cache: float
    activations: float
    overhead: float
    total: float

    @property
    def per_card(self) -> float:
        return self.weights + self.cache + self.activations + self.overhead


def memory_need(setup: ServingSetup, calibration: Mapping[str, Any]) -> MemoryNeed:
    """Weights + cache of the requests in flight + activations of one step + what the runtime holds.

    Qwen2-72B in BF16 on 2 cards, one request of 4,000 tokens: 67.7 + 0.6 + 1.3 + 1.1 GiB a card.
    """
    table = calibration["memory"]
    weights = weights_per_card(setup) / GIB
    requests = setup.concurrency or 1
    cache = requests * cache_bytes_per_card(setup, setup.request_tokens, table) / GIB
    activations = activation_bytes(setup, requests * max(setup.input_len, 1), table) / GIB
    overhead = overhead_gib(setup, table)
    copies = setup.tp / setup.cache.shards(setup.tp)
    whole_cache = requests * sequence_bytes(setup, setup.request_tokens, table) * copies / GIB
    total = setup.weights.total / GIB + whole_cache + setup.cards * (activations + overhead)
    return MemoryNeed(weights, cache, activations, overhead, total)


def weights_per_card(setup: ServingSetup) -> float:
    """Bytes of weights on the fullest card: tensor parallelism divides all but norms and routers, stages divide layers."""
    w, arch = setup.weights, setup.arch
    if setup.stages == 1:
        return (w.total - w.replicated) / setup.tp + w.replicated
    layers = math.ceil(arch.layers / setup.stages) / arch.layers
    body = (w.attention + w.mlp + w.experts) * layers / setup.tp
    return body + max(w.embedding + w.other, w.head) / setup.tp + w.replicated * layers


def sequence_bytes(setup: ServingSetup, tokens: float, table: Mapping[str, Any]) -> float:
    """Cache of one sequence, whole model, as this engine keeps it."""
    held = setup.cache.sequence_bytes(tokens, setup.kv_value_bytes)
    return held * table["concatenated_cache"] if _concatenates(setup) else held


def cache_bytes_per_card(setup: ServingSetup, tokens: float, table: Mapping[str, Any]) -> float:
    return sequence_bytes(setup, tokens, table) / (setup.cache.shards(setup.tp) * setup.stages)


def activation_bytes(setup: ServingSetup, prompt_tokens: float, table: Mapping[str, Any]) -> float:
    """Peak of one layer's activations for the prompt tokens of one step, and the logits of the requests.

    6 bytes for each hidden and each MLP unit: Llama-3.1-8B 108 KiB a token (its logs: 107).
    """
    arch, engine = setup.arch, setup.engine
    width = arch.intermediate
    if arch.moe_layers:
        visited = (setup.model.moe_topk or 0) + (setup.model.moe_shared or 0)
        width = max(visited * (setup.model.moe_intermediate or width), arch.intermediate if arch.dense_layers else 0)
    tokens = prompt_tokens
    if engine.cache != "eager":
        tokens = min(tokens, step_tokens(setup))
    per_token = table["activation_mlp"] * width / setup.tp + table["activation_hidden"] * arch.hidden
    factor = _eager_factor(setup, table) if engine.cache == "eager" else 1.0
    logits = min(setup.concurrency or setup.max_seqs, setup.max_seqs) * arch.vocab * _LOGIT_BYTES / setup.tp
    return float(factor * tokens * per_token + logits)


def step_tokens(setup: ServingSetup) -> int:
    """Prompt tokens that the engine takes in one step: its own limit, or the longest request without chunked prefill."""
    engine, limit = setup.engine, setup.max_model_len
    if engine.batched_tokens is None:
        if engine.chunk_above is not None and limit > engine.chunk_above:
            return engine.chunk or limit
        return limit
    if engine.small_card_tokens is not None and (setup.usable_gib or 0) < 70:
        return engine.small_card_tokens
    return engine.batched_tokens


def overhead_gib(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """What is neither weights, cache nor activations: the runtime, communication buffers, captured graphs."""
    if setup.engine.cache == "eager":
        return float(table["process_gib"])
    graphs = 0.0 if setup.workload.enforce_eager or setup.engine.cache == "static" else table["graphs_gib"]
    return float(table["runtime_gib"] + (table["parallel_gib"] if setup.tp > 1 else 0.0) + graphs)


def _concatenates(setup: ServingSetup) -> bool:
    version = setup.workload.engine_version or ""
    return setup.engine.name == "transformers" and version.startswith("torch")


def _eager_factor(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    version = setup.workload.engine_version
    numbers = tuple(int(p) for p in version.split(".") if p.isdigit()) if version else ()
    for step in table["eager_activation"]:
        if numbers and numbers >= tuple(int(p) for p in step["since"].split(".")):
            return float(step["factor"])
    return 1.0
