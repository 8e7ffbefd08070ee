"""A pasted `config.json` of a model: found in the message, read into the keys of a catalog model, cut out of the text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.question import ModelConfig

_START = re.compile(r"\{\s*\"")
_LONGEST = 20000  # characters of a pasted config
_KEYS = {
    "num_hidden_layers": "layers",
    "n_layer": "layers",
    "num_layers": "layers",
    "hidden_size": "hidden",
    "n_embd": "hidden",
    "d_model": "hidden",
    "intermediate_size": "intermediate",
    "ffn_hidden_size": "intermediate",
    "n_inner": "intermediate",
    "num_attention_heads": "heads",
    "n_head": "heads",
    "num_key_value_heads": "kv_heads",
    "multi_query_group_num": "kv_heads",
    "head_dim": "head_dim",
    "vocab_size": "vocab",
    "padded_vocab_size": "vocab",
    "max_position_embeddings": "context_length",
    "sliding_window": "sliding_window",
    "num_local_experts": "moe_experts",
    "num_experts": "moe_experts",
    "n_routed_experts": "moe_experts",
    "num_experts_per_tok": "moe_topk",
    "n_shared_experts": "moe_shared",
    "moe_intermediate_size": "moe_intermediate",
    "first_k_dense_replace": "dense_layers",
    "kv_lora_rank": "kv_lora_rank",
    "q_lora_rank": "q_lora_rank",
    "qk_rope_head_dim": "qk_rope_head_dim",
    "qk_nope_head_dim": "qk_nope_head_dim",
    "v_head_dim": "v_head_dim",
}
_NEEDED = ("layers", "hidden", "heads", "vocab")
_LARGEST = 10**7
_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


def take_config(message: str) -> tuple[str, ModelConfig | None]:
    """(the message without the config, the config) or (the message, None) where none is pasted."""
    for start in _START.finditer(message):
        try:
            value, end = json.JSONDecoder().raw_decode(message[start.start() : start.start() + _LONGEST])
        except (ValueError, RecursionError):
            continue
        config = read_config(value) if isinstance(value, dict) else None
        if config is not None:
            return f"{message[: start.start()]} {message[start.start() + end :]}", config
    return message, None


def read_config(document: Mapping[str, Any]) -> ModelConfig | None:
    """The shape in a `config.json`, the text part of a multimodal one included.

    None where layers, width, heads or vocabulary are missing.
    """
    inner = document.get("text_config") or document.get("llm_config")
    merged = {**document, **inner} if isinstance(inner, Mapping) else dict(document)
    shape: dict[str, object] = {}
    for key, name in _KEYS.items():
        value = merged.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LARGEST:
            shape.setdefault(name, value)
    if any(name not in shape for name in _NEEDED):
        return None
    shape.setdefault("kv_heads", shape["heads"])
    if "moe_experts" in shape and "intermediate" in shape:
        shape.setdefault("moe_intermediate", shape["intermediate"])
    shape["attention"] = _attention(shape)
    shape["tied_embeddings"] = bool(merged.get("tie_word_embeddings", False))
    shape |= _layers_by_kind(merged.get("layer_types"))
    quantised = merged.get("quantization_config")
    method = quantised.get("quant_method") if isinstance(quantised, Mapping) else None
    dtype = method or _DTYPES.get(str(merged.get("torch_dtype", merged.get("dtype"))))
    if dtype:
        shape["native_weights"] = str(dtype)
    return ModelConfig(_name(document), tuple(shape.items()))


def _attention(shape: Mapping[str, object]) -> str:
    if "kv_lora_rank" in shape:
        return "MLA"
    if shape["kv_heads"] == shape["heads"]:
        return "MHA"
    return "MQA" if shape["kv_heads"] == 1 else "GQA"


def _layers_by_kind(kinds: object) -> dict[str, object]:
    """Counts of full, sliding and linear layers where the config lists them."""
    if not isinstance(kinds, list):
        return {}
    counts = {
        "full_attn_layers": sum(k in ("full_attention", "attention") for k in kinds),
        "sliding_layers": sum(k in ("sliding_attention", "chunked_attention") for k in kinds),
        "linear_layers": sum(k in ("linear_attention", "mamba", "mamba2") for k in kinds),
    }
    return {name: count for name, count in counts.items() if count}


def _name(document: Mapping[str, Any]) -> str:
    path = str(document.get("_name_or_path") or document.get("name") or "").rstrip("/")
    name = path.rsplit("/", 1)[-1] or str(document.get("model_type") or "config.json")
    return re.sub(r"[^\w.\-]", "", name)[:60] or "config.json"
