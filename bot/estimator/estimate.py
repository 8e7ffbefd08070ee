"""What comes out: figures as bands. Keys and units are those of `suanli estimate` (README, "Machine-readable commands")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.answer import Band, Basis, SumLine, Verdict


@dataclass(frozen=True, slots=True)
class Assumed:
    """A default that changed a number; `why` is a key of `knowledge/defaults.yaml`."""

    slot: str
    value: object
    why: str


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """Memory is of the fullest card; None where it cannot be answered."""

    memory_gib_per_gpu: Band
    memory_breakdown_gib: Mapping[str, float]
    usable_gib_per_gpu: float | None = None
    fits: Verdict | None = None
    memory_allocated_gib_per_gpu: Band | None = None
    memory_device_gib_per_gpu: Band | None = None
    memory_gib_total: Band | None = None
    host_ram_gib: float | None = None
    loading_ram_gib: Band | None = None  # of host memory on one node while the weights are loaded; null for new weights
    tokens_per_s_per_gpu: Band | None = None
    step_s: Band | None = None
    model_tflops_per_gpu: Band | None = None
    mfu: Band | None = None
    gpu_hours: Band | None = None
    wall_hours: Band | None = None
    energy_mwh: Band | None = None
    gpu_energy_mwh: Band | None = None
    interruptions: float | None = None  # expected over the run on its cards; wall hours hold what they cost
    checkpoint_gb: float | None = None  # that a run resumes from
    checkpoint_every_h: float | None = None  # the interval that loses least time
    max_seq_len: int | None = None
    basis: Basis = "calibrated"
    assumptions: tuple[Assumed, ...] = ()
    notes: tuple[str, ...] = ()
    sum: tuple[SumLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ServingEstimate:
    """One replica unless the name says otherwise; None where it cannot be answered."""

    weights_gib: float
    weights_gib_per_gpu: float
    memory_gib_per_gpu: Band
    memory_gib_total: Band
    memory_breakdown_gib: Mapping[str, float] = field(default_factory=dict)
    file_size_gib: float | None = None
    kv_bytes_per_token: float | None = None
    kv_pool_gib_per_gpu: Band | None = None
    kv_pool_tokens: Band | None = None
    max_concurrency: Band | None = None
    usable_gib_per_gpu: float | None = None
    fits: Verdict | None = None
    ttft_ms: Band | None = None
    tpot_ms: Band | None = None
    decode_tokens_per_s_per_request: Band | None = None
    decode_tokens_per_s_total: Band | None = None
    prefill_tokens_per_s: Band | None = None
    throughput_tokens_per_s: Band | None = None
    max_seq_len: int | None = None
    saturated: bool | None = None
    basis: Basis = "calibrated"
    assumptions: tuple[Assumed, ...] = ()
    notes: tuple[str, ...] = ()
    sum: tuple[SumLine, ...] = ()
