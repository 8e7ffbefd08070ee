"""What a training workload may say: closed sets, numbers above zero, and what the card can compute.

Contradictions of the layout are in `layouts`. Every error names the field, its value and what would be accepted.
"""

from __future__ import annotations

from typing import get_args

from bot.errors import InvalidWorkload
from bot.estimator.training_formats import MOMENTS, QUANT_BITS
from bot.estimator.workload import Method, TrainingWorkload

_CLOSED: dict[str, tuple[str, ...]] = {
    "method": get_args(Method),
    "precision": ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"),
    "param_dtype": ("fp32", "bf16", "fp16"),
    "optimizer_dtype": ("fp32", "bf16", "fp16"),
    "master_weights": ("fp32", "none"),
    "optimizer": tuple(MOMENTS),
    "checkpointing": ("none", "selective", "full"),
    "attention": ("flash", "sdpa", "fused_softmax", "eager"),
    "quant": tuple(QUANT_BITS),
}
_CLOSED_LISTS = {
    "offload": ("optimizer", "param", "activation"),
    "lora_targets": ("q", "k", "v", "o", "gate", "up", "down"),
}
_COUNTS = (
    "micro_batch", "grad_accum", "global_batch", "seq_len", "lora_rank", "galore_rank", "active_layers", "max_steps",
    "trainable_params",
)  # fmt: skip
_AMOUNTS = ("tokens_b", "gpu_hours", "pue", "sample_tokens_mean")
_BEFORE_FLASH = ("Pascal", "Volta", "Turing")


def check_training(workload: TrainingWorkload) -> None:
    """Raises InvalidWorkload for the first field that cannot be."""
    _check_words(workload)
    _check_numbers(workload)
    _check_card(workload)


def _check_words(workload: TrainingWorkload) -> None:
    for name, accepted in _CLOSED.items():
        value = getattr(workload, name)
        if value is not None and value not in accepted:
            raise InvalidWorkload(name, value, f"{', '.join(accepted)} are accepted")
    for name, accepted in _CLOSED_LISTS.items():
        for value in getattr(workload, name) or ():
            if value not in accepted:
                raise InvalidWorkload(name, value, f"{', '.join(accepted)} are accepted")


def _check_numbers(workload: TrainingWorkload) -> None:
    for name in (*_COUNTS, *_AMOUNTS):
        value = getattr(workload, name)
        if value is None:
            continue
        kinds = (int,) if name in _COUNTS else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool) or value <= 0:
            raise InvalidWorkload(name, value, f"a {'whole ' if name in _COUNTS else ''}number above 0 is accepted")


def _check_card(workload: TrainingWorkload) -> None:
    gpu, precision = workload.hardware.gpu, workload.precision
    if gpu is None:
        return
    if precision not in (None, "fp32", "tf32") and gpu.peak_tflops(precision or "") is None:
        able = [name for name in ("fp16", "bf16", "fp8", "mxfp8", "nvfp4") if gpu.peak_tflops(name)]
        raise InvalidWorkload("precision", precision, f"{gpu.name} computes in {', '.join([*able, 'fp32'])}")
    if workload.attention == "flash" and gpu.arch in _BEFORE_FLASH:
        raise InvalidWorkload("attention", "flash", f"{gpu.name} ({gpu.arch}) takes sdpa, fused_softmax or eager")
