"""Speed by a roofline: weights and cache read against products computed, plus what every step and layer costs.

Nothing is said about a card without bandwidth or peak rate: an unknown GPU has no speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.catalog.records import GB, GpuSpec
from bot.estimator.serving_setup import ServingSetup

_TERA = 1e12
_PCIE_GBS = {"3.0": 16, "4.0": 32, "5.0": 64, "6.0": 128}  # one direction of 16 lanes
_SMOOTH = 4.0  # reads and products overlap, but not perfectly: (a^4 + b^4)^(1/4)
_PRECISIONS = {"fp8": ("fp8", "bf16", "fp16"), "int8": ("int8", "fp16"), "fp4": ("fp4", "fp8", "bf16"), "fp32": ("fp32",)}


@dataclass(frozen=True, slots=True)
class Machine:
    """Rates of one card and its link as this engine reaches them. Bytes and products a second, seconds."""

    weights: float
    cache: float
    prefill: float
    decode: float
    attention: float
    step_s: float
    layer_s: float
    request_s: float
    experts: float
    hop_s: float  # latency of one all-reduce
    link: float  # bytes a second of one all-reduce
    overlaps_launch: bool


@dataclass(frozen=True, slots=True)
class Speed:
    """Best values for one replica; seconds and tokens a second."""

    ttft_s: float
    tpot_s: float
    prefill_s: float  # of one prompt alone
    running: float  # requests running at once
    throughput: float  # output tokens a second of the replica
    saturated: bool


def machine_of(setup: ServingSetup, calibration: Mapping[str, Any]) -> Machine | None:
    """None where the card is unknown or has no published bandwidth or peak."""
    gpu = setup.gpu
    if gpu is None or gpu.bandwidth_gbs is None:
        return None
    peak = _peak(gpu, setup)
    sixteen = gpu.bf16_tflops or gpu.fp16_tflops or gpu.fp32_tflops
    if peak is None or sixteen is None:
        return None
    speeds = calibration["speed"]
    row = speeds.get(setup.engine.name) or speeds["default"]
    bandwidth = gpu.bandwidth_gbs * GB
    link = calibration["links"]["nvlink" if _linked(setup, gpu) else "pcie"]
    width = (gpu.link_gbs or 0) / 2 if _linked(setup, gpu) else _PCIE_GBS.get((gpu.pcie or "4.0")[:3], 32)
    return Machine(
        weights=bandwidth * row["packed" if setup.format.weight_only else "weights"],
        cache=bandwidth * row["cache"],
        prefill=peak * _TERA * row["prefill"],
        decode=peak * _TERA * row["decode"],
        attention=sixteen * _TERA * row["prefill"],
        step_s=row["step_ms"] / 1e3,
        layer_s=row["layer_ms"] / 1e3,
        request_s=row["request_ms"] / 1e3,
        experts=row["experts"],
        hop_s=link["latency_us"] / 1e6,
        link=width * GB * link["share"],
        overlaps_launch=setup.engine.cache == "eager",
    )


def serving_speed(setup: ServingSetup, limit: float, calibration: Mapping[str, Any]) -> Speed | None:
    """Times and rates of the load at hand; `limit`: requests that the cache pool lets run at once."""
    machine = machine_of(setup, calibration)
    if machine is None:
        return None
    wanted = setup.concurrency
    running = limit if wanted is None else min(float(wanted), limit)
    prompt, output = max(setup.input_len, 1), max(setup.output_len, 1)
    alone = prefill_s(setup, machine, prompt)
    step = step_s(setup, machine, running, setup.input_len + output / 2)
    cycle = output * step + running * alone  # in which every running request is read and answered once
    rate = running / cycle  # requests a second
    waiting = max(0.0, (wanted or running) - running) / rate
    if setup.engine.burst:
        first = alone if running == 1 else prefill_s(setup, machine, prompt, requests=running)
        tpot = step
    else:
        busy = min(rate * alone, 0.9) if running > 1 else 0.0
        first = alone * (1 + busy / (2 * (1 - busy)))
        tpot = step + (running - 1) * alone / output
    return Speed(
        ttft_s=first + waiting + machine.request_s,
        tpot_s=tpot,
        prefill_s=alone,
        running=running,
        throughput=running * output / (cycle + machine.request_s),
        saturated=wanted is None or wanted > limit,
    )


def step_s(setup: ServingSetup, machine: Machine, batch: float, context: float) -> float:
    """One decode step of `batch` sequences, each `context` tokens long."""
    reads = _read_bytes(setup, batch) / machine.weights
    products = _products_s(setup, batch, machine.decode, machine.experts)
    body = _roof(reads, products) / setup.tp
    cache = batch * setup.cache.sequence_bytes(context, setup.kv_value_bytes) / setup.cache.shards(setup.tp) / machine.cache
    launch = machine.step_s + setup.arch.layers * machine.layer_s
    comm = _all_reduce_s(setup, machine, batch)
    return max(launch, body + cache) + comm if machine.overlaps_launch else launch + body + cache + comm


def prefill_s(setup: ServingSetup, machine: Machine, prompt: float, requests: float = 1) -> float:
    """Reading `requests` prompts together: products of all tokens, attention over each prompt, exchange between cards."""
    tokens = prompt * requests
    reads = _read_bytes(setup, tokens) / machine.weights
    products = _products_s(setup, tokens, machine.prefill, machine.experts)
    body = _roof(reads, products) / setup.tp
    attention = requests * _attention_flops(setup, prompt) / (machine.attention * setup.tp)
    launch = machine.step_s + setup.arch.layers * machine.layer_s
    comm = _all_reduce_s(setup, machine, tokens)
    return max(launch, body + attention) + comm if machine.overlaps_launch else launch + body + attention + comm


def _roof(reads: float, products: float) -> float:
    return float((reads**_SMOOTH + products**_SMOOTH) ** (1 / _SMOOTH))


def _read_bytes(setup: ServingSetup, tokens: float) -> float:
    """Weights that a pass of `tokens` reads: experts as far as any token visits them."""
    weights, model = setup.weights, setup.model
    if not weights.experts:
        return weights.dense_read
    share = min(1.0, (model.moe_topk or 1) / (model.moe_experts or 1))
    return float(weights.dense_read + weights.experts * (1 - (1 - share) ** tokens))


def _products_s(setup: ServingSetup, tokens: float, rate: float, experts: float) -> float:
    """Time of the matrix products, 2 a parameter and token; those of small experts reach only a share of the rate."""
    arch = setup.arch
    routed = arch.moe_layers * arch.active_experts_per_layer
    dense = arch.matmul_active - routed
    return 2 * tokens * (dense + routed / experts) / rate


def _attention_flops(setup: ServingSetup, prompt: float) -> float:
    """Causal attention: two products over half the square, 2 n^2 x heads x width a layer; windows cut the square."""
    arch, model = setup.arch, setup.model
    sliding = model.sliding_layers or 0
    full = arch.layers - sliding - arch.linear_layers
    window = min(model.sliding_window or prompt, prompt)
    return float(2 * arch.heads * arch.head_dim * (full * prompt**2 + sliding * window * (2 * prompt - window)))


def _all_reduce_s(setup: ServingSetup, machine: Machine, tokens: float) -> float:
    """Two all-reduces a layer of tokens x hidden x 2 bytes, each 2 (tp - 1) / tp of it over the link."""
    if setup.tp == 1:
        return 0.0
    moved = tokens * setup.arch.hidden * 2 * 2 * (setup.tp - 1) / setup.tp
    return 2 * setup.arch.layers * (machine.hop_s + moved / machine.link)


def _linked(setup: ServingSetup, gpu: GpuSpec) -> bool:
    nvlink = setup.workload.hardware.nvlink
    return bool(gpu.link) and gpu.link_domain >= min(setup.tp, 8) if nvlink is None else nvlink


def _peak(gpu: GpuSpec, setup: ServingSetup) -> float | None:
    """Dense peak in the precision of the products; a card without it works in the next wider one that it has."""
    compute = "fp16" if setup.format.weight_only else setup.format.compute
    for precision in _PRECISIONS.get(compute, ("bf16", "fp16", "fp32")):
        peak = gpu.peak_tflops(precision)
        if peak:
            return peak
    return gpu.fp16_tflops or gpu.bf16_tflops or gpu.fp32_tflops
