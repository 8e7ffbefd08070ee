"""Bytes of the weights, tensor by tensor, in each format; the size of the checkpoint file.

What formats exist and what they take is `knowledge/formats.yaml`. Embeddings, head, norms and routers stay at 16 bit
where the format leaves them; the GGUF family quantises all but norms and routers, each kind of tensor in its own type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.catalog.records import ModelSpec
from bot.errors import InvalidWorkload
from bot.estimator.architecture import Architecture, architecture_of
from bot.estimator.data import EstimatorData

_GGUF_BLOCK = 256  # weights of a super-block: rows that it does not divide fall back to blocks of 32


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """Bytes of one replica by part. `body` is divided by tensor parallelism, `replicated` (norms, routers) is not."""

    embedding: float
    head: float
    attention: float
    mlp: float  # dense MLPs and shared experts
    experts: float  # routed experts, all of them
    replicated: float
    other: float  # vision tower and the like
    reused_head: float = 0.0  # the embedding table read once more as the head, where they are tied: no memory of its own
    stored_head: float = 0.0  # a tied head that the checkpoint holds a second time; servers drop it
    keeps_head: bool = False  # Transformers keeps it, and does not only load it

    @property
    def total(self) -> float:
        return self.embedding + self.head + self.attention + self.mlp + self.experts + self.replicated + self.other

    @property
    def dense_read(self) -> float:
        """What every decode step reads whatever the batch: all but embedding rows, routed experts and the vision tower."""
        return self.attention + self.mlp + self.head + self.reused_head + self.replicated


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """One format as an estimate needs it. `compute`: precision of the products; `weight_only`: unpacked before them."""

    name: str
    compute: str
    weight_only: bool
    needs: float | None  # NVIDIA compute capability
    instead: tuple[str, ...]
    is_gguf: bool = False


def native_format(model: ModelSpec) -> str:
    """The type in which the checkpoint is published: `fp8 (128x128 block scales)` is `fp8`, nothing said is `bf16`."""
    words = (model.native_weights or "bf16").split()
    first = words[0].split("/")[0].lower()
    return first if first in ("fp32", "bf16", "fp16", "fp8", "mxfp4", "nvfp4") else "bf16"


def weight_format(name: str, data: EstimatorData) -> WeightFormat:
    """Raises InvalidWorkload for a format that is not known, naming those that are."""
    table = data.formats.get("formats", {})
    if name.startswith("gguf_") and name[5:] in data.formats.get("gguf_types", {}):
        return WeightFormat(name, "fp16", weight_only=True, needs=None, instead=(), is_gguf=True)
    row = table.get(name)
    if row is None:
        raise InvalidWorkload("weights_format", name, f"one of {', '.join(table)}, or gguf_ and a llama.cpp type")
    return WeightFormat(name, row["compute"], row.get("weight_only", False), row.get("needs"), tuple(row.get("instead", ())))


@lru_cache(maxsize=4096)
def weight_bytes(model: ModelSpec, name: str, data: EstimatorData) -> WeightBytes:
    """Bytes of the weights of `model` in the format `name`.

    Qwen2.5-7B in awq_int4: 6.53e9 linear weights x 0.5195 and 1.09e9 of embedding and head x 2 = 5.19 GiB.
    """
    arch = architecture_of(model)
    if name.startswith("gguf_"):
        return _gguf_bytes(arch, data.formats, name[5:])
    row = data.formats["formats"][name]
    linear, rest = row["linear"], row.get("other", 2)
    mixed = arch.moe_layers or arch.linear_layers
    again = arch.embedding * row.get("head", 2) if not arch.head else 0.0
    return WeightBytes(
        embedding=arch.embedding * row.get("embedding", 2),
        head=arch.head * row.get("head", 2),
        attention=arch.attention * (row.get("mixed_attention", linear) if mixed else linear),
        mlp=_dense_mlp(arch) * linear,
        experts=arch.moe_layers * arch.experts_per_layer * row.get("experts", linear),
        replicated=(arch.norms + arch.moe_layers * arch.router_per_layer) * rest,
        other=arch.other * rest,
        reused_head=again,
        stored_head=again if row.get("own_head") else 0.0,
        keeps_head=row.get("own_head") == "kept",
    )


def file_bytes(model: ModelSpec, name: str, data: EstimatorData) -> float:
    """Size of the checkpoint on disk: the weights, once. GGUF files add their vocabulary and headers (about 5 MB)."""
    weights = weight_bytes(model, name, data)
    return weights.total + (5e6 if name.startswith("gguf_") else weights.stored_head)


def _dense_mlp(arch: Architecture) -> int:
    return arch.dense_layers * arch.dense_mlp_per_layer + arch.moe_layers * arch.shared_per_layer


def _gguf_bytes(arch: Architecture, table: Mapping[str, Any], kind: str) -> WeightBytes:
    """By the tensor types that llama.cpp's quantizer picks. Llama-3.1-8B in Q4_K_M: 4.89 bits a weight, 4.58 GiB."""
    types, bits, fallback = table["gguf_types"][kind], table["gguf_bits"], table["gguf_fallback"]
    grouped = arch.heads // max(arch.kv_heads, 1) >= 4

    def one(block: str, columns: int) -> float:
        fits = columns % _GGUF_BLOCK == 0
        return float(bits[block if fits else fallback.get(block, block)]) / 8

    def of(tensor: str, columns: int, default: str | None = None) -> float:
        base = default or types["base"]
        chosen: str | list[Any] = (types.get(f"{tensor}_gqa") if grouped else None) or types.get(tensor) or base
        if isinstance(chosen, str):
            return one(chosen, columns)
        block, share = chosen
        return float(share) * one(block, columns) + (1 - float(share)) * one(types["base"], columns)

    width = arch.heads * arch.head_dim
    query, cache = arch.hidden * width, arch.hidden * arch.kv_heads * arch.head_dim
    scale = arch.attention / max((2 * query + 2 * cache) * arch.layers, 1)
    attention = query * (of("q", arch.hidden) + of("o", width)) + cache * (of("k", arch.hidden) + of("v", arch.hidden))
    up, down = (of("gate", arch.hidden) + of("up", arch.hidden)) / 2, of("down", arch.intermediate)
    mlp = (2 * up + down) / 3
    output = table["gguf_output"] if bits[types["base"]] < bits[table["gguf_output"]] else types["base"]
    head = of("output", arch.hidden, output)
    return WeightBytes(
        # A tied table is the output matrix too and takes its type.
        embedding=arch.embedding * (of("embedding", arch.hidden) if arch.head else head),
        head=arch.head * head,
        attention=attention * arch.layers * scale,
        mlp=_dense_mlp(arch) * mlp,
        experts=arch.moe_layers * arch.experts_per_layer * mlp,
        replicated=(arch.norms + arch.moe_layers * arch.router_per_layer) * 4,
        other=arch.other * 2,
        reused_head=0.0 if arch.head else arch.embedding * head,
    )
