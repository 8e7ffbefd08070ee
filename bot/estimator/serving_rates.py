"""Rates of one card and its link as an engine reaches them: the calibration laid over the datasheet.

Later layers win: the default, the engine, the engine's older versions, factors of the card's generation, single cards
that measure unlike their datasheet.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

from bot.catalog.records import GB, GpuSpec
from bot.estimator.cards import pcie_gbs
from bot.estimator.data import EstimatorData
from bot.estimator.engines import is_before
from bot.estimator.serving_setup import ServingSetup

_TERA = 1e12
_REFERENCE_TFLOPS = 100.0
_SLICE = 0.9  # stated memory below this share of the card's own is a slice of it
_HBM_GBS = 1400  # cards above are HBM cards
_PRECISIONS = {"fp8": ("fp8", "bf16", "fp16"), "int8": ("int8", "fp16"), "fp4": ("fp4", "fp8", "bf16"), "fp32": ("fp32",)}


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """The calibration of one engine on one card; shares of the datasheet unless the name has a unit."""

    weights: float  # bandwidth reached when weights are read
    packed: float  # the same for weight-only formats
    awq: float  # factor on packed for AWQ, whose kernels came later
    cache: float  # when the cache is read
    prefill: float  # of the peak rate of a 100 TFLOP/s card, in the products of a prompt
    fill: float  # power of the peak by which larger cards reach less: share x (peak / 100 TFLOP/s)^-fill
    decode: float  # in the products of a decode batch
    attention: float  # of the 16-bit peak, in the attention of a prompt
    packed_prefill: float  # factor on prefill for weight-only formats, unpacked on the way
    experts: float  # factor on prefill and decode for the products of small experts
    expert_copy: float  # bytes a hidden unit moved for every expert that a token visits
    experts_read: float  # factor on the bandwidth when experts are read
    packed_experts: float  # one more where they are packed
    step_ms: float  # of one step, whatever the model
    layer_ms: float  # of one layer of a step
    expert_layer_ms: float  # more of a layer with experts: routing, dispatch and gathering are kernels of their own
    latent_layer_ms: float  # more of a layer with latent attention
    sequence_us: float  # of a step for every running sequence
    serial_ns: float  # of one layer for every cached token of a sequence: attention that is not split over the card
    request_ms: float  # of a request before its prompt is read
    expert_us: float  # of one layer for every expert, where experts are called one by one
    packed_launch: float  # factor on step and layer for weight-only formats
    fp8_launch: float  # factor for FP8
    hbm: float  # factor on weights and packed on HBM cards
    admission: float  # share of its output for which a request needs room when it is admitted
    desktop_fill: float  # the same power for GeForce cards, which hold their clocks
    host: float  # factor on step, layer and sequence: how slow the host launches
    pipeline: float  # of the ideal speed-up, reached by pipeline stages under load


@dataclass(frozen=True, slots=True)
class Machine:
    """Bytes and products a second of one card; seconds."""

    row: SpeedRow
    bandwidth: float
    weights: float
    experts: float
    cache: float
    prefill: float
    decode: float
    attention: float
    step_s: float
    layer_s: float
    sequence_s: float
    hop_s: float  # latency of one all-reduce
    link: float  # bytes a second of one all-reduce
    between_s: float  # handing a step from stage to stage


@lru_cache(maxsize=4096)
def speed_row(engine: str, version: str | None, gpu: GpuSpec | None, data: EstimatorData) -> SpeedRow:
    table = data.serving["speed"]
    own = table["engines"].get(engine) or {}
    row: dict[str, float] = {**table["default"], **own.get("at", {})}
    for until in sorted(own.get("before", {}), reverse=True):
        if is_before(version, until, data):
            row.update(own["before"][until])
    if gpu is not None:
        for key, factor in table["generations"].get(gpu.arch, {}).items():
            row[key] *= factor
        for key, factor in table.get("cards", {}).get(gpu.name, {}).items():
            row[key] *= factor
        row.update(own.get("cards", {}).get(gpu.name, {}))
    return SpeedRow(**{f.name: float(row[f.name]) for f in fields(SpeedRow)})


def machine_of(setup: ServingSetup, data: EstimatorData) -> Machine | None:
    """None where the card is unknown or has no published bandwidth or peak: an unknown GPU has no speed."""
    gpu = setup.gpu
    if gpu is None or gpu.bandwidth_gbs is None:
        return None
    peak, sixteen = _peak(gpu, setup), gpu.bf16_tflops or gpu.fp16_tflops or gpu.fp32_tflops
    if peak is None or sixteen is None:
        return None
    row, packed, part = _row(setup, data), setup.format.weight_only, _slice_of(setup, gpu)
    peak, bandwidth = peak * part, gpu.bandwidth_gbs * GB * part
    reads, launch = bandwidth * _read_share(setup, gpu, row), _launch_factor(setup, row)
    fill = row.desktop_fill if gpu.form == "GeForce" else row.fill
    products = peak * _TERA * (peak / _REFERENCE_TFLOPS) ** -fill * (row.packed_prefill if packed else 1.0)
    hop_s, link = _link(setup, gpu, data)
    return Machine(
        row=row,
        bandwidth=bandwidth,
        weights=reads,
        experts=reads * row.experts_read * (row.packed_experts if packed else 1.0),
        cache=bandwidth * row.cache,
        prefill=products * row.prefill,
        decode=products * row.decode,
        attention=sixteen * part * _TERA * row.attention,
        step_s=row.step_ms * launch / 1e3,
        layer_s=_layer_ms(setup, row) * launch / 1e3,
        sequence_s=row.sequence_us * row.host / 1e6,
        hop_s=hop_s,
        link=link,
        between_s=hop_s,
    )


def _row(setup: ServingSetup, data: EstimatorData) -> SpeedRow:
    return speed_row(setup.engine.name, setup.workload.engine_version, setup.gpu, data)


def _read_share(setup: ServingSetup, gpu: GpuSpec, row: SpeedRow) -> float:
    """Share of the bandwidth that reading weights reaches, by their format."""
    share = row.packed if setup.format.weight_only else row.weights
    share *= row.awq if setup.format.name == "awq_int4" else 1.0
    return share * (row.hbm if (gpu.bandwidth_gbs or 0) > _HBM_GBS else 1.0)


def _launch_factor(setup: ServingSetup, row: SpeedRow) -> float:
    """How much longer than usual the host takes to launch a step: other kernels by format, slower hosts."""
    factor = row.packed_launch if setup.format.weight_only else 1.0
    return factor * (row.fp8_launch if setup.format.compute == "fp8" else 1.0) * row.host


def _link(setup: ServingSetup, gpu: GpuSpec, data: EstimatorData) -> tuple[float, float]:
    """(seconds of latency, bytes a second) of one all-reduce between the cards."""
    linked = _linked(setup, gpu)
    link = data.serving["links"]["nvlink" if linked else "pcie"]
    width = (gpu.link_gbs or 0) / 2 if linked else pcie_gbs(gpu)
    return link["latency_us"] / 1e6, width * GB * link["share"]


def _layer_ms(setup: ServingSetup, row: SpeedRow) -> float:
    """Launching one layer: more for experts, most where they are called one by one, and for latent attention."""
    arch = setup.arch
    experts = arch.experts_per_layer // max(arch.active_experts_per_layer, 1) * (setup.model.moe_topk or 0)
    more = row.expert_layer_ms * arch.moe_layers / arch.layers + experts * row.expert_us / 1e3
    return row.layer_ms + more + (row.latent_layer_ms if setup.model.kv_lora_rank else 0.0)


def _slice_of(setup: ServingSetup, gpu: GpuSpec) -> float:
    """Share of the card that a MIG slice has: its memory and, nearly, its bandwidth and multiprocessors."""
    sold = setup.workload.hardware.memory_gb
    share = sold / gpu.memory_gb if sold and gpu.mig_max else 1.0
    return share if share < _SLICE else 1.0


def _linked(setup: ServingSetup, gpu: GpuSpec) -> bool:
    nvlink = setup.workload.hardware.nvlink
    return bool(gpu.link) and gpu.link_domain >= min(setup.tp, 8) if nvlink is None else nvlink


def _peak(gpu: GpuSpec, setup: ServingSetup) -> float | None:
    """Dense peak in the precision of the products; a card without it works in the next wider one that it has."""
    compute = "fp16" if setup.format.weight_only else setup.format.compute
    if compute == "fp16" and gpu.form == "GeForce" and gpu.fp16_tflops and setup.engine.half_sums:
        return 2 * gpu.fp16_tflops  # FP16 sums run at twice the rate of FP32 sums on these cards
    for precision in _PRECISIONS.get(compute, ("bf16", "fp16", "fp32")):
        peak = gpu.peak_tflops(precision)
        if peak:
            return peak
    return gpu.fp16_tflops or gpu.bf16_tflops or gpu.fp32_tflops
