"""Bytes that one sequence keeps in the cache: exact by the architecture and by what the engine's cache can express."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bot.catalog.records import ModelSpec
from bot.estimator.architecture import architecture_of, linear_state

_FP32 = 4


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """Bytes at one byte a value: multiply by the bytes of the cache type (states are given in bytes).

    `growing` layers keep every token, `sliding` layers at most `window` tokens, `state_bytes` is fixed for a sequence.
    """

    growing: int  # values a token
    sliding: int  # values a token within the window
    window: int
    state_bytes: int
    heads: int  # KV heads that tensor parallelism can share out; 1 for a latent cache

    def sequence_bytes(self, tokens: float, value_bytes: float) -> float:
        """Cache of one sequence of `tokens`, whole model. Qwen2.5-7B in BF16 at 131,072: 7.00 GiB."""
        kept = min(tokens, self.window) if self.window else tokens
        return (self.growing * tokens + self.sliding * kept) * value_bytes + self.state_bytes

    def shards(self, tp: int) -> int:
        """Ranks over which the cache is divided; beyond the KV heads (and for a latent cache always) it is copied."""
        return min(tp, self.heads)


@lru_cache(maxsize=2048)
def cache_layout(model: ModelSpec, *, latent: bool = True, windowed: bool = True, padded: bool = False) -> CacheLayout:
    """The layout in an engine with a latent-attention path (`latent`), one that frees tokens beyond the window (`windowed`),
    one whose kernels take heads of 64, 128 or 256 only (`padded`).

    Llama-3-70B: 2 x 80 x 8 x 128 = 163,840 values a token. DeepSeek-V3: 61 x (512 + 64) = 35,136, and without a latent
    path 61 x 128 x (192 + 128) = 2.5 million.
    """
    arch = architecture_of(model)
    if model.kv_lora_rank and latent:
        values = arch.layers * (model.kv_lora_rank + (model.qk_rope_head_dim or 0))
        return CacheLayout(values, 0, 0, 0, heads=1)
    per_layer = arch.kv_heads * _head_values(model, arch.head_dim, padded=padded)
    sliding = (model.sliding_layers or 0) if windowed and model.sliding_window else 0
    linear = model.linear_layers or 0
    growing = model.full_attn_layers if model.full_attn_layers is not None and windowed else arch.layers - sliding - linear
    if model.sliding_window and not model.sliding_layers and windowed and model.full_attn_layers is None:
        sliding, growing = (arch.layers, 0) if "sliding" in model.attention.casefold() else (0, growing)
    return CacheLayout(
        growing=growing * per_layer,
        sliding=sliding * per_layer,
        window=(model.sliding_window or 0) if sliding else 0,
        state_bytes=linear * _state_bytes(model),
        heads=arch.kv_heads,
    )


def _head_values(model: ModelSpec, head_dim: int, *, padded: bool) -> int:
    """Values of one head's key and value. Latent models cached in full: keys of 192, values of 128, or both of 256."""
    if not model.kv_lora_rank:
        return 2 * head_dim
    key = (model.qk_nope_head_dim or head_dim) + (model.qk_rope_head_dim or 0)
    return 2 * (-(-key // 128) * 128) if padded else key + (model.v_head_dim or head_dim)


def _state_bytes(model: ModelSpec) -> int:
    """Recurrent state of one linear layer in FP32 with its convolution's inputs. Qwen3.5-27B: 3.2 MB."""
    state = linear_state(model.linear_state_spec)
    if state is None:
        heads, width = model.heads or 1, model.head_dim or 128
        return heads * width * width * _FP32
    recurrent = state.value_heads * state.key_dim * state.value_dim * _FP32
    return recurrent + state.conv_channels * (state.conv - 1) * 2
