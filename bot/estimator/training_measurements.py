"""Published measurements of training runs: read, compared with estimates, and the nearest one found for an answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from typing import Any

from bot.answer import Band, Measured, Source
from bot.catalog.specs import Specs
from bot.estimator.estimate import TrainingEstimate
from bot.estimator.measured_rows import made_of_rows, model_of_row
from bot.estimator.workload import Hardware, Parallelism, TrainingWorkload
from bot.folder import Folder

_FILE = "measurements/training.csv"
_READ_ON = date(2026, 11, 30)
_LISTS = ("offload", "checkpointing_detail", "lora_targets")
_WHOLE = (
    "micro_batch", "grad_accum", "global_batch", "seq_len", "galore_rank", "active_layers", "lora_rank", "trainable_params",
    "max_steps", "dp", "tp", "pp", "cp", "ep", "vpp", "zero_stage", "shard_size", "layer_split", "n_gpus",
)  # fmt: skip
_NUMBERS = ("tokens_b", "gpu_hours", "gpu_memory_gb", "gpu_power_w", "internode_gbps")
_FLAGS = ("packing", "optimizer_in_backward", "fused_loss", "compile", "train_embeddings", "sequence_parallel", "nvlink")


@dataclass(frozen=True, slots=True)
class TrainingMeasurement:
    """One figure of one run. `quantity` is a key of the training answer, or `fits` (1 ran, 0 out of memory)."""

    id: str
    workload: TrainingWorkload
    quantity: str
    value: float
    unit: str
    source: Source

    @property
    def group(self) -> str:
        """Runs that share their faults: one source, model and method."""
        return f"{self.source.url}|{self.workload.model.name}|{self.workload.method}"


def load_training_measurements(
    folder: Folder, specs: Specs, methods: Collection[str] | None = None
) -> tuple[TrainingMeasurement, ...]:
    """The rows of `measurements/training.csv`, all or those of `methods`. Raises KnowledgeError naming each unusable row."""
    wanted = (row for row in folder.csv(_FILE, "id") if methods is None or row.values.get("method") in methods)
    return made_of_rows(wanted, lambda values: _measurement(values, specs))


def estimated_training(estimate: TrainingEstimate, measurement: TrainingMeasurement) -> Band | None:
    """What the estimate says about the measured quantity, in its unit; None where it says nothing or it is a verdict."""
    if measurement.quantity == "fits":
        return None
    band: Band | None = getattr(estimate, measurement.quantity)
    return band


def nearest_training(workload: TrainingWorkload, measurements: Iterable[TrainingMeasurement]) -> Measured | None:
    """The most alike published run of the same method and like size, memory first; None where none is near."""
    best = min(((_distance(workload, m), m) for m in measurements), key=lambda pair: pair[0], default=None)
    if best is None or best[0] > _TOO_FAR:
        return None
    found = best[1]
    return Measured(_described(found), found.value, found.unit, found.source)


_TOO_FAR = 4.0
_USUAL_TOKENS = 2048  # where the workload does not say, as `knowledge/defaults.yaml`
_TELLING = {"memory_gib_per_gpu": 0.0, "memory_device_gib_per_gpu": 0.0, "memory_allocated_gib_per_gpu": 0.1,
            "memory_gib_total": 0.2, "tokens_per_s_per_gpu": 0.4, "fits": 0.5, "step_s": 0.8}  # fmt: skip
_FAMILY = {"pretrain": "full", "full_finetune": "full", "lora": "lora", "dora": "lora", "adalora": "lora", "qlora": "qlora"}


@cache
def like_methods(method: str) -> frozenset[str]:
    """The methods whose runs are measured alike: for `dora` also `lora`. The method itself always."""
    family = _FAMILY.get(method)
    return frozenset(name for name, own in _FAMILY.items() if own == family) if family else frozenset({method})


def _distance(workload: TrainingWorkload, measurement: TrainingMeasurement) -> float:
    """0 for the same run; a doubling of size, cards or tokens counts 1 or less, another method 4, another card up to 2."""
    other = measurement.workload
    distance = _TELLING.get(measurement.quantity, 1.2)
    if other.method not in like_methods(workload.method):
        return _TOO_FAR + 1
    if workload.model.name != other.model.name:
        distance += 0.3 + 2.5 * _doublings(workload.model.params_b, other.model.params_b)
        distance += 1.5 if workload.model.is_moe != other.model.is_moe else 0
    distance += _card_distance(workload.hardware, other.hardware)
    distance += 0.7 * _doublings(workload.hardware.n_gpus or 1, other.hardware.n_gpus or 1)
    if other.seq_len:
        tokens = (workload.seq_len or _USUAL_TOKENS) * (workload.micro_batch or 1)
        distance += 0.4 * _doublings(tokens, other.seq_len * (other.micro_batch or 1))
    if workload.framework and other.framework and workload.framework != other.framework:
        distance += 0.5
    return distance


def _card_distance(one: Hardware, other: Hardware) -> float:
    if one.gpu is None or other.gpu is None:
        return 1.0
    if one.gpu.id == other.gpu.id:
        return 0.0
    return 0.3 if one.gpu.name.split("-")[0] == other.gpu.name.split("-")[0] else 1.2


def _doublings(one: float, other: float) -> float:
    return abs(math.log2(one / other))


def _described(measurement: TrainingMeasurement) -> str:
    """`Llama-3.1-405B qlora, 8 × A100-80G-SXM, torchtune, 2 × 2048 tokens`."""
    load = measurement.workload
    gpu = load.hardware.gpu
    card = gpu.name if gpu else f"{load.hardware.memory_gb:g} GB" if load.hardware.memory_gb else ""
    parts = [f"{load.model.name} {load.method}", f"{load.hardware.n_gpus or 1} × {card}".strip(" ×"), load.framework or ""]
    if load.seq_len:
        parts.append(f"{load.micro_batch or 1} × {load.seq_len} tokens")
    return ", ".join(part for part in parts if part)


def _measurement(values: dict[str, Any], specs: Specs) -> TrainingMeasurement:
    read = _typed(values)
    gpu = specs.find_gpu(values["gpu"]) if "gpu" in values else None
    if "gpu" in values and gpu is None:
        raise ValueError(f"gpu: {values['gpu']!r} is not in gpus.csv")
    hardware = Hardware(
        gpu=gpu,
        memory_gb=read.get("gpu_memory_gb"),
        power_w=read.get("gpu_power_w"),
        n_gpus=read.get("n_gpus"),
        nvlink=read.get("nvlink"),
        internode_gbps=read.get("internode_gbps"),
    )
    layout = Parallelism(**{f.name: read[f.name] for f in fields(Parallelism) if f.name in read})
    own = {f.name: read[f.name] for f in fields(TrainingWorkload) if f.name in read and f.name != "model"}
    workload = TrainingWorkload(model=model_of_row(values, specs), hardware=hardware, parallelism=layout, **own)
    source = Source(values["source_kind"], values["source"], _READ_ON, "measured")
    return TrainingMeasurement(values["id"], workload, values["quantity"], float(values["value"]), values["unit"], source)


def _typed(values: dict[str, Any]) -> dict[str, Any]:
    """Cells as the workload's types: whole numbers, numbers, true and false, tuples; the rest is text."""
    read: dict[str, Any] = dict(values)
    for names, turn in ((_WHOLE, lambda v: int(float(v))), (_NUMBERS, float), (_FLAGS, lambda v: v == "true")):
        read.update({name: turn(values[name]) for name in names if name in values})
    read.update({name: tuple(values[name].split(";")) for name in _LISTS if name in values})
    return read
