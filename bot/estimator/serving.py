"""Serving estimates: the road from a workload to memory, pool and speed with their bands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.answer import Band, Verdict
from bot.catalog.records import GIB
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate
from bot.estimator.formats import file_bytes
from bot.estimator.serving_checks import check_workload, lacks_kernels, runs_natively
from bot.estimator.serving_memory import MemoryNeed, memory_need, weights_per_card
from bot.estimator.serving_pool import Pool, budget_gib, cache_pool, running_limit
from bot.estimator.serving_setup import ServingSetup, serving_setup
from bot.estimator.serving_speed import Speed, serving_speed
from bot.estimator.serving_sum import memory_sum
from bot.estimator.workload import ServingWorkload

MARGIN = 0.05  # of the card: less room than this is "tight"
_DESKTOP_GIB = 0.5  # that a screen takes of a desktop card
MOST = 0.95  # of the card that a server can be given where its default does not do


def estimate_serving(workload: ServingWorkload | ServingSetup, data: EstimatorData) -> ServingEstimate:
    """Memory, cache pool and speed of one workload. Raises InvalidWorkload for what cannot be set up at all."""
    setup = workload if isinstance(workload, ServingSetup) else serving_setup(workload, data)
    check_workload(setup)
    calibration = data.serving
    need = memory_need(setup, calibration)
    pool = cache_pool(setup, calibration)
    limit = running_limit(setup, pool, data)
    speed = serving_speed(setup, limit, data)
    bands = _Bands(setup, calibration)
    per_card = bands.memory(need, need.per_card)
    return ServingEstimate(
        weights_gib=setup.weights.total / GIB,
        weights_gib_per_gpu=weights_per_card(setup) / GIB,
        memory_gib_per_gpu=per_card,
        memory_gib_total=bands.memory(need, need.total),
        memory_breakdown_gib=_breakdown(need),
        file_size_gib=file_bytes(setup.model, setup.format.name, data) / GIB,
        kv_bytes_per_token=setup.cache.growing * setup.kv_value_bytes,
        kv_pool_gib_per_gpu=bands.of("pool", pool.gib_per_card) if pool and _reserves(setup) else None,
        kv_pool_tokens=bands.of("pool", pool.tokens) if pool else None,
        max_concurrency=bands.of("pool", pool.requests) if pool else None,
        usable_gib_per_gpu=setup.usable_gib,
        fits=_fits(setup, per_card, pool, calibration),
        **_speeds(setup, speed, bands),
        saturated=speed.saturated if speed else None,
        basis="calibrated" if setup.engine.known and setup.model.shape_known else "literature",
        assumptions=setup.assumptions,
        sum=memory_sum(setup, need),
        notes=_notes(setup),
    )


def fits_memory(workload: ServingWorkload | ServingSetup, data: EstimatorData) -> Verdict | None:
    """The verdict alone, for searches."""
    setup = workload if isinstance(workload, ServingSetup) else serving_setup(workload, data)
    return _fits(setup, need_band(setup, data), cache_pool(setup, data.serving), data.serving)


def need_band(setup: ServingSetup, data: EstimatorData) -> Band:
    """GiB needed on the fullest card."""
    need = memory_need(setup, data.serving)
    return _Bands(setup, data.serving).memory(need, need.per_card)


class _Bands:
    """80 % intervals by kind of figure, wider where shape or engine are guessed and on cards without published runs."""

    def __init__(self, setup: ServingSetup, calibration: Mapping[str, Any]) -> None:
        self._table = calibration["bands"]
        self._engine = 1.0 if setup.engine.known else self._table["unknown_engine"]
        self._shape = 1.0 if setup.model.shape_known else self._table["unknown_shape"]
        self._card = 1.0 if setup.gpu is None or setup.gpu.arch in calibration["measured"] else self._table["unknown_card"]

    def of(self, kind: str, best: float) -> Band:
        down, up = self._table[kind]
        factor = self._shape * (1.0 if kind == "pool" else self._engine * self._card)
        return Band.around(best, min(0.95, down * factor), up * factor)

    def memory(self, need: MemoryNeed, best: float) -> Band:
        """Weights are nearly exact, the rest is not: the interval follows the mixture."""
        share = need.weights / need.per_card
        down, up = (
            self._table["weights"] * share + rest * (1 - share) * self._engine for rest in self._table["beyond_weights"]
        )
        return Band.around(best, down * self._shape, up * self._shape)


def _breakdown(need: MemoryNeed) -> dict[str, float]:
    return {"weights": need.weights, "kv_cache": need.cache, "activations": need.activations, "overhead": need.overhead}


def _reserves(setup: ServingSetup) -> bool:
    return setup.engine.cache == "paged"


def _fits(setup: ServingSetup, need: Band, pool: Pool | None, calibration: Mapping[str, Any]) -> Verdict | None:
    """`no` if even the low need is over what the engine can be given, or if a server would refuse its own max_model_len."""
    if setup.usable_gib is None:
        return None
    if need.low > most_gib(setup) or _lacks_format(setup):
        return "no"
    if pool is not None and _reserves(setup) and setup.workload.max_model_len:
        down, up = calibration["bands"]["pool"]
        if _raised(setup, pool, calibration).requests * (1 + up) < 1:
            return "no"
        if pool.requests * (1 - down) < 1:
            return "tight"
    desktop = _DESKTOP_GIB if setup.gpu is not None and setup.gpu.form == "GeForce" else 0.0
    spare = MARGIN * setup.usable_gib + desktop
    return "yes" if need.high + spare <= budget_gib(setup) else "tight"


def _raised(setup: ServingSetup, pool: Pool, calibration: Mapping[str, Any]) -> Pool:
    """The pool where the server is given more of the card than by default; as it is where a share is stated."""
    if setup.workload.gpu_memory_utilization is not None or setup.engine.of_free:
        return pool
    return cache_pool(replace(setup, utilisation=max(MOST, setup.utilisation or 0.0)), calibration) or pool


def most_gib(setup: ServingSetup) -> float:
    """The most of one card that can be given to the server: its stated share, or a raised one where none is stated."""
    budget = budget_gib(setup)
    if not _reserves(setup) or setup.workload.gpu_memory_utilization is not None:
        return budget
    return max(budget, MOST * (setup.usable_gib or 0.0))


def _lacks_format(setup: ServingSetup) -> bool:
    """The checkpoint's own type is one that the card cannot compute in."""
    return setup.format.compute == "fp8" and not runs_natively(setup.gpu, setup.format)


def _notes(setup: ServingSetup) -> tuple[str, ...]:
    """What a reader of the figures should know besides."""
    notes = []
    if setup.cache.sliding or setup.cache.state_bytes:
        notes.append("sliding or hybrid layers")
    if setup.gpu is not None and _lacks_format(setup):
        notes.append(f"{setup.gpu.title} has no {setup.format.name}, the checkpoint's own type: take another format")
    if setup.gpu is not None and setup.format.name == "bf16" and not setup.gpu.bf16_tflops:
        notes.append(f"{setup.gpu.title} has no bf16: the weights run as fp16")
    if setup.gpu is not None and lacks_kernels(setup):
        notes.append(f"{setup.engine.title} has no {setup.format.name} kernels for {setup.gpu.title}: take gptq_int4")
    return tuple(notes)


def _speeds(setup: ServingSetup, speed: Speed | None, bands: _Bands) -> dict[str, Any]:
    if speed is None or (setup.usable_gib is not None and weights_per_card(setup) / GIB > setup.usable_gib):
        return {}  # of a model that does not load there is no speed
    tpot = bands.of("decode", speed.tpot_s * 1000)
    return {
        # In a queue that never runs dry the first token has no mean: it comes ever later.
        "ttft_ms": bands.of("ttft", speed.ttft_s * 1000) if setup.concurrency is not None else None,
        "tpot_ms": tpot,
        "decode_tokens_per_s_per_request": Band(1000 / tpot.high, 1000 / tpot.best, 1000 / tpot.low),
        "decode_tokens_per_s_total": bands.of("decode", setup.busy * speed.running / speed.tpot_s),
        "prefill_tokens_per_s": bands.of("prefill", max(setup.input_len, 1) / speed.prefill_s),
        "throughput_tokens_per_s": bands.of("throughput", setup.busy * speed.throughput),
    }
