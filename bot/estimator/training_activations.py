"""Activations and logits of one micro batch on one card, in bytes.

What a layer keeps for its backward pass, by the code path: fused kernels keep 16-bit inputs, eager RMSNorm keeps fp32
copies, a frozen matrix does not need its input, an adapter does. Flash attention keeps no scores. Full checkpointing keeps
the input of each layer and one layer whole. Sources: arXiv 2205.05198 for the layer, the frameworks' code for the copies.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.estimator.training_constants import MemoryConstants
from bot.estimator.training_setup import Setup
from bot.estimator.training_states import Stage

# Part of a layer's activations that selective checkpointing keeps; op and layer (torchtitan, fms-fsdp): near a half.
_KEPT = {
    "core_attn": 1.0,
    "layernorm": 0.92,
    "mla_up_proj": 0.9,
    "moe_act": 0.85,
    "mlp": 0.6,
    "moe": 0.45,
    "op": 0.46,
    "layer": 0.5,
}


@dataclass(frozen=True, slots=True)
class Activations:
    """Bytes on one card: what lives through the micro batch, one layer at work, and the logits with their loss."""

    kept: float
    working: float
    logits: float
    held: float  # logits that the caller still holds while the layers run backward


def activations_of(setup: Setup, stage: Stage, c: MemoryConstants) -> Activations:
    """Peak activations of a stage; the logits only where the head is."""
    lay = setup.layout
    tokens = setup.held_tokens
    layer = layer_bytes_per_token(setup, c) * tokens
    scores, scores_at_work = _score_bytes(setup, c)
    in_flight = _in_flight(setup, stage)
    hidden = 2 * setup.architecture.hidden * tokens / (lay.tp if lay.sequence_parallel else 1)
    working = (c.working_layer if setup.kernels == "eager" else c.working_fused) * layer + scores_at_work
    if setup.checkpointing == "full":
        kept = 0.0 if "activation" in setup.workload.offload else hidden * stage.layers * in_flight
    elif setup.checkpointing == "selective":
        part, has_scores = _selective_share(setup)
        kept = (part * layer + (scores if has_scores else 0.0)) * stage.layers * in_flight
        working *= 1 - part / 2
    else:
        kept = (layer + scores) * stage.layers * in_flight
        working = scores_at_work - scores
    logits, held = _logit_bytes(setup, c) if stage.has_head else (0.0, 0.0)
    return Activations(kept, working, logits, held)


def layer_bytes_per_token(setup: Setup, c: MemoryConstants) -> float:
    """16-bit activations of one layer for one token on one card, scores apart.

    Llama-2-7B trained in full with fused kernels: 2 x (7 x 4096 + 4 x 4096 + 4 x 11008) = 178 kB.
    """
    a, lay = setup.architecture, setup.layout
    q, k = a.heads * a.head_dim, a.kv_heads * a.head_dim
    eager_gated = setup.kernels == "eager" and _is_gated(setup)
    norm = (c.eager_norm_bytes if eager_gated else 4.0) * a.hidden
    inputs = 2.0 * a.hidden * min(1, setup.adapts("q", "k", "v"))
    attention = 2.0 * (q + 2 * k) * (1 + (c.rope_copies if setup.kernels == "eager" else 0.0)) + 2.0 * q
    shared = 2 * norm + inputs + 2.0 * a.hidden * min(1, setup.adapts("gate", "up"))
    split = attention + _mlp_bytes(setup, c) + _adapter_bytes(setup, c) + _quantised_inputs(setup, c)
    stored = c.fp8_activations if setup.stores_fp8 else 1.0
    if lay.sequence_parallel:
        return stored * (shared + split) / lay.tp
    return stored * (shared + split / lay.tp)


def _is_gated(setup: Setup) -> bool:
    return setup.workload.model.mlp_matrices == 3


def _mlp_bytes(setup: Setup, c: MemoryConstants) -> float:
    """Gate, its activation and up where gated, one value where plain; and the input of down where it is trained."""
    a = setup.architecture
    width = _active_width(setup)
    kept = 3 if _is_gated(setup) else 1
    if setup.kernels == "fused" and _is_gated(setup):
        kept = 2  # the activation is computed again in the backward pass
    bytes_ = 2.0 * width * (kept + setup.adapts("down"))
    if a.moe_layers:  # dispatched copies of each token's input and output
        bytes_ = c.moe_imbalance * (bytes_ + 4.0 * a.hidden * _topk(setup) * a.moe_layers / a.layers)
    return bytes_


def _topk(setup: Setup) -> float:
    return float(setup.workload.model.moe_topk or 1)


def _active_width(setup: Setup) -> float:
    """MLP width that one token passes, averaged over layers."""
    a, m = setup.architecture, setup.workload.model
    if not a.moe_layers:
        return float(a.intermediate)
    expert = (m.moe_intermediate or a.intermediate) * (_topk(setup) + (m.moe_shared or 0))
    return (a.dense_layers * (m.intermediate or 0) + a.moe_layers * expert) / a.layers


def _adapter_bytes(setup: Setup, c: MemoryConstants) -> float:
    """Masked inputs (dropout) of each adapted matrix."""
    if setup.kind != "adapter" or not setup.framework.dropout or not setup.lora_rank:
        return 0.0
    a = setup.architecture
    width = _active_width(setup)
    inputs = {
        "q": a.hidden,
        "k": a.hidden,
        "v": a.hidden,
        "o": a.heads * a.head_dim,
        "gate": a.hidden,
        "up": a.hidden,
        "down": width,
    }
    return c.dropout_bytes * sum(inputs[name] for name in setup.targets if name in inputs)


def _quantised_inputs(setup: Setup, c: MemoryConstants) -> float:
    """bitsandbytes keeps the input of each 4-bit matrix, which a frozen 16-bit one would not need."""
    if not (setup.framework.keeps_inputs and (setup.quant or "").startswith(("nf4", "bnb"))):
        return 0.0
    return c.quantised_inputs * 2.0 * (setup.architecture.hidden + _active_width(setup))


def _score_bytes(setup: Setup, c: MemoryConstants) -> tuple[float, float]:
    """Scores of one layer where they are stored, heads x seq_len for each token: (kept, at work with gradients)."""
    if not setup.stores_scores:
        return 0.0, 0.0
    each = c.eager_score_bytes if setup.score_kind == "eager" else c.fused_score_bytes
    scores = setup.architecture.heads * setup.longest * setup.held_tokens / setup.layout.tp
    return each * scores, each * scores * c.scores_at_work


def _in_flight(setup: Setup, stage: Stage) -> float:
    """Micro batches whose activations a stage holds at once: p on the first stage of 1F1B, 1 on the last."""
    lay = setup.layout
    if lay.pp == 1:
        return 1.0
    interleave = 1 + (lay.pp - 1) / (lay.pp * lay.vpp) if lay.vpp > 1 else 1.0
    held = lay.pp * interleave if stage.is_first else 1.0
    return min(held, float(setup.grad_accum or lay.pp))


def _selective_share(setup: Setup) -> tuple[float, bool]:
    """(part of a layer kept, whether scores are kept)."""
    part = 1.0
    for name in setup.detail:
        part *= _KEPT.get(name, 1.0)
    return part, "core_attn" not in setup.detail and "op" not in setup.detail


def _logit_bytes(setup: Setup, c: MemoryConstants) -> tuple[float, float]:
    """(at the loss, still held in the backward pass). Transformers' output object holds the logits until the step ends."""
    whole = c.logits_compiled if setup.kernels == "fused" else c.logits_whole
    if setup.workload.param_dtype == "fp16":
        whole = c.logits_half
    each = {"whole": whole, "chunked": c.logits_chunked, "fused": c.logits_fused, "parallel": c.logits_parallel}
    over = setup.layout.tp if setup.loss == "parallel" or setup.layout.sequence_parallel else 1
    entries = setup.architecture.vocab * setup.held_tokens / over
    holds = setup.loss == "whole" and setup.kernels == "eager"
    return each[setup.loss] * entries, (c.logits_held * entries if holds else 0.0)
