"""Parameters of a model by part, from its shape: what formats, sharding and FLOPs are counted on.

A model whose shape is not known gets the usual shape of its size (`with_usual_shape`), and wider bands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bot.catalog.records import ModelSpec
from bot.errors import UnsupportedWorkload

# (1e9 parameters, layers, hidden, MLP width, heads, KV heads) of widely used dense models: the usual shapes.
_USUAL = (
    (0.5, 24, 896, 4864, 14, 2),
    (1.5, 28, 1536, 8960, 12, 2),
    (3.0, 36, 2048, 11008, 16, 2),
    (7.0, 32, 4096, 11008, 32, 32),
    (8.0, 32, 4096, 14336, 32, 8),
    (14.0, 48, 5120, 13824, 40, 8),
    (32.0, 64, 5120, 27648, 40, 8),
    (70.0, 80, 8192, 28672, 64, 8),
    (123.0, 88, 12288, 28672, 96, 8),
    (405.0, 126, 16384, 53248, 128, 8),
)


@dataclass(frozen=True, slots=True)
class Architecture:
    """Parameter counts (not 1e9). `*_per_layer` are of one layer; experts are all experts of one MoE layer."""

    layers: int
    hidden: int
    intermediate: int  # of a dense MLP, or of one expert where all layers are MoE
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    embedding: int
    head: int  # 0 when tied to the embedding
    attention_per_layer: int
    dense_mlp_per_layer: int
    dense_layers: int
    moe_layers: int
    experts_per_layer: int  # routed experts, all of them
    active_experts_per_layer: int  # routed experts that one token visits
    shared_per_layer: int  # shared experts
    router_per_layer: int
    norms: int
    total: int
    active: int  # parameters that one token passes, input embedding and head included

    @property
    def linear(self) -> int:
        """What weight-only formats quantise: attention, MLPs and experts, not embeddings, head, norms, routers."""
        return self.total - self.embedding - self.head - self.norms - self.moe_layers * self.router_per_layer

    @property
    def matmul_active(self) -> int:
        """Parameters that take part in matrix products for one token: the head counts, the input embedding does not."""
        head = self.head or self.embedding
        return self.active - self.embedding - self.head + head


def with_usual_shape(model: ModelSpec) -> ModelSpec:
    """The model with its missing shape keys filled from dense models of like size; `shape_known` turns False.

    A bare 70B gets 80 layers of width 8,192 with 64 heads and 8 KV heads. Returns the model itself if nothing is missing.
    """
    needed = ("layers", "hidden", "heads", "vocab")
    if all(getattr(model, key) for key in needed):
        return model
    size = model.params_b
    base = min(_USUAL, key=lambda row: abs(row[0] - size) / max(row[0], size))
    # Between two known sizes the width and depth grow together: hidden^2 x layers is proportional to the size.
    scale = (size / base[0]) ** (1 / 3)
    heads = max(1, round(base[4] * scale / 8) * 8) if size > 2 else base[4]
    head_dim = 128 if size > 1 else 64
    shape = {
        "layers": max(1, round(base[1] * scale)),
        "hidden": heads * head_dim,
        "intermediate": round(base[3] * scale / 256) * 256 or 256,
        "heads": heads,
        "kv_heads": base[5] if base[5] < base[4] else heads,
        "head_dim": head_dim,
        "vocab": 32000 if size < 7.5 and base[5] == base[4] else 128256,
    }
    filled = {key: value for key, value in shape.items() if getattr(model, key) is None}
    return model.model_copy(update={**filled, "shape_known": False})


@lru_cache(maxsize=1024)
def architecture_of(model: ModelSpec) -> Architecture:
    """Parameter counts by part. Raises UnsupportedWorkload for a model without layers, width or heads.

    Llama-3-8B: 32 x (41.9 M attention + 176.2 M MLP) + 2 x 525.3 M embedding and head + norms = 8.03e9.
    """
    if not (model.layers and model.hidden and model.heads and model.vocab):
        raise UnsupportedWorkload(f"{model.name}: layers, hidden, heads and vocab are needed; see with_usual_shape")
    layers, hidden, heads = model.layers, model.hidden, model.heads
    kv_heads = model.kv_heads or heads
    head_dim = model.head_dim or hidden // heads
    embedding = model.vocab * hidden
    head = 0 if model.tied_embeddings else embedding
    attention = _attention(model, hidden, heads, kv_heads, head_dim)
    matrices = model.mlp_matrices
    experts = model.moe_experts or 0
    width = model.moe_intermediate or model.intermediate or 4 * hidden
    dense_layers = (model.dense_layers or 0) if experts else layers
    moe_layers = layers - dense_layers
    one_expert = matrices * hidden * width
    dense_mlp = matrices * hidden * (model.intermediate or width)
    norms = (2 * layers + 1) * hidden
    parts = {
        "experts_per_layer": experts * one_expert,
        "active_experts_per_layer": min(model.moe_topk or 0, experts) * one_expert,
        "shared_per_layer": (model.moe_shared or 0) * one_expert,
        "router_per_layer": experts * hidden,
    }
    outside = layers * attention + dense_layers * dense_mlp + norms + embedding + head
    moe_rest = parts["shared_per_layer"] + parts["router_per_layer"]
    total = outside + moe_layers * (parts["experts_per_layer"] + moe_rest)
    active = outside + moe_layers * (parts["active_experts_per_layer"] + moe_rest)
    return Architecture(
        layers=layers,
        hidden=hidden,
        intermediate=model.intermediate or width,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=model.vocab,
        embedding=embedding,
        head=head,
        attention_per_layer=attention,
        dense_mlp_per_layer=dense_mlp,
        dense_layers=dense_layers,
        moe_layers=moe_layers,
        norms=norms,
        total=total,
        active=active,
        **parts,
    )


def _attention(model: ModelSpec, hidden: int, heads: int, kv_heads: int, head_dim: int) -> int:
    if not model.kv_lora_rank:
        return hidden * head_dim * (2 * heads + 2 * kv_heads)
    # Multi-head latent attention: queries through q_lora_rank (where there is one), keys and values through kv_lora_rank.
    rope, nope = model.qk_rope_head_dim or 0, model.qk_nope_head_dim or head_dim
    value = model.v_head_dim or head_dim
    rank = model.q_lora_rank
    queries = hidden * rank + rank * heads * (nope + rope) if rank else hidden * heads * (nope + rope)
    latent = hidden * (model.kv_lora_rank + rope) + model.kv_lora_rank * heads * (nope + value)
    return queries + latent + heads * value * hidden
