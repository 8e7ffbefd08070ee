"""What a training workload may say: closed sets, numbers above zero, and what the card can compute.

Contradictions of the layout are in `layouts`. Every error names the field, its value and what would be accepted.
"""

from __future__ import annotations

from operator import attrgetter
from typing import get_args

from bot.catalog.records import GpuSpec
from bot.errors import InvalidWorkload
from bot.estimator.cards import check_above_zero, check_hardware
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
_AMOUNTS = ("tokens_b", "gpu_hours", "pue", "sample_tokens_mean", "sample_bytes", "storage_gb_s")
_NUMBERS = (*_COUNTS, *_AMOUNTS)
# All at once: a search checks hundreds of workloads.
_words_of, _numbers_of = attrgetter(*_CLOSED), attrgetter(*_NUMBERS)
_BEFORE_FLASH = ("Kepler", "Maxwell", "Pascal", "Volta", "Turing")


def check_training(workload: TrainingWorkload) -> None:
    """Raises InvalidWorkload for the first field that cannot be."""
    _check_words(workload)
    _check_numbers(workload)
    _check_card(workload)
    _check_experts(workload)


def _check_words(workload: TrainingWorkload) -> None:
    for (name, accepted), value in zip(_CLOSED.items(), _words_of(workload), strict=True):
        if value is not None and value not in accepted:
            raise InvalidWorkload(name, value, f"{', '.join(accepted)} are accepted")
    for name, accepted in _CLOSED_LISTS.items():
        for value in getattr(workload, name) or ():
            if value not in accepted:
                raise InvalidWorkload(name, value, f"{', '.join(accepted)} are accepted")


def _check_numbers(workload: TrainingWorkload) -> None:
    check_hardware(workload.hardware)
    for name, value in zip(_NUMBERS, _numbers_of(workload), strict=True):
        if value is not None:
            check_above_zero(name, value, whole=name in _COUNTS)


def _check_card(workload: TrainingWorkload) -> None:
    gpu, precision = workload.hardware.gpu, workload.precision
    if gpu is None:
        return
    if precision not in (None, "fp32", "tf32") and gpu.peak_tflops(precision or "") is None:
        able = tuple(name for name in ("bf16", "fp16", "fp8", "mxfp8", "nvfp4") if gpu.peak_tflops(name))
        accepted = f"{gpu.name} ({gpu.arch}) has none of it; it computes in {', '.join([*able, 'fp32'])}"
        raise InvalidWorkload("precision", precision, accepted, able[:1] or ("fp32",))
    if workload.attention == "flash" and not runs_flash(gpu):
        accepted = f"{gpu.name} ({gpu.arch}) is older than FlashAttention-2; sdpa, fused_softmax or eager is accepted"
        raise InvalidWorkload("attention", "flash", accepted, ("sdpa", "eager"))


def _check_experts(workload: TrainingWorkload) -> None:
    experts, ep = workload.model.moe_experts, workload.parallelism.ep
    if experts and ep and ep > 0 and experts % ep:
        raise InvalidWorkload("parallelism.ep", ep, f"a divisor of the {experts} experts is accepted")


def runs_flash(gpu: GpuSpec | None) -> bool:
    """FlashAttention-2 needs Ampere; older cards keep no scores either where PyTorch's sdpa is used."""
    return gpu is None or gpu.arch not in _BEFORE_FLASH
