"""Floating-point operations of training one token: what the model needs, and what the hardware does on top.

Model FLOPs count 6 a parameter (forward 2, backward 4) and attention in full, 12 x layers x heads x head_dim x seq_len;
recomputation is work of the hardware only. A frozen base needs no weight gradients, so 4 a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.estimator.training_setup import Setup
from bot.estimator.training_states import adapter_parameters

_RECOMPUTED = {"none": 0.0, "selective": 0.1, "full": 1.0}  # part of the forward pass that runs again
_DETAIL = {
    "op": 0.25,
    "layer": 0.5,
    "core_attn": 0.0,
    "mlp": 0.55,
    "moe": 0.5,
    "layernorm": 0.02,
    "moe_act": 0.02,
    "mla_up_proj": 0.05,
}


@dataclass(frozen=True, slots=True)
class Flops:
    """Of one token, whole model: matrix products and attention apart, hardware counts with the causal half only."""

    model: float
    matmul: float
    attention: float
    passes: float  # forward, backward and recomputed passes over the layers, a forward pass being 1


def flops_per_token(setup: Setup) -> Flops:
    """Llama-2-7B, full, 4,096 tokens: 6 x 6.61e9 + 12 x 32 x 4096 x 4096 = 46.1 GFLOP a token."""
    a = setup.architecture
    base, adapters = float(a.matmul_active), 0.0
    each = 6.0
    if setup.kind == "adapter":
        each, adapters = 4.0, adapter_parameters(setup)
    elif setup.kind == "partial":
        each = 4.5
    attention = 12.0 * a.layers * a.heads * a.head_dim * setup.seq_len
    again = recomputed_share(setup)
    head = float(a.vocab * a.hidden)  # the head is not recomputed
    matmul = each * base + 6 * adapters + again * 2 * (base - head + adapters)
    scores_again = 1.0 if setup.checkpointing == "full" or "core_attn" in setup.detail else 0.0
    return Flops(
        model=each * base + 6 * adapters + attention,
        matmul=matmul,
        attention=attention / 2 * (1 + scores_again / 3),
        passes=(2.0 if setup.kind == "adapter" else 3.0) + again,
    )


def recomputed_share(setup: Setup) -> float:
    """Part of the forward pass that runs again: 1 under full checkpointing, the named operators under selective."""
    if setup.checkpointing != "selective":
        return _RECOMPUTED[setup.checkpointing]
    return min(1.0, sum(_DETAIL.get(name, 0.1) for name in setup.detail))
