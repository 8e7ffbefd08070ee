"""Seconds of a training step and tokens a second, from compute, memory traffic, links and bubbles.

A micro batch takes its matrix products at a share of the card's peak, its attention at a lower one, and the traffic of all the
small operators between them; exposed communication and the pipeline's bubble come on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from bot.catalog.records import GpuSpec
from bot.estimator.training_activations import layer_bytes_per_token
from bot.estimator.training_constants import MemoryConstants, SpeedConstants, TrainingConstants
from bot.estimator.training_flops import Flops, flops_per_token
from bot.estimator.training_links import traffic_of
from bot.estimator.training_setup import Setup

_CONSUMER_FORMS = ("GeForce",)
_BLACKWELL = ("Blackwell", "Blackwell Ultra")


@dataclass(frozen=True, slots=True)
class Speed:
    """Steady state. `tokens_per_s` is of all cards over their number; `model_tflops` of one card."""

    tokens_per_s: float
    step_s: float | None
    model_tflops: float
    mfu: float


def speed_of(setup: Setup, constants: TrainingConstants) -> Speed | None:
    """None for a card whose peak or bandwidth is not known."""
    gpu = setup.workload.hardware.gpu
    peak = (gpu.bf16_tflops or gpu.fp16_tflops) if gpu else None
    if gpu is None or peak is None or not gpu.bandwidth_gbs:
        return None
    lay, c = setup.layout, constants.speed
    flops = flops_per_token(setup)
    micros = setup.grad_accum or (4 * lay.pp if lay.pp > 1 else 1)
    compute = _compute_s(setup, gpu, peak, flops, constants)
    links = traffic_of(setup, c)
    micro = compute + max(0.0, links.hidden_per_micro - c.overlap * compute) + links.exposed_per_micro
    bubble = 1 + (lay.pp - 1) / (lay.vpp * micros)
    step = micros * micro * bubble + max(0.0, links.per_step - c.overlap * compute) + _update_s(setup, gpu)
    step *= lay.layer_split * (1 + c.scale_loss * log2(max(1, lay.nodes)))
    tokens = micros * setup.micro_batch * setup.seq_len * lay.dp
    rate = tokens / step / lay.n_gpus
    tflops = rate * flops.model / 1e12
    stated = setup.workload.global_batch
    return Speed(rate, stated * setup.seq_len / (rate * lay.n_gpus) if stated else None, tflops, tflops / peak)


def _compute_s(setup: Setup, gpu: GpuSpec, peak: float, flops: Flops, constants: TrainingConstants) -> float:
    """Seconds of one micro batch on one card without waiting for others."""
    c, lay = constants.speed, setup.layout
    tokens = setup.tokens / (lay.tp * lay.pp)
    rate = peak * 1e12 * c.matmul_share * _card_share(gpu, c) * _power_share(setup, gpu)
    if setup.architecture.moe_layers:
        rate *= c.moe_share
    matmul = tokens * flops.matmul / (rate * _precision_gain(setup, gpu, c))
    attention = tokens * flops.attention / (peak * 1e12 * c.attention_share * _card_share(gpu, c))
    bandwidth = (gpu.bandwidth_gbs or 0) * 1e9
    small = _small_operators_bytes(setup, constants.memory, c, flops) / bandwidth
    dequantised = _dequantised_bytes(setup, c, flops) / bandwidth
    launched = (
        setup.architecture.layers / lay.pp * flops.passes * c.launch_us * 1e-6 * (0.4 if setup.kernels == "fused" else 1.0)
    )
    return max(matmul + attention + small + dequantised, launched)


def _card_share(gpu: GpuSpec, c: SpeedConstants) -> float:
    if gpu.arch in ("Volta", "Turing"):
        return c.volta_share
    return c.consumer_share if gpu.form in _CONSUMER_FORMS else 1.0


def _power_share(setup: Setup, gpu: GpuSpec) -> float:
    """A lower board cap lowers the clock about by the square root of the power."""
    cap = setup.workload.hardware.power_w
    return min(1.0, (cap / gpu.tdp_w) ** 0.5) if cap and gpu.tdp_w else 1.0


def _precision_gain(setup: Setup, gpu: GpuSpec, c: SpeedConstants) -> float:
    precision = setup.workload.precision
    if precision in ("fp8", "mxfp8") and gpu.fp8_tflops:
        return c.fp8_gain
    if precision == "nvfp4" and gpu.fp4_tflops:
        return c.fp4_gain
    if precision == "fp32":
        base = gpu.bf16_tflops or gpu.fp16_tflops or 1.0
        return (gpu.tf32_tflops or gpu.fp32_tflops or base / 8) / base
    return 1.0


def _small_operators_bytes(setup: Setup, m: MemoryConstants, c: SpeedConstants, flops: Flops) -> float:
    """Memory traffic of norms, activations, rotary embeddings and the loss in one micro batch on one card."""
    a, lay = setup.architecture, setup.layout
    ratio = c.eager_traffic if setup.kernels == "eager" else c.fused_traffic
    layers = layer_bytes_per_token(setup, m) * a.layers / lay.pp * flops.passes / 2 * ratio
    logits = {"whole": 20.0, "chunked": 14.0, "fused": 8.0, "parallel": 12.0}[setup.loss] * a.vocab / (lay.tp * lay.pp)
    scores = 24.0 * a.heads * setup.seq_len * a.layers / (lay.tp * lay.pp) if setup.stores_scores else 0.0
    return setup.tokens * (layers + logits + scores)


def _dequantised_bytes(setup: Setup, c: SpeedConstants, flops: Flops) -> float:
    if not setup.quant:
        return 0.0
    return c.dequant_traffic * setup.architecture.linear / setup.layout.pp * flops.passes


def _update_s(setup: Setup, gpu: GpuSpec) -> float:
    """The optimizer's pass over weights, gradients and states of this card: about 30 bytes a parameter."""
    if setup.kind != "full" or "optimizer" in setup.workload.offload:
        return 0.0
    lay = setup.layout
    share = setup.architecture.total / (lay.tp * lay.pp * lay.optimizer_over)
    return 30.0 * share / ((gpu.bandwidth_gbs or 1) * 1e9)
