"""Seconds of a training step and tokens a second, from compute, memory traffic, links and bubbles.

A micro batch takes its matrix products at a share of the card's peak, its attention at a lower one, and the traffic of all
the small operators between them; exposed communication and the pipeline's bubble come on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, log2

from bot.catalog.records import GpuSpec
from bot.estimator.infrastructure import read_ceiling_tokens_per_s
from bot.estimator.training_activations import layer_bytes_per_token
from bot.estimator.training_cards import attention_share, matmul_share
from bot.estimator.training_constants import MemoryConstants, SpeedConstants, TrainingConstants
from bot.estimator.training_flops import Flops, flops_per_token
from bot.estimator.training_links import traffic_of
from bot.estimator.training_setup import Setup

_EXPERTS_MEASURED = 25 + 11 / 12  # the release 25.11


@dataclass(frozen=True, slots=True)
class Speed:
    """Steady state. `tokens_per_s` is of all cards over their number; `model_tflops` of one card."""

    tokens_per_s: float
    step_s: float | None
    model_tflops: float
    mfu: float
    is_read_bound: bool  # storage cannot feed the cards any faster


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
    overlap = c.overlap if lay.link_domain > 1 else c.overlap_pcie
    micro = compute + max(0.0, links.hidden_per_micro - overlap * compute) + links.exposed_per_micro
    bubble = 1 + (lay.pp - 1) / (lay.vpp * micros)
    step = micros * micro * bubble + max(0.0, links.per_step - overlap * compute) + _update_s(setup, gpu)
    step *= lay.layer_split * (1 + c.scale_loss * log2(max(1, lay.nodes)))
    tokens = micros * setup.micro_batch * setup.seq_len * lay.dp
    ceiling = _read_ceiling(setup)
    rate = min(tokens / step, ceiling) / lay.n_gpus
    tflops = rate * flops.model / 1e12
    stated = setup.workload.global_batch
    step_s = stated * setup.seq_len / (rate * lay.n_gpus) if stated else None
    return Speed(rate, step_s, tflops, tflops / peak, is_read_bound=tokens / step > ceiling)


def _read_ceiling(setup: Setup) -> float:
    """Tokens a second of all cards that storage can feed; none for text, at 4 bytes a token."""
    w = setup.workload
    if not w.sample_bytes:
        return inf
    return read_ceiling_tokens_per_s(setup.storage_gb_s, w.sample_bytes, w.sample_tokens_mean or setup.seq_len)


def _compute_s(setup: Setup, gpu: GpuSpec, peak: float, flops: Flops, constants: TrainingConstants) -> float:
    """Seconds of one micro batch on one card without waiting for others.

    Work of the card and launches of the host overlap but for what the larger leaves uncovered: their root of squares.
    """
    c, lay = constants.speed, setup.layout
    tokens = setup.tokens / (lay.tp * lay.pp)
    rate = peak * 1e12 * matmul_share(setup, gpu, constants) * _experts_pace(setup, c)
    matmul = tokens * flops.matmul / (rate * _precision_gain(setup, gpu, c))
    attention = tokens * flops.attention / (peak * 1e12 * attention_share(setup, gpu, constants))
    bandwidth = (gpu.bandwidth_gbs or 0) * 1e9
    small = _small_operators_bytes(setup, constants.memory, c, flops) / bandwidth
    dequantised = _dequantised_bytes(setup, c, flops) / bandwidth
    return hypot(matmul + attention + small + dequantised, _launch_s(setup, flops, c))


def _experts_pace(setup: Setup, c: SpeedConstants) -> float:
    """Grouped products of experts over dense ones."""
    return c.moe_share * _release_gain(setup, c) if setup.architecture.moe_layers else 1.0


def _release_gain(setup: Setup, c: SpeedConstants) -> float:
    """Speed of expert layers against the release 25.11, for releases named by year and month (`26.08`); 1 for other names.

    A tuned stack that is not named is of the newest release measured. Kernels that dispatch tokens and multiply by groups
    still get faster with each release; dense ones do not.
    """
    year, _, month = (setup.workload.framework_version or setup.framework.release or "").partition(".")
    if not (year.isdigit() and month[:2].isdigit() and 20 <= int(year) <= 40):
        return 1.0
    years = int(year) + int(month[:2]) / 12 - _EXPERTS_MEASURED
    return float((1 + c.moe_yearly) ** max(-1.0, min(2.0, years)))


def _launch_s(setup: Setup, flops: Flops, c: SpeedConstants) -> float:
    """Host time of launching kernels: more for eager code, for hooks of ZeRO-3, and for the small products of experts."""
    lay = setup.layout
    each = c.launch_us if setup.kernels == "eager" else c.fused_launch_us
    if lay.zero == 3 and not lay.is_fsdp:
        each += c.launch_us
    if setup.architecture.moe_layers:
        each += c.moe_launch_us / _release_gain(setup, c)
    return setup.architecture.layers / lay.pp * flops.passes * each * 1e-6


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
