"""Parameters of a model by part, from its shape: what formats, sharding and FLOPs are counted on.

A model whose shape is not known gets the usual shape of its size (`with_usual_shape`), and wider bands.
"""

from __future__ import annotations

import re
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
_ACTIVE_OF_MIXTURE = 0.8  # an active size below this part of the total is a mixture of experts
_LARGEST_DENSE_B = 600  # published models above are mixtures, of which a token visits about a thirtieth
_ACTIVE_SHARE = 0.033
_SAME_SIZE = 0.03  # published sizes are rounded; beyond this the shape misses something, or counts it twice


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
    linear_layers: int = 0  # layers of linear or state-space attention, `linear_attention_per_layer` each
    linear_attention_per_layer: int = 0
    other: int = 0  # vision tower, per-layer embeddings and what else the published size holds beyond the shape

    @property
    def attention(self) -> int:
        """All attention matrices, those of linear attention layers included."""
        full = (self.layers - self.linear_layers) * self.attention_per_layer
        return full + self.linear_layers * self.linear_attention_per_layer

    @property
    def linear(self) -> int:
        """What weight-only formats quantise: attention, MLPs and experts, not embeddings, head, norms, routers."""
        routers = self.moe_layers * self.router_per_layer
        return self.total - self.embedding - self.head - self.norms - self.other - routers

    @property
    def matmul_active(self) -> int:
        """Parameters in matrix products for one token: the head counts; input embedding and `other` do not."""
        head = self.head or self.embedding
        return self.active - self.embedding - self.head + head - self.other


@lru_cache(maxsize=1024)
def with_usual_shape(model: ModelSpec) -> ModelSpec:
    """The model with its missing shape keys filled from dense models of like size; `shape_known` turns False.

    A bare 70B gets 80 layers of width 8,192 with 64 heads and 8 KV heads. Returns the model itself if nothing is missing.
    A mixture of which only the two sizes are known gets the width of its active size, and experts that make up the rest.
    Beyond the largest dense models a size alone is taken for a mixture.
    """
    needed = ("layers", "hidden", "heads", "vocab")
    if all(getattr(model, key) for key in needed):
        return model
    active = model.active_params_b or (_ACTIVE_SHARE * model.params_b if model.params_b > _LARGEST_DENSE_B else None)
    is_mixture = active is not None and active < _ACTIVE_OF_MIXTURE * model.params_b and not model.moe_experts
    size = active if is_mixture and active else model.params_b
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
    shape["layers"] = _layers_of(size, shape)
    if is_mixture:
        shape.update(_usual_experts(model.params_b, size, shape))
    filled = {key: value for key, value in shape.items() if getattr(model, key) is None}
    return model.model_copy(update={**filled, "shape_known": False})


def _layers_of(size_b: float, shape: dict[str, int]) -> int:
    """Layers that make up the size at this width; an even number of fours where there are many, as in real models."""
    ends = 2 * shape["vocab"] * shape["hidden"]
    attention = shape["hidden"] * shape["head_dim"] * 2 * (shape["heads"] + shape["kv_heads"])
    layers = (size_b * 1e9 - ends) / (attention + 3 * shape["hidden"] * shape["intermediate"])
    return max(1, round(layers / 4) * 4 if layers > 20 else round(layers))


def _usual_experts(total_b: float, active_b: float, shape: dict[str, int]) -> dict[str, int]:
    """Eight experts a token, as many in all as make up the total; all layers are mixtures. 30B with 3B active: about 100."""
    layers, hidden = shape["layers"], shape["hidden"]
    dense = layers * 4 * hidden * hidden + 2 * shape["vocab"] * hidden
    width = max(64, round((active_b * 1e9 - dense) / (layers * 3 * hidden * 8) / 64) * 64)
    experts = round((total_b * 1e9 - dense) / (layers * 3 * hidden * width))
    return {"moe_experts": max(8, experts), "moe_topk": 8, "moe_shared": 0, "moe_intermediate": width, "dense_layers": 0}


@lru_cache(maxsize=1024)
def architecture_of(model: ModelSpec) -> Architecture:
    """Parameter counts by part. Raises UnsupportedWorkload for a model without layers, width or heads.

    Llama-3-8B: 32 x (41.9 M attention + 176.2 M MLP) + 2 x 525.3 M embedding and head + norms = 8.03e9.
    Where the published size differs by more than 3 % from the shape's, it wins: see `_reconciled`.
    """
    if not (model.layers and model.hidden and model.heads and model.vocab):
        raise UnsupportedWorkload(f"{model.name}: layers, hidden, heads and vocab are needed; see with_usual_shape")
    layers, hidden, heads = model.layers, model.hidden, model.heads
    kv_heads = model.kv_heads or heads
    head_dim = model.head_dim or hidden // heads
    embedding = model.vocab * hidden
    experts = model.moe_experts or 0
    width = model.moe_intermediate or model.intermediate or 4 * hidden
    dense_layers = (model.dense_layers or 0) if experts else layers
    one_expert = model.mlp_matrices * hidden * width
    parts = {
        "layers": layers,
        "hidden": hidden,
        "intermediate": model.intermediate or width,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "vocab": model.vocab,
        "embedding": embedding,
        "head": 0 if model.tied_embeddings else embedding,
        "attention_per_layer": _attention(model, hidden, heads, kv_heads, head_dim),
        "dense_mlp_per_layer": model.mlp_matrices * hidden * (model.intermediate or width),
        "dense_layers": dense_layers,
        "moe_layers": layers - dense_layers,
        "experts_per_layer": experts * one_expert,
        "active_experts_per_layer": min(model.moe_topk or 0, experts) * one_expert,
        "shared_per_layer": (model.moe_shared or 0) * one_expert,
        "router_per_layer": experts * hidden,
        "norms": (2 * layers + 1) * hidden,
        "linear_layers": model.linear_layers or 0,
        "linear_attention_per_layer": _linear_attention(model, hidden),
    }
    return _with_totals(_reconciled(model, parts)) if model.shape_known else _with_totals(parts)


def _with_totals(parts: dict[str, int]) -> Architecture:
    return Architecture(**parts, total=_total(parts), active=_total(parts, "active_experts_per_layer"))


def _total(parts: dict[str, int], experts: str = "experts_per_layer") -> int:
    linear = parts["linear_layers"]
    attention = (parts["layers"] - linear) * parts["attention_per_layer"] + linear * parts["linear_attention_per_layer"]
    moe = parts["moe_layers"] * (parts[experts] + parts["shared_per_layer"] + parts["router_per_layer"])
    dense = parts["dense_layers"] * parts["dense_mlp_per_layer"]
    return attention + moe + dense + parts["norms"] + parts["embedding"] + parts["head"] + parts.get("other", 0)


def _reconciled(model: ModelSpec, parts: dict[str, int]) -> dict[str, int]:
    """The parts with what the published size tells beyond the shape keys.

    Off by one vocabulary table: the head is tied after all, or is not (Falcon-7B, 7.22e9 against 6.92e9). Too small in a
    text mixture with shared experts: those are wider than the routed ones (Qwen2-57B-A14B: 20,480 against 2,560). Too
    small otherwise: vision tower, per-layer embeddings and the like become `other` (Gemma-3n: 6.9e9 against 4.4e9). Too
    large otherwise: some layers are narrower than the widest, as searched architectures have them (Nemotron-Super-49B).
    """
    published = model.params_b * 1e9
    gap = published - _total(parts)
    if abs(gap) <= _SAME_SIZE * published:
        return parts
    table = parts["embedding"] if not parts["head"] else -parts["head"]
    if gap * table > 0 and abs(gap - table) <= min(_SAME_SIZE * published, 0.1 * parts["embedding"]):
        return {**parts, "head": max(table, 0)}
    if gap > 0 and parts["moe_layers"] and parts["shared_per_layer"] and model.kind == "text":
        return {**parts, "shared_per_layer": parts["shared_per_layer"] + round(gap / parts["moe_layers"])}
    if gap > 0:
        return {**parts, "other": round(gap)}
    if parts["dense_layers"] and -gap < 0.5 * parts["dense_layers"] * parts["dense_mlp_per_layer"]:
        return {**parts, "dense_mlp_per_layer": parts["dense_mlp_per_layer"] + round(gap / parts["dense_layers"])}
    return parts


def _attention(model: ModelSpec, hidden: int, heads: int, kv_heads: int, head_dim: int) -> int:
    if not model.kv_lora_rank:
        # Gated attention of the hybrid models: the query projection makes an output gate of its own width besides.
        queries = 2 * heads if "gated" in model.attention.casefold() else heads
        return hidden * head_dim * (queries + heads + 2 * kv_heads)
    # Multi-head latent attention: queries through q_lora_rank (where there is one), keys and values through kv_lora_rank.
    rope, nope = model.qk_rope_head_dim or 0, model.qk_nope_head_dim or head_dim
    value = model.v_head_dim or head_dim
    rank = model.q_lora_rank
    query = hidden * rank + rank * heads * (nope + rope) if rank else hidden * heads * (nope + rope)
    latent = hidden * (model.kv_lora_rank + rope) + model.kv_lora_rank * heads * (nope + value)
    return query + latent + heads * value * hidden


@dataclass(frozen=True, slots=True)
class LinearState:
    """Shape of a gated delta-rule layer: heads and widths of keys and values, and the short convolution before them."""

    key_heads: int
    key_dim: int
    value_heads: int
    value_dim: int
    conv: int

    @property
    def conv_channels(self) -> int:
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim


_STATE = re.compile(r"k(?: heads)? (\d+) ?x ?(\d+), v(?: heads)? (\d+) ?x ?(\d+)(?:, conv (\d+))?")


@lru_cache(maxsize=256)
def linear_state(spec: str | None) -> LinearState | None:
    """`k 16x128, v 48x128, conv 4` as a shape; None for layers of another kind."""
    found = _STATE.search(spec or "")
    return LinearState(*(int(part or 4) for part in found.groups())) if found else None


def _linear_attention(model: ModelSpec, hidden: int) -> int:
    """One linear layer: q, k, v, output gate and decay projections, convolution, output. Qwen3.5-27B: 115.9 M."""
    if not model.linear_layers:
        return 0
    state = linear_state(model.linear_state_spec)
    if state is None:  # lightning attention and the like: q, k, v, gate and output of full width
        return 5 * hidden * (model.heads or 1) * (model.head_dim or hidden // (model.heads or 1))
    values = state.value_heads * state.value_dim
    inputs = hidden * (state.conv_channels + values + 2 * state.value_heads)
    return inputs + state.conv_channels * state.conv + values * hidden
