"""The share of its dense peak that a card reaches in training: by generation, and by the watts it has for each TFLOP/s.

Cards of one generation differ in power: where it binds, the clock falls about with its square root, so an L4 (72 W) reaches
less of its peak than an L20 (275 W). Measured generations are fitted; the shares of others are published figures.
"""

from __future__ import annotations

from bot.catalog.records import GpuSpec
from bot.estimator.training_constants import SpeedConstants, TrainingConstants
from bot.estimator.training_setup import Setup

_MOST_GAIN = 1.5  # over the reference: beyond, other limits bind than power
_HOPPERS = ("Hopper", "Grace Hopper")


def matmul_share(setup: Setup, gpu: GpuSpec, constants: TrainingConstants) -> float:
    """Share of the peak in matrix products, less for narrow layers. Llama-3-70B on A100 SXM: 0.77 x 8192 / 9039 = 0.70."""
    hidden = setup.architecture.hidden
    narrow = hidden / (hidden + constants.speed.narrow_width)
    return _full_share(setup, gpu, constants) * narrow * setup.framework.pace


def attention_share(setup: Setup, gpu: GpuSpec, constants: TrainingConstants) -> float:
    """FlashAttention 2 leaves Hopper's asynchronous units idle; Megatron's stacks call cuDNN, which does not."""
    c = constants.speed
    is_later = gpu.arch in _HOPPERS or gpu.arch.startswith("Blackwell")
    share = c.attention_later if is_later and not setup.framework.is_megatron_like else c.attention_share
    return share * min(1.0, _power(setup, gpu, constants))


def is_measured(gpu: GpuSpec, constants: TrainingConstants) -> bool:
    """Whether published runs on cards of this generation are among the measurements."""
    return gpu.arch not in constants.cards.shares


def _full_share(setup: Setup, gpu: GpuSpec, constants: TrainingConstants) -> float:
    share = constants.cards.shares.get(gpu.arch) or _generation_share(gpu, constants.speed)
    return min(share * _power(setup, gpu, constants), constants.speed.matmul_unbound)


def _generation_share(gpu: GpuSpec, c: SpeedConstants) -> float:
    """Of the generation's reference card, whose watts are `watts_per_tflop`."""
    if gpu.arch in ("Volta", "Turing"):
        return c.matmul_volta
    if gpu.form == "GeForce":
        return c.matmul_unbound
    if gpu.arch in _HOPPERS:
        return c.matmul_hopper
    return c.matmul_blackwell if gpu.arch.startswith("Blackwell") else c.matmul_ampere


def _power(setup: Setup, gpu: GpuSpec, constants: TrainingConstants) -> float:
    """Square root of the card's watts for each TFLOP/s over those of its generation's reference.

    H100 with a 500 W limit: (500 / 989) / (700 / 989) = 0.71, so 0.85 of the rate.
    """
    reference, peak = constants.cards.watts_per_tflop.get(gpu.arch), gpu.bf16_tflops or gpu.fp16_tflops
    watts = min(setup.workload.hardware.power_w or gpu.tdp_w or 0.0, gpu.tdp_w or 0.0)
    if not reference or not peak or not watts:
        return 1.0
    return float(min(_MOST_GAIN, (watts / peak / reference) ** 0.5))
