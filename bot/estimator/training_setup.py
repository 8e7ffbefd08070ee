"""A training workload with every default filled in: what the formulas of memory and speed read.

Defaults come from the framework (`knowledge/frameworks.yaml`), then from `knowledge/defaults.yaml`; each one that changes a
number is kept as an `Assumed`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from bot.estimator.architecture import Architecture, architecture_of, with_usual_shape
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import Assumed
from bot.estimator.frameworks import Framework, Loss, States
from bot.estimator.layouts import Layout, resolve_layout
from bot.estimator.training_checks import check_training, runs_flash
from bot.estimator.workload import TrainingWorkload

Kind = Literal["full", "partial", "adapter"]

_FULL = ("pretrain", "full_finetune", "galore", "q_galore")
_PARTIAL = ("lisa", "badam", "llamapro")  # some layers at a time, all their weights
_HALF = ("bf16", "fp16")
_PRETRAIN_TOKENS = 8192  # of a micro batch that keeps a card busy


@dataclass(frozen=True, slots=True)
class Setup:
    """A workload as it runs. Bytes are of one value, tokens of one micro batch on one card."""

    workload: TrainingWorkload
    architecture: Architecture
    framework: Framework
    layout: Layout
    kind: Kind
    states: States
    gradient_bytes: int
    moment_bytes: int
    seq_len: int
    micro_batch: int
    grad_accum: int | None
    checkpointing: Literal["none", "selective", "full"]
    detail: tuple[str, ...]
    stores_scores: bool
    score_kind: str
    loss: Loss
    kernels: Literal["eager", "fused"]
    quant: str | None
    lora_rank: int
    targets: frozenset[str]
    pue: float
    storage_gb_s: float  # that all nodes together read samples at
    assumptions: tuple[Assumed, ...]

    @property
    def method(self) -> str:
        return self.workload.method

    @property
    def is_paged(self) -> bool:
        return (self.workload.optimizer or "").startswith("paged")

    @property
    def longest(self) -> float:
        """Tokens of the longest sequence in memory: unpacked samples may all stay below the cap."""
        if self.workload.packing:
            return float(self.seq_len)
        return self.framework.fill * min(self.seq_len, self.framework.longest or self.seq_len)

    @property
    def tokens(self) -> float:
        """Tokens that one card works on in one micro batch: the context is split over cp."""
        return self.micro_batch * self.seq_len / self.layout.cp

    @property
    def held_tokens(self) -> float:
        """The same as memory sees it, where samples may be shorter than the stated length."""
        return self.micro_batch * self.longest / self.layout.cp

    @property
    def stores_fp8(self) -> bool:
        """Transformer Engine keeps the inputs of its fp8 products in 8 bits."""
        return self.framework.is_megatron_like and self.workload.precision in ("fp8", "mxfp8", "nvfp4")

    @property
    def keeps_gradients(self) -> bool:
        """Gradients outlive the micro batch: accumulation, pipelines, or buffers that the framework keeps."""
        return self.framework.upkeep or self.layout.pp > 1 or (self.grad_accum or 2) > 1

    def adapts(self, *names: str) -> int:
        """How many of these matrices are trained, as a whole or through an adapter."""
        return len(names) if self.kind != "adapter" else sum(name in self.targets for name in names)


def resolve_training(workload: TrainingWorkload, data: EstimatorData) -> Setup:
    """Fill in and check. Raises InvalidWorkload naming the field, its value and what is accepted."""
    model = with_usual_shape(workload.model)
    architecture = architecture_of(model)
    framework = _framework(workload, data)
    check_training(workload)
    assumed: list[Assumed] = []
    workload = _as_trained(workload, assumed)
    layout = resolve_layout(workload.parallelism, workload.hardware, framework, architecture)
    kind: Kind = "full" if workload.method in _FULL else "partial" if workload.method in _PARTIAL else "adapter"
    states = _states(workload, framework)
    checkpointing, detail = _checkpointing(workload, framework, assumed)
    attention = _attention(workload, framework)
    assumed += _of_framework(workload, kind, states, attention)
    quant = workload.quant or ("nf4_dq" if workload.method == "qlora" else None)
    return Setup(
        workload=workload,
        architecture=architecture,
        framework=framework,
        layout=layout,
        kind=kind,
        states=states,
        gradient_bytes=_gradient_bytes(states, framework),
        moment_bytes=_moment_bytes(states, workload),
        seq_len=_default(workload.seq_len, "seq_len", data, assumed),
        micro_batch=_micro_batch(workload, data, assumed),
        grad_accum=_grad_accum(workload, layout),
        checkpointing=checkpointing,
        detail=detail,
        stores_scores=attention in ("eager", "fused_softmax"),
        score_kind=attention,
        loss="fused" if workload.fused_loss else framework.loss,
        kernels="fused" if workload.compile or workload.fused_loss else framework.kernels,  # Liger fuses both
        quant=quant,
        lora_rank=_lora_rank(workload, data, assumed),
        targets=frozenset(workload.lora_targets or data.defaults["training"]["lora_targets"]["value"]),
        pue=_pue(workload, data, assumed),
        storage_gb_s=_storage(workload, layout, data, assumed),
        assumptions=tuple(assumed),
    )


def _as_trained(workload: TrainingWorkload, assumed: list[Assumed]) -> TrainingWorkload:
    """A model published in fp8 is taken to be pretrained in it, where the card computes in fp8 and nothing else is said."""
    gpu = workload.hardware.gpu
    is_fp8 = (workload.model.native_weights or "").startswith("fp8")
    if workload.method != "pretrain" or workload.precision or not is_fp8 or gpu is None or not gpu.fp8_tflops:
        return workload
    assumed.append(Assumed("precision", "fp8", "precision"))
    return replace(workload, precision="fp8")


def _framework(workload: TrainingWorkload, data: EstimatorData) -> Framework:
    """The framework named; one that runs tensor or pipeline parallel jobs through another has that one's traits."""
    known = data.frameworks_by_name
    named = workload.framework or ("pretraining" if workload.method == "pretrain" else "default")
    framework = known.get(f"{named} {workload.framework_version}") or known.get(named) or known["default"]
    p = workload.parallelism
    if framework.with_tensor and max(p.tp or 1, p.pp or 1, p.ep or 1) > 1:
        return known[framework.with_tensor]
    return framework


def _attention(workload: TrainingWorkload, framework: Framework) -> str:
    """As stated, or the framework's; PyTorch's own kernel stands in where the card is too old for FlashAttention."""
    chosen = workload.attention or framework.attention
    return "sdpa" if chosen == "flash" and not runs_flash(workload.hardware.gpu) else chosen


def _of_framework(workload: TrainingWorkload, kind: Kind, states: States, attention: str) -> list[Assumed]:
    """What the framework decides where the workload does not: attention, the format of states, the adapted matrices."""
    assumed = [] if workload.attention else [Assumed("attention", attention, "attention")]
    if kind == "full" and workload.master_weights is None and workload.param_dtype is None:
        assumed.append(Assumed("master_weights", "none" if states == "pure" else "fp32", "master_weights"))
    if kind == "full" and workload.optimizer is None:
        assumed.append(Assumed("optimizer", "adamw", "optimizer"))
    if workload.method == "qlora" and workload.quant is None:
        assumed.append(Assumed("quant", "nf4_dq", "quant"))
    return assumed


def _default(value: int | None, slot: str, data: EstimatorData, assumed: list[Assumed]) -> int:
    if value is not None:
        return value
    chosen = data.defaults["training"][slot]["value"]
    assumed.append(Assumed(slot, chosen, slot))
    return int(chosen)


def _micro_batch(workload: TrainingWorkload, data: EstimatorData, assumed: list[Assumed]) -> int:
    """Fine-tuning assumes the least memory; a pretraining run fills its cards, so as many sequences as make 8,192 tokens."""
    if workload.micro_batch is None and workload.method == "pretrain":
        length = workload.seq_len or data.defaults["training"]["seq_len"]["value"]
        chosen = max(1, _PRETRAIN_TOKENS // length)
        assumed.append(Assumed("micro_batch", chosen, "micro_batch"))
        return int(chosen)
    return _default(workload.micro_batch, "micro_batch", data, assumed)


def _states(workload: TrainingWorkload, framework: Framework) -> States:
    if workload.precision == "fp32":
        return "fp32"
    if workload.master_weights:
        return "master" if workload.master_weights == "fp32" else "pure"
    if workload.param_dtype == "fp32":
        return "fp32"
    sharded_pair = workload.parallelism.zero_stage in (2, 3) and framework.states == "pure"
    # DeepSpeed keeps an fp32 master under 16-bit training whatever the trainer on top of it loads.
    return "master" if sharded_pair else framework.states


def _gradient_bytes(states: States, framework: Framework) -> int:
    if states == "fp32":
        return 4
    return framework.gradients if states == "master" else 2


def _moment_bytes(states: States, workload: TrainingWorkload) -> int:
    if workload.optimizer_dtype:
        return 2 if workload.optimizer_dtype in _HALF else 4
    return 2 if states == "pure" else 4


def _checkpointing(
    workload: TrainingWorkload, framework: Framework, assumed: list[Assumed]
) -> tuple[Literal["none", "selective", "full"], tuple[str, ...]]:
    chosen = workload.checkpointing
    if chosen is None:
        chosen = framework.checkpointing
        assumed.append(Assumed("checkpointing", chosen, "checkpointing"))
    detail = workload.checkpointing_detail or ((framework.selective,) if chosen == "selective" else ())
    return chosen, tuple(detail)


def _grad_accum(workload: TrainingWorkload, layout: Layout) -> int | None:
    if workload.grad_accum:
        return workload.grad_accum
    if workload.global_batch and workload.micro_batch:
        return max(1, round(workload.global_batch / (workload.micro_batch * layout.dp)))
    return None


def _pue(workload: TrainingWorkload, data: EstimatorData, assumed: list[Assumed]) -> float:
    if workload.pue:
        return workload.pue
    usual = float(data.defaults["training"]["pue"]["value"])
    if workload.method == "pretrain" or workload.gpu_hours:  # of fine-tuning nobody asks for the energy first
        assumed.append(Assumed("pue", usual, "pue"))
    return usual


def _storage(workload: TrainingWorkload, layout: Layout, data: EstimatorData, assumed: list[Assumed]) -> float:
    """As stated, else a drive in each node."""
    usual = float(data.defaults["topics"]["disk_gb_s"]["value"]) * layout.nodes
    if workload.sample_bytes and not workload.storage_gb_s:
        assumed.append(Assumed("storage_gb_s", usual, "storage_gb_s"))
    return workload.storage_gb_s or usual


def _lora_rank(workload: TrainingWorkload, data: EstimatorData, assumed: list[Assumed]) -> int:
    if workload.method not in ("lora", "qlora", "dora", "adalora"):
        return 0
    return _default(workload.lora_rank, "lora_rank", data, assumed)
