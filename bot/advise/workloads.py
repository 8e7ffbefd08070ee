"""A question's slots as workloads of the estimator. What is not said stays None: the estimator names its defaults."""

from __future__ import annotations

import re
from typing import get_args

from bot.advise.setup import Cards, Subject
from bot.estimator import Parallelism, ServingWorkload, TrainingWorkload
from bot.estimator.workload import Method
from bot.question import Question, Slots, Task

# Where a slot's word and a workload's word differ.
_FRAMEWORKS = {"deepspeed": "hf-deepspeed", "megatron": "megatron-lm", "nemo-rl": "nemo"}
_ENGINES = {"exllamav2": "exllama", "xinference": None}
_OFFLOAD: dict[str | None, tuple[str, ...]] = {
    "optimizer": ("optimizer",),
    "param": ("param",),
    "optimizer+param": ("optimizer", "param"),
    "unspecified": ("optimizer", "param"),
}
_HOMES = {"badam": "badam"}  # methods that have a framework of their own
_MASTERS = {"galore": "none", "q_galore": "none"}  # meant for one small card: 16-bit weights alone
_ADAPTERS = frozenset({"lora", "dora", "adalora", "ia3", "prompt_tuning", "adapter"})
_OF_RANK = frozenset({"lora", "qlora", "dora", "adalora"})
_TRAINED_IN = frozenset({"fp32", "fp16", "bf16", "fp8"})
_QUANT_BASES = {
    ("gptq", "int4"): "gptq_int4",
    ("gptq", "int8"): "gptq_int8",
    ("gptq", None): "gptq_int4",
    ("bnb", "int8"): "bnb_int8",
    (None, "int8"): "bnb_int8",
}
_WEIGHTS = {
    ("awq", "int4"): "awq_int4",
    ("awq", None): "awq_int4",
    ("gptq", "int4"): "gptq_int4",
    ("gptq", None): "gptq_int4",
    ("gptq", "int8"): "gptq_int8",
    ("bnb", "int4"): "nf4",
    ("bnb", "nf4"): "nf4",
    ("bnb", None): "nf4",
    ("bnb", "int8"): "bnb_int8",
    ("gguf", "int4"): "gguf_q4_k_m",
    ("gguf", None): "gguf_q4_k_m",
    ("gguf", "int8"): "gguf_q8_0",
    ("gguf", "fp16"): "gguf_f16",
    (None, "int4"): "int4",
    (None, "int8"): "int8_w8a8",
    (None, "nf4"): "nf4",
    (None, "fp4"): "nvfp4",
    (None, "tf32"): "fp32",
}
_GGUF_TYPE = re.compile(r"\b(i?q\d_(?:k_[sml]|k|\d|xxs|xs|s|m|nl))\b", re.IGNORECASE)
_OUTPUT_SHARE = 4  # of a context that is said as one number, a quarter is taken to be the reply


# Methods that a message may name where a task stands for them.
_VARIANTS: dict[str, frozenset[Task | None]] = {
    **dict.fromkeys(("dora", "adalora"), frozenset({Task.LORA, Task.FINETUNE, None})),
    **dict.fromkeys(("prompt_tuning", "ia3"), frozenset({Task.FINETUNE, None})),
    **dict.fromkeys(("lora", "qlora"), frozenset({Task.RLHF})),
    **dict.fromkeys(
        ("galore", "q_galore", "badam", "lisa"),
        frozenset({Task.FULL_FINETUNE, Task.FINETUNE, Task.TRAIN, Task.PRETRAIN, None}),
    ),
}


def variant_of(question: Question) -> Method | None:
    """The method that is named where the task only says its kind: `BAdam full-parameter fine-tuning`."""
    method = question.setup.method
    return method if method and question.slots.task in _VARIANTS.get(method, ()) else None  # type: ignore[return-value]


def methods_of(task: Task | None) -> tuple[Method, ...]:
    """Training methods that a task may mean, the likeliest to work first. Inference and None: none."""
    if task == Task.FINETUNE:
        return ("qlora", "lora", "full_finetune")
    if task == Task.TRAIN:
        return ("full_finetune", "lora", "qlora")
    if task == Task.RLHF:
        return ("full_finetune",)
    return (task.value,) if task is not None and task.value in get_args(Method) else ()  # type: ignore[return-value]


def training_workload(
    method: Method, question: Question, subject: Subject, cards: Cards, n_gpus: int | None
) -> TrainingWorkload:
    slots = question.slots
    return TrainingWorkload(
        model=subject.model,
        hardware=cards.hardware(n_gpus),
        method=method,
        precision=slots.precision if slots.precision in _TRAINED_IN else None,
        framework=_FRAMEWORKS.get(slots.framework or "", slots.framework) or _HOMES.get(method),
        parallelism=_parallelism(question, n_gpus),
        master_weights=question.setup.master_weights or _MASTERS.get(method),  # type: ignore[arg-type]
        offload=_OFFLOAD.get(slots.offload, ()),
        micro_batch=slots.batch,
        seq_len=_training_length(slots),
        optimizer=question.setup.optimizer,
        optimizer_in_backward=question.setup.optimizer_in_backward,
        checkpointing=question.setup.checkpointing,  # type: ignore[arg-type]
        fused_loss=question.setup.fused_loss,
        lora_rank=question.setup.lora_rank if method in _OF_RANK else None,
        quant=_base(method, slots),
        tokens_b=slots.tokens * (slots.epochs or 1) / 1e9 if slots.tokens else None,
    )


def _base(method: Method, slots: Slots) -> str | None:
    """The type of a frozen base that is quantised: any for QLoRA, 8 bit for adapters whose base is said to be so."""
    if method == "qlora" or (method in _ADAPTERS and slots.precision == "int8"):
        return _QUANT_BASES.get((slots.quant, slots.precision))
    return "nf4_dq" if method in _ADAPTERS and slots.precision in ("int4", "nf4") else None


def _parallelism(question: Question, n_gpus: int | None) -> Parallelism:
    """As far as it is said. A ZeRO stage or a tensor-parallel size says more than "data parallel" does.

    Offloading is a feature of sharding: without it every rank would hold a copy of its own in host memory.
    """
    slots, setup, n = question.slots, question.setup, n_gpus or 1
    sharding = setup.sharding or ("fsdp" if _OFFLOAD.get(slots.offload) else None)
    tp = slots.tp if (slots.tp or 1) <= n else None
    pp, cp = _dividing(setup.pp, n // (tp or 1)), _dividing(setup.cp, n // (tp or 1))
    alone = slots.zero_stage is None and slots.tp is None and pp is None and n > 1
    return Parallelism(
        tp=tp,
        pp=pp,
        cp=cp if not pp else _dividing(cp, n // ((tp or 1) * pp)),
        zero_stage=0 if alone and sharding == "ddp" else slots.zero_stage,
        fsdp="full_shard" if alone and sharding == "fsdp" else None,
    )


def _dividing(size: int | None, cards: int) -> int | None:
    """A group size that can be laid out on so many cards; nothing where it cannot."""
    return size if size and size > 1 and cards % size == 0 else None


def _training_length(slots: Slots) -> int | None:
    if slots.seq_len:
        return slots.seq_len
    return slots.input_len + (slots.output_len or 0) if slots.input_len else None


def serving_workload(question: Question, subject: Subject, cards: Cards, n_gpus: int | None) -> ServingWorkload:
    slots = question.slots
    input_len, output_len = _request_lengths(slots)
    tp = slots.tp if slots.tp and n_gpus and n_gpus % slots.tp == 0 else None
    return ServingWorkload(
        model=subject.model,
        hardware=cards.hardware(n_gpus),
        weights_format=weights_format(question),
        kv_dtype=question.setup.kv_dtype,
        tp=tp,
        pp=_dividing(question.setup.pp, (n_gpus or 1) // (tp or 1)),
        engine=None if question.setup.weights_format and slots.engine == "exllamav2" else engine_of(slots),
        max_model_len=slots.seq_len,
        input_len=input_len,
        output_len=output_len,
        concurrency=slots.concurrency or slots.batch,
        gpu_memory_utilization=question.setup.gpu_memory_utilization,
        enforce_eager=question.setup.enforce_eager,
    )


def engine_of(slots: Slots) -> str | None:
    if slots.engine:
        return _ENGINES.get(slots.engine, slots.engine)
    return "llama.cpp" if slots.quant == "gguf" else None


def gguf_type_in(text: str) -> str | None:
    """`q4_k_m` in "Qwen3.6-27B Q4_K_M"."""
    named = _GGUF_TYPE.search(text)
    return named.group(1).lower() if named else None


def weights_format(question: Question) -> str | None:
    """The format that precision and quantisation name together; None: the checkpoint's own type."""
    slots = question.slots
    named = question.setup.gguf_type or gguf_type_in(question.text)
    if named and slots.quant in ("gguf", None):
        return f"gguf_{named}"
    if question.setup.weights_format:
        return question.setup.weights_format
    quant = slots.quant
    if quant is None and slots.precision == "int4" and slots.engine in ("llama.cpp", "ollama"):
        quant = "gguf"
    if pulls_four_bit(slots):
        return "gguf_q4_k_m"
    return _WEIGHTS.get((quant, slots.precision), slots.precision)


def pulls_four_bit(slots: Slots) -> bool:
    """Ollama pulls a 4-bit file unless told otherwise, whatever the checkpoint's own type."""
    return slots.engine == "ollama" and slots.precision is None and slots.quant is None


def _request_lengths(slots: Slots) -> tuple[int | None, int | None]:
    """Prompt and reply. A context said as one number is taken to be filled: both together."""
    if slots.input_len or slots.output_len or not slots.seq_len:
        return slots.input_len, slots.output_len
    reply = min(1000, slots.seq_len // _OUTPUT_SHARE)
    return slots.seq_len - reply, reply
