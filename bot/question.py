"""What was asked: the vocabulary between understanding and advice.

A `Question` is frozen; a follow-up is the question before with some slots replaced. Slot names, units and enum
values are the public contract of `suanli parse` (README, "Machine-readable commands").
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bot.answer import Answer

Language = Literal["en", "zh"]


class Intent(StrEnum):
    FEASIBILITY = "feasibility"
    SIZING = "sizing"
    RECOMMEND = "recommend"
    COMPARE = "compare"
    COST = "cost"
    TIME = "time"
    THROUGHPUT = "throughput"
    PRICE_LOOKUP = "price_lookup"
    SPEC_LOOKUP = "spec_lookup"
    CATALOG_SEARCH = "catalog_search"
    FAQ = "faq"
    DIGEST = "digest"
    DIAGNOSE_OOM = "diagnose_oom"
    OUT_OF_SCOPE = "out_of_scope"
    FOLLOWUP = "followup"  # only for a single message that needs the turn before; never inside a thread


class Act(StrEnum):
    """What a turn does to the conversation."""

    NEW = "new"
    SET = "set"
    SET_INTENT = "set_intent"
    CORRECT = "correct"
    WHY = "why"
    ACK = "ack"
    PICK = "pick"
    RESET = "reset"


class Action(StrEnum):
    """What the bot does with a message."""

    ANSWER = "answer"
    CLARIFY = "clarify"
    HELP = "help"
    ACK = "ack"
    DECLINE = "decline"
    REJECT_INVALID = "reject_invalid"


class Task(StrEnum):
    PRETRAIN = "pretrain"
    FULL_FINETUNE = "full_finetune"
    LORA = "lora"
    QLORA = "qlora"
    RLHF = "rlhf"
    INFERENCE = "inference"
    FINETUNE = "finetune"  # method not said
    TRAIN = "train"  # only "train" said


TRAINING_TASKS = frozenset(Task) - {Task.INFERENCE}

Precision = Literal["fp32", "tf32", "bf16", "fp16", "fp8", "fp4", "int8", "int4", "nf4"]
Quant = Literal["awq", "gptq", "bnb", "gguf"]
Form = Literal["SXM", "PCIe", "NVL"]
Offload = Literal["none", "optimizer", "param", "optimizer+param", "unspecified"]
Period = Literal["hour", "day", "month", "year", "once"]


@dataclass(frozen=True, slots=True)
class GpuSlot:
    """Cards as named: normalised name (`A100-80G-SXM`), GB a card as stated or by catalog, total count, form factor."""

    name: str | None = None
    memory_gb: float | None = None
    count: int | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class ModelSlot:
    """A model as named: normalised name, 1e9 parameters in total and active (mixtures of experts only)."""

    name: str | None = None
    params_b: float | None = None
    active_b: float | None = None


@dataclass(frozen=True, slots=True)
class Money:
    """An amount as stated; `currency` is an ISO code, None when not said."""

    amount: float
    currency: str | None = None
    period: Period | None = None


@dataclass(frozen=True, slots=True)
class Slots:
    """What a message states, and nothing that it does not state. None or () means "not said"."""

    gpus: tuple[GpuSlot, ...] = ()
    models: tuple[ModelSlot, ...] = ()
    task: Task | None = None
    precision: Precision | None = None
    quant: Quant | None = None
    seq_len: int | None = None
    input_len: int | None = None
    output_len: int | None = None
    batch: int | None = None
    concurrency: int | None = None
    qps: float | None = None
    tokens: int | None = None
    dataset_samples: int | None = None
    dataset_gb: float | None = None
    epochs: float | None = None
    budget: Money | None = None
    unit_price: Money | None = None
    duration_h: float | None = None
    provider: str | None = None
    instance: str | None = None
    region: str | None = None
    engine: str | None = None
    framework: str | None = None
    zero_stage: int | None = None
    offload: Offload | None = None
    tp: int | None = None
    nodes: int | None = None
    gpus_per_node: int | None = None
    metric: str | None = None

    def stated(self) -> tuple[str, ...]:
        """Names of the slots that hold a value, in declared order."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) not in (None, ()))

    def changed_from(self, before: Slots) -> tuple[str, ...]:
        """Names of the slots that differ from `before`."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) != getattr(before, f.name))

    def with_(self, **changes: object) -> Slots:
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something asked wrongly, as a value: which slot, the words read, and a code that the templates explain.

    Codes: `impossible_quantity`, `unknown_gpu`, `unknown_model`, `never_sold`, `unknown_timezone`, `too_long`,
    `other_language`, `empty`, `missing` (a slot that the answer needs).
    """

    slot: str
    said: str
    code: str
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A figure that the message claims, for the correction of popular errors.

    `subject` is a normalised name or topic (`H100-SXM`, `70B full_finetune`), `quantity` a unit-bearing key
    (`fp8_tflops`, `memory_gb`, `price_ratio`, `transfer_minutes`), `value` the number in that unit, `said` the words.
    """

    subject: str
    quantity: str
    value: float
    said: str


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A pasted `config.json`, already read into the keys of a model of the catalog (see `catalog.ModelSpec`)."""

    name: str
    fields: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class SetUp:
    """Settings of a job that a message says beside the slots; values as the estimator's workloads name them."""

    method: str | None = None  # where it is none of the tasks: galore, badam, lisa, dora …
    optimizer: str | None = None
    master_weights: str | None = None
    optimizer_in_backward: bool | None = None
    checkpointing: str | None = None
    sharding: Literal["ddp", "fsdp"] | None = None
    lora_rank: int | None = None
    fused_loss: bool | None = None
    pp: int | None = None
    cp: int | None = None
    mig_gb: float | None = None  # of a partition, where one is meant instead of the card
    kv_dtype: str | None = None
    gpu_memory_utilization: float | None = None
    enforce_eager: bool | None = None
    host_ram_gib: float | None = None
    host_layers: bool | None = None  # part of the model is to lie in host memory
    gguf_type: str | None = None  # q4_k_m …
    weights_format: str | None = None  # where bits a weight are said, not a type: 2.4 bpw


@dataclass(frozen=True, slots=True)
class Trace:
    """One step of reading, for `parse --explain`: the words, what they became, and by which rule."""

    words: str
    became: str
    rule: str


@dataclass(frozen=True, slots=True)
class Question:
    """A message understood, thread included: complete slots, resolved intent, what the turn did and what to do."""

    text: str  # normalised; only for search and for quoting back, never stored
    intent: Intent
    slots: Slots = field(default_factory=Slots)
    language: Language = "en"
    act: Act = Act.NEW
    action: Action = Action.ANSWER
    confidence: float = 1.0
    changed: tuple[str, ...] = ()  # slots that this turn changed
    problems: tuple[Problem, ...] = ()
    stated: tuple[StatedFact, ...] = ()
    config: ModelConfig | None = None
    topic: Intent | None = None  # what a follow-up goes on with, where this turn was an aside (why, thanks)
    tasks: tuple[Task, ...] = ()  # every task asked about side by side; empty where there is one
    trace: tuple[Trace, ...] = ()
    setup: SetUp = SetUp()  # read by the advisor


@dataclass(frozen=True, slots=True)
class Thread:
    """What is remembered of a conversation: the last question and answer, never the text of messages."""

    question: Question | None = None
    answer: Answer | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads the answer: display language of the chrome, currency for money, time zone for dates."""

    language: Language | None = None  # None: the language of the question
    currency: str = "USD"
    timezone: str = "UTC"
