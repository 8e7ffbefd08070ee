"""Training estimates: the road from a workload to memory, speed, time and energy.

Each step is a file: `training_setup` fills in defaults, `layouts` the group sizes, `training_states` and
`training_activations` count bytes, `training_memory` takes the fullest moment, `training_speed` the seconds,
`training_run` the whole run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.answer import Band, Verdict
from bot.estimator.cards import usable_gib
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import Assumed, TrainingEstimate
from bot.estimator.layout_choice import PRETRAIN_CARDS, data_layouts, pretraining_layouts
from bot.estimator.layouts import is_open
from bot.estimator.loading import training_loading_gib
from bot.estimator.training_bands import memory_band, pace_share, times_band
from bot.estimator.training_memory import GIB, Memory, memory_of
from bot.estimator.training_reliability import reliability_of, training_checkpoint_gb
from bot.estimator.training_run import Run, run_of, run_share
from bot.estimator.training_setup import Setup, resolve_training
from bot.estimator.training_speed import Speed, speed_of
from bot.estimator.training_sum import training_sum
from bot.estimator.weight_bound import is_outweighed
from bot.estimator.workload import TrainingWorkload


def estimate_training(workload: TrainingWorkload, data: EstimatorData) -> TrainingEstimate:
    """Memory of the fullest card, and speed where the card is known.

    Raises InvalidWorkload (field, value, what is accepted) and UnsupportedWorkload (no shape to count with).
    """
    setup = resolve_training(with_layout(workload, data), data)
    constants = data.training_constants
    memory = memory_of(setup, constants.memory)
    speed = speed_of(speed_setup(setup, data), constants)
    run = run_of(setup, speed, constants.speed)
    return _estimate(setup, memory, speed, run, data)


def with_layout(workload: TrainingWorkload, data: EstimatorData) -> TrainingWorkload:
    """The workload with a layout that a sensible engineer would pick: the simplest that fits, else FSDP (ZeRO-3)."""
    n = workload.hardware.n_gpus
    if not n or n == 1 or not is_open(workload.parallelism):
        return workload
    if workload.method == "pretrain":
        return _tuned(workload, n, data)
    plain, sharded = (replace(workload, parallelism=layout) for layout in data_layouts(n))
    return plain if _holds_a_copy(plain, data) else sharded


def speed_setup(setup: Setup, data: EstimatorData) -> Setup:
    """The set-up that speed is counted on: a pretraining run of unknown size runs on a cluster, not on one card."""
    workload = setup.workload
    if workload.method != "pretrain" or workload.hardware.n_gpus or not is_open(workload.parallelism):
        return setup
    cluster = replace(workload, hardware=replace(workload.hardware, n_gpus=PRETRAIN_CARDS))
    return resolve_training(_tuned(cluster, PRETRAIN_CARDS, data), data)


def _tuned(workload: TrainingWorkload, n: int, data: EstimatorData) -> TrainingWorkload:
    """A pretraining run as its engineers would tune it: of the layouts and micro batches that fit, the fastest."""
    best, best_rate = None, 0.0
    for layout in pretraining_layouts(workload, n):
        option = _largest_batch(replace(workload, parallelism=layout), data)
        if option is None:
            continue
        speed = speed_of(resolve_training(option, data), data.training_constants)
        rate = speed.tokens_per_s if speed else 1.0
        if rate > best_rate:
            best, best_rate = option, rate
    return best or replace(workload, parallelism=next(pretraining_layouts(workload, n)))


def _largest_batch(workload: TrainingWorkload, data: EstimatorData) -> TrainingWorkload | None:
    """The largest micro batch, then the least recomputation, that fits; as stated where the workload says it."""
    if workload.micro_batch is not None or workload.checkpointing is not None:
        return workload if _is_within(workload, data) else None
    few = replace(workload, micro_batch=1)
    lean = (*(_leaner(w) for w in (workload, few)),) if workload.model.moe_experts else ()
    options = (workload, *lean, few, replace(few, checkpointing="full"))
    return next((option for option in options if _is_within(option, data)), None)


def _leaner(workload: TrainingWorkload) -> TrainingWorkload:
    """Mixtures recompute what is cheap and large: norms, expert activations, keys and values out of the latent cache."""
    latent = ("mla_up_proj",) if workload.model.kv_lora_rank else ()
    return replace(workload, checkpointing="selective", checkpointing_detail=("core_attn", "layernorm", "moe_act", *latent))


def _is_within(workload: TrainingWorkload, data: EstimatorData) -> bool:
    """Whether the best estimate lies within the card; true where the card is not known."""
    device, usable = device_memory(workload, data)
    return usable is None or device.best <= usable


def training_verdict(workload: TrainingWorkload, data: EstimatorData) -> Verdict | None:
    """The verdict alone, in the layout that an estimate would pick; for searches."""
    n = workload.hardware.n_gpus
    if not n or n == 1 or not is_open(workload.parallelism) or workload.method == "pretrain":
        return verdict_of(with_layout(workload, data), data)
    plain, sharded = (replace(workload, parallelism=layout) for layout in data_layouts(n))
    return "yes" if _holds_a_copy(plain, data) else verdict_of(sharded, data)


def _holds_a_copy(plain: TrainingWorkload, data: EstimatorData) -> bool:
    return not is_outweighed(plain, 1, data) and verdict_of(plain, data) == "yes"


def verdict_of(workload: TrainingWorkload, data: EstimatorData) -> Verdict | None:
    """Only whether it fits: the memory part of an estimate."""
    return fits(*device_memory(workload, data))


def device_memory(workload: TrainingWorkload, data: EstimatorData) -> tuple[Band, float | None]:
    """(GiB that nvidia-smi would show on the fullest card, GiB that the card leaves to the job)."""
    setup = resolve_training(workload, data)
    constants = data.training_constants
    memory = memory_of(setup, constants.memory)
    return memory_band(memory.device, memory, setup, constants.bands), usable_gib(workload.hardware)


def fits(device: Band, usable: float | None) -> Verdict | None:
    """`no` if even the low end is over the card, `yes` if even the high end is under it, else `tight`."""
    if usable is None:
        return None
    if device.low > usable:
        return "no"
    return "yes" if device.high < usable else "tight"


def _estimate(setup: Setup, memory: Memory, speed: Speed | None, run: Run | None, data: EstimatorData) -> TrainingEstimate:
    wall = run.wall_hours if run else None
    reliability = reliability_of(setup, data, wall_hours=wall) if wall else None
    return TrainingEstimate(
        **_memory_figures(setup, memory, data),
        **_speed_figures(setup, speed, data),
        **_run_figures(run, data),
        interruptions=reliability.interruptions if reliability else None,
        checkpoint_gb=training_checkpoint_gb(setup),
        checkpoint_every_h=reliability.checkpoint_every_h if reliability else None,
        assumptions=(*setup.assumptions, *_run_assumed(setup, run, data)),
        notes=_notes(setup, speed),
        sum=training_sum(setup, memory),
    )


def _memory_figures(setup: Setup, memory: Memory, data: EstimatorData) -> dict[str, Any]:
    """Keys of the estimate, in GiB."""

    def around(bytes_: float) -> Band:
        return memory_band(bytes_, memory, setup, data.training_constants.bands)

    device, usable = around(memory.device), usable_gib(setup.workload.hardware)
    return {
        "memory_gib_per_gpu": around(memory.reserved),
        "memory_breakdown_gib": {name: value / GIB for name, value in memory.parts.items()},
        "usable_gib_per_gpu": usable,
        "fits": fits(device, usable),
        "memory_allocated_gib_per_gpu": around(memory.allocated),
        "memory_device_gib_per_gpu": device,
        "memory_gib_total": around(memory.total),
        "host_ram_gib": memory.host / GIB if memory.host else None,
        "loading_ram_gib": None if setup.method == "pretrain" else training_loading_gib(setup),
    }


def _speed_figures(setup: Setup, speed: Speed | None, data: EstimatorData) -> dict[str, Any]:
    if speed is None:
        return {}
    share = pace_share(setup, data.training_constants)
    return {
        "tokens_per_s_per_gpu": times_band(speed.tokens_per_s, share),
        "step_s": times_band(speed.step_s, share),
        "model_tflops_per_gpu": times_band(speed.model_tflops, share),
        "mfu": times_band(speed.mfu, share),
    }


def _run_figures(run: Run | None, data: EstimatorData) -> dict[str, Any]:
    if run is None:
        return {}
    bands = data.training_constants.bands
    return {
        "gpu_hours": times_band(run.gpu_hours, bands.hours),
        "wall_hours": times_band(run.wall_hours, bands.hours),
        "energy_mwh": times_band(run.energy_mwh, bands.energy),
        "gpu_energy_mwh": times_band(run.gpu_energy_mwh, bands.energy),
    }


def _notes(setup: Setup, speed: Speed | None) -> tuple[str, ...]:
    """What a reader of the figures should know besides."""
    notes = []
    w, dp = setup.workload, setup.layout.dp
    if speed is not None and speed.is_read_bound:
        notes.append(f"reading samples at {setup.storage_gb_s:g} GB/s limits the speed")
    if w.global_batch and w.micro_batch and w.grad_accum and w.global_batch != w.micro_batch * w.grad_accum * dp:
        product = f"micro_batch {w.micro_batch} x grad_accum {w.grad_accum} x dp {dp}"
        notes.append(f"global_batch {w.global_batch} is not {product} = {w.micro_batch * w.grad_accum * dp}")
    return tuple(notes)


def _run_assumed(setup: Setup, run: Run | None, data: EstimatorData) -> tuple[Assumed, ...]:
    """Months of pretraining are interrupted: what that takes is said, where the hours were not given."""
    if run is None or setup.workload.gpu_hours or setup.method != "pretrain":
        return ()
    return (Assumed("run_share", round(run_share(setup, data.training_constants.speed), 2), "run_share"),)
