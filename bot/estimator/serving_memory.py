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

    Qwen2-72B in BF16 on 2 cards, one request of 4,000 tokens: 67.7 + 0.6 + 0.4 + 1.1 GiB a card.
    """
    table = calibration["memory"]
    weights = weights_per_card(setup) * _packing(setup, table) / GIB
    requests = setup.concurrency or 1
    cache = requests * cache_bytes_per_card(setup, setup.request_tokens, table) / GIB
    activations = activation_bytes(setup, requests * max(setup.input_len, 1), table) / GIB
    overhead = overhead_gib(setup, table) + graphs_gib(setup, table)
    copies = setup.tp / setup.cache_shards
    whole_cache = requests * sequence_bytes(setup, setup.request_tokens, table) * copies / GIB
    everywhere = (setup.weights.total + _kept_head(setup)) * _packing(setup, table) / GIB
    total = everywhere + max(whole_cache + setup.cards * activations, _loaded_head(setup) / GIB) + setup.cards * overhead
    cache = max(cache, _loaded_head(setup) / GIB - activations)
    return MemoryNeed(weights, cache, activations, overhead, total)


def weights_per_card(setup: ServingSetup) -> float:
    """Bytes of weights on the fullest card: tensor parallelism divides all but norms and routers, stages divide layers.

    Pipeline stages hold equal layers and the last one the head besides. A split by layers counts the head as one layer
    more; llama.cpp leaves the embedding table on the host.
    """
    w, arch = setup.weights, setup.arch
    head = w.head + w.reused_head * setup.engine.host_embedding + _kept_head(setup)
    embedding = 0.0 if setup.engine.host_embedding else w.embedding
    attention = w.attention if setup.workload.dp_attention else w.attention / setup.tp
    if setup.stages == 1:
        rest = w.total - w.head - w.embedding - w.replicated - w.attention + head + embedding
        return attention + rest / setup.tp + w.replicated
    body = attention + (w.mlp + w.experts) / setup.tp
    if setup.layer_split > 1:
        each = (body + w.replicated) / arch.layers
        most = math.ceil((arch.layers + 1) / setup.stages)
        return max(most * each, (most - 1) * each + max(head, embedding + w.other))
    layers = math.ceil(arch.layers / setup.stages) / arch.layers
    return (body + w.replicated) * layers + max(embedding + w.other, head) / setup.tp


def _kept_head(setup: ServingSetup) -> float:
    """A tied head that an eager engine loads as a second table, because the checkpoint holds it."""
    return setup.weights.stored_head if setup.engine.cache == "eager" and setup.weights.keeps_head else 0.0


def _loaded_head(setup: ServingSetup) -> float:
    """A second head that is there while the checkpoint is loaded, before there is a cache."""
    return setup.weights.stored_head if setup.engine.cache == "eager" and not setup.weights.keeps_head else 0.0


def _packing(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """Copies that a library keeps of packed weights for its fused kernels."""
    return float(table["packing"].get(setup.engine.name, 1.0)) if setup.format.weight_only else 1.0


def sequence_bytes(setup: ServingSetup, tokens: float, table: Mapping[str, Any]) -> float:
    """Cache of one sequence, whole model, as this engine keeps it."""
    held = setup.cache.sequence_bytes(tokens, setup.kv_value_bytes)
    return held * table["concatenated_cache"] if _concatenates(setup) else held


def cache_bytes_per_card(setup: ServingSetup, tokens: float, table: Mapping[str, Any]) -> float:
    return sequence_bytes(setup, tokens, table) / (setup.cache_shards * setup.stages)


def activation_bytes(
    setup: ServingSetup, prompt_tokens: float, table: Mapping[str, Any], *, requests: int | None = None
) -> float:
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
    if engine.cache == "paged" and arch.moe_layers:  # each token is copied to the experts that it visits, and back
        per_token += _expert_bytes(setup, table) * (setup.model.moe_topk or 0) * arch.hidden
    factor = _eager_factor(setup, table) if engine.cache == "eager" else 1.0
    scores = table["scores"].get(engine.name, 0.0) * arch.heads * setup.input_len**2 / setup.tp
    if engine.cache == "static" and not _is_fused(setup):  # a step holds its scores over the whole context
        scores += (
            table["step_scores"].get(engine.name, 0.0) * arch.heads * min(tokens, setup.max_model_len) * setup.max_model_len
        )
    sampled = min(requests or setup.concurrency or setup.max_seqs, setup.max_seqs)
    logits = sampled * arch.vocab * _LOGIT_BYTES / setup.tp
    return float(factor * tokens * per_token + logits + scores)


def _is_fused(setup: ServingSetup) -> bool:
    """Flash attention by default, or because a quantised cache of values needs it (llama.cpp refuses one without)."""
    return setup.engine.flash or setup.kv_value_bytes < 2


def _expert_bytes(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """Bytes a hidden unit of each expert visited; an engine's older versions held many more copies in their trial run."""
    older = table["older_experts"].get(setup.engine.name)
    version = _numbers((setup.workload.engine_version or "").split(" ")[0])
    is_older = older is not None and version and version < _numbers(older["before"])
    return float(older["bytes"] if is_older else table["activation_expert"])


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
    if not setup.engine.serves:
        return float(table["process_gib"]) + _rotary_gib(setup, table)
    return float(table["runtime_gib"] + (table["parallel_gib"] if setup.tp > 1 else 0.0))


def graphs_gib(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """Captured CUDA graphs, which servers put beside the share that they reserve."""
    captured = setup.engine.cache == "paged" and not setup.workload.enforce_eager
    return float(table["graphs_gib"]) if captured else 0.0


def _rotary_gib(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """Sine and cosine tables over the whole context, one pair a layer in older code: 0.44 GiB for Qwen2-7B at 32,768."""
    version = _numbers(setup.workload.engine_version)
    if not version or version >= _numbers(table["shared_rotary_since"]):
        return 0.0
    arch = setup.arch
    context = min(setup.model.context_length or 0, table["rotary_context"])
    return float(context * arch.head_dim * 2 * 2 * arch.layers / GIB / setup.cards)


def _concatenates(setup: ServingSetup) -> bool:
    version = setup.workload.engine_version or ""
    return setup.engine.name == "transformers" and version.startswith("torch")


def _eager_factor(setup: ServingSetup, table: Mapping[str, Any]) -> float:
    """How far an eager engine's prompt activations exceed one layer's, by version."""
    version = _numbers(setup.workload.engine_version)
    for step in table["eager_activation"]:
        if version and version >= _numbers(step["since"]):
            return float(step["factor"])
    return float(table["eager_activation"][-1]["factor"])


def _numbers(version: str | None) -> tuple[int, ...]:
    """`4.46.0` as numbers; empty for no version and for one that is not a number (`torch 2.0.1`)."""
    parts = (version or "").split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()
