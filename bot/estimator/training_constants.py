"""The calibrated constants of training as typed values, read from `knowledge/calibration/training.yaml`.

Each constant of the file has its value, unit, meaning and how it was fitted; only the value is used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from bot.errors import KnowledgeError

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class MemoryConstants:
    """Meanings and units are in the file, one entry a field."""

    eager_norm_bytes: float
    rope_copies: float
    dropout_bytes: float
    working_layer: float
    working_fused: float
    eager_score_bytes: float
    fused_score_bytes: float
    moe_imbalance: float
    logits_whole: float
    logits_compiled: float
    logits_chunked: float
    logits_fused: float
    logits_parallel: float
    fragmentation: float
    fixed_gib: float
    context_gib: float
    communicator_gib: float
    logits_half: float
    logits_held: float
    scores_at_work: float
    quantised_inputs: float
    fp8_activations: float


@dataclass(frozen=True, slots=True)
class SpeedConstants:
    matmul_volta: float
    matmul_ampere: float
    matmul_hopper: float
    matmul_blackwell: float
    matmul_unbound: float
    narrow_width: float
    attention_share: float
    attention_later: float
    fp8_gain: float
    fp4_gain: float
    eager_traffic: float
    fused_traffic: float
    launch_us: float
    fused_launch_us: float
    moe_launch_us: float
    link_share: float
    pcie_share: float
    pcie_server_share: float
    network_share: float
    overlap: float
    overlap_pcie: float
    moe_share: float
    moe_yearly: float
    dequant_traffic: float
    run_share: float
    scale_loss: float


@dataclass(frozen=True, slots=True)
class BandConstants:
    """80 % half-widths, as shares of the estimate, down and up."""

    states_down: float
    states_up: float
    passing_down: float
    passing_up: float
    speed: float
    experts: float
    hours: float
    energy: float
    unknown: float
    unmeasured: float


@dataclass(frozen=True)
class CardConstants:
    """By generation: shares of the peak where no run is measured, and watts for each TFLOP/s of the measured cards."""

    shares: Mapping[str, float]
    watts_per_tflop: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TrainingConstants:
    memory: MemoryConstants
    speed: SpeedConstants
    bands: BandConstants
    cards: CardConstants


def read_training_constants(document: Mapping[str, Any]) -> TrainingConstants:
    """Raises KnowledgeError that names every constant missing or not known."""
    problems: list[str] = []
    read = TrainingConstants(
        memory=_read(document, "memory", MemoryConstants, problems),
        speed=_read(document, "speed", SpeedConstants, problems),
        bands=_read(document, "bands", BandConstants, problems),
        cards=CardConstants(**document["cards"]),
    )
    if problems:
        raise KnowledgeError(problems)
    return read


def _read(document: Mapping[str, Any], part: str, kind: type[C], problems: list[str]) -> C:
    entries = document.get(part, {})
    names = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    problems += [f"knowledge/calibration/training.yaml {part}.{name}: missing" for name in sorted(names - set(entries))]
    problems += [f"knowledge/calibration/training.yaml {part}.{name}: not known" for name in sorted(set(entries) - names)]
    return kind(**{name: float(entries[name]["value"]) if name in entries else 0.0 for name in names})
