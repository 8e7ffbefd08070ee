"""What is to be run: a model, the cards, and a training or serving set-up. Absent is None: the default applies.

Keys, units and enum values are those of `suanli estimate` (README, "Machine-readable commands").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from bot.catalog.records import GpuSpec, ModelSpec

Method = Literal[
    "pretrain", "full_finetune", "lora", "qlora", "dora", "adalora", "ia3", "prompt_tuning", "adapter",
    "galore", "q_galore", "lisa", "llamapro", "badam",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hardware:
    """Cards of one kind. `gpu` None: only a memory size is known, so memory is answered and speed is not."""

    gpu: GpuSpec | None = None
    memory_gb: float | None = None  # as sold; wins over the card's own (modded cards, MIG slices)
    power_w: float | None = None  # board cap below the standard
    n_gpus: int | None = None
    nvlink: bool | None = None
    internode_gbps: float | None = None  # of one node
    gpus_per_node: int | None = None


@dataclass(frozen=True, slots=True)
class Parallelism:
    """dp x tp x pp x cp = n_gpus; ep lies inside dp x cp x tp. None: not said."""

    dp: int | None = None
    tp: int | None = None
    pp: int | None = None
    cp: int | None = None
    ep: int | None = None
    vpp: int | None = None
    zero_stage: int | None = None
    fsdp: Literal["full_shard", "shard_grad_op", "hybrid_shard"] | None = None
    shard_size: int | None = None
    sequence_parallel: bool | None = None
    layer_split: int | None = None


@dataclass(frozen=True, slots=True)
class TrainingWorkload:
    model: ModelSpec
    hardware: Hardware
    method: Method = "full_finetune"
    precision: str | None = None
    param_dtype: str | None = None
    master_weights: Literal["fp32", "none"] | None = None
    optimizer_dtype: str | None = None
    framework: str | None = None
    framework_version: str | None = None
    parallelism: Parallelism = field(default_factory=Parallelism)
    offload: tuple[str, ...] = ()
    micro_batch: int | None = None
    grad_accum: int | None = None
    global_batch: int | None = None
    seq_len: int | None = None
    packing: bool | None = None
    sample_tokens_mean: float | None = None
    sample_bytes: float | None = None  # of one sample as stored: an image, a video; None: text, whose reading never limits
    storage_gb_s: float | None = None  # 1e9 bytes a second that all nodes together read samples at
    optimizer: str | None = None
    optimizer_in_backward: bool | None = None
    galore_rank: int | None = None
    active_layers: int | None = None
    checkpointing: Literal["none", "selective", "full"] | None = None
    checkpointing_detail: tuple[str, ...] = ()
    attention: Literal["flash", "sdpa", "fused_softmax", "eager"] | None = None
    fused_loss: bool | None = None
    compile: bool | None = None
    lora_rank: int | None = None
    lora_targets: tuple[str, ...] | None = None
    trainable_params: int | None = None
    train_embeddings: bool | None = None
    quant: str | None = None
    tokens_b: float | None = None
    max_steps: int | None = None
    gpu_hours: float | None = None
    pue: float | None = None


@dataclass(frozen=True, slots=True)
class ServingWorkload:
    model: ModelSpec
    hardware: Hardware
    weights_format: str | None = None
    kv_dtype: str | None = None
    tp: int | None = None
    pp: int | None = None
    layer_split: int | None = None
    engine: str | None = None
    engine_version: str | None = None
    max_model_len: int | None = None
    input_len: int | None = None
    output_len: int | None = None
    concurrency: int | Literal["max"] | None = None
    gpu_memory_utilization: float | None = None
    max_num_seqs: int | None = None
    enforce_eager: bool | None = None
    dp_attention: bool | None = (
        None  # each rank of a tensor-parallel group keeps its own requests: no copies of a latent cache
    )
