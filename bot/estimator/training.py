"""Training estimates: the road from a workload to memory, speed, time and energy.

Each step is a file: `training_setup` fills in defaults, `layouts` the group sizes, `training_states` and
`training_activations` count bytes, `training_memory` takes the fullest moment, `training_speed` the seconds,
`training_run` the whole run.
"""

from __future__ import annotations

from dataclasses import replace

from bot.answer import Band, Verdict
from bot.estimator.cards import usable_gib
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import Assumed, TrainingEstimate
from bot.estimator.layout_choice import PRETRAIN_CARDS, data_layouts, pretraining_layouts
from bot.estimator.layouts import is_open
from bot.estimator.loading import training_loading_gib
from bot.estimator.training_cards import is_measured
from bot.estimator.training_constants import BandConstants
from bot.estimator.training_memory import GIB, Memory, memory_of
from bot.estimator.training_run import Run, run_of, run_share
from bot.estimator.training_setup import Setup, resolve_training
from bot.estimator.training_speed import Speed, speed_of
from bot.estimator.training_sum import training_sum
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
    return plain if verdict_of(plain, data) == "yes" else sharded


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
    options = (workload, replace(workload, micro_batch=1), replace(workload, micro_batch=1, checkpointing="full"))
    return next((option for option in options if _is_within(option, data)), None)


def _is_within(workload: TrainingWorkload, data: EstimatorData) -> bool:
    """Whether the best estimate lies within the card; true where the card is not known."""
    device, usable = device_memory(workload, data)
    return usable is None or device.best <= usable


def verdict_of(workload: TrainingWorkload, data: EstimatorData) -> Verdict | None:
    """Only whether it fits: the memory part of an estimate."""
    return fits(*device_memory(workload, data))


def device_memory(workload: TrainingWorkload, data: EstimatorData) -> tuple[Band, float | None]:
    """(GiB that nvidia-smi would show on the fullest card, GiB that the card leaves to the job)."""
    setup = resolve_training(workload, data)
    constants = data.training_constants
    memory = memory_of(setup, constants.memory)
    return _memory_band(memory.device, memory, setup, constants.bands), usable_gib(workload.hardware)


def fits(device: Band, usable: float | None) -> Verdict | None:
    """`no` if even the low end is over the card, `yes` if even the high end is under it, else `tight`."""
    if usable is None:
        return None
    if device.low > usable:
        return "no"
    return "yes" if device.high < usable else "tight"


def _memory_band(bytes_: float, memory: Memory, setup: Setup, b: BandConstants) -> Band:
    """States are counted almost exactly; what passes through in a step is not, so its doubt is larger."""
    states = 1 - (memory.parts["activations"] + memory.parts["logits"]) / memory.reserved
    unknown = b.unknown if setup.framework.name == "default" or not setup.workload.model.shape_known else 0.0
    down = b.states_down * states + b.passing_down * (1 - states) + unknown
    up = b.states_up * states + b.passing_up * (1 - states) + unknown
    return Band.around(bytes_ / GIB, down, up)


def _pace_band(setup: Setup, data: EstimatorData) -> float:
    """Half-width of a speed: wider for mixtures of experts and for cards of which no run is known."""
    constants, gpu = data.training_constants, setup.workload.hardware.gpu
    band = constants.bands.speed + (constants.bands.experts if setup.architecture.moe_layers else 0.0)
    return band + (0.0 if gpu is None or is_measured(gpu, constants) else constants.bands.unmeasured)


def _estimate(setup: Setup, memory: Memory, speed: Speed | None, run: Run | None, data: EstimatorData) -> TrainingEstimate:
    b = data.training_constants.bands
    device = _memory_band(memory.device, memory, setup, b)
    pace = _pace_band(setup, data)
    usable = usable_gib(setup.workload.hardware)
    return TrainingEstimate(
        memory_gib_per_gpu=_memory_band(memory.reserved, memory, setup, b),
        memory_breakdown_gib={name: value / GIB for name, value in memory.parts.items()},
        usable_gib_per_gpu=usable,
        fits=fits(device, usable),
        memory_allocated_gib_per_gpu=_memory_band(memory.allocated, memory, setup, b),
        memory_device_gib_per_gpu=device,
        memory_gib_total=_memory_band(memory.total, memory, setup, b),
        host_ram_gib=memory.host / GIB if memory.host else None,
        loading_ram_gib=None if setup.method == "pretrain" else training_loading_gib(setup),
        tokens_per_s_per_gpu=_band(speed.tokens_per_s if speed else None, pace),
        step_s=_band(speed.step_s if speed else None, pace),
        model_tflops_per_gpu=_band(speed.model_tflops if speed else None, pace),
        mfu=_band(speed.mfu if speed else None, pace),
        gpu_hours=_band(run.gpu_hours if run else None, b.hours),
        wall_hours=_band(run.wall_hours if run else None, b.hours),
        energy_mwh=_band(run.energy_mwh if run else None, b.energy),
        gpu_energy_mwh=_band(run.gpu_energy_mwh if run else None, b.energy),
        assumptions=(*setup.assumptions, *_run_assumed(setup, run, data)),
        notes=_notes(setup, speed),
        sum=training_sum(setup, memory),
    )


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


def _band(value: float | None, share: float) -> Band | None:
    return None if value is None else Band(value / (1 + share), value, value * (1 + share))
