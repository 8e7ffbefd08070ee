"""Task, precision, offload and attribute asked for: slots that words tell, not numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bot.question import Intent, Offload, Slots, Task
from bot.understand.lexicon import Mention, longest
from bot.understand.model_names import ModelSpan
from bot.understand.patterns import Patterns

if TYPE_CHECKING:
    from bot.understand.reading import Reading

_TASK_ORDER = ("rlhf", "qlora", "lora", "full_finetune", "pretrain", "finetune", "train", "inference")
_FOUR_BIT = frozenset({"int4", "nf4"})
METRICS = frozenset({
    "price", "spot_price", "availability", "bandwidth", "nvlink", "interconnect", "tflops", "tdp", "energy", "form",
    "fp8_support", "gpu_model", "latency", "mfu", "cost_per_mtok",
})  # fmt: skip
SPEC_METRICS = frozenset({"bandwidth", "nvlink", "interconnect", "tflops", "tdp", "form", "fp8_support", "gpu_model"})


def precision_of(low: str, precisions: Sequence[Mention], patterns: Patterns) -> str | None:
    """The type of the weights as asked for; one that stands only in a comparison or a denial is no choice."""
    ordered = longest(precisions)
    kept = [m for m in ordered if not patterns["precision_aside"].search(low[max(0, m.start - 12) : m.start])]
    values = [m.value for m in kept]
    methods = [low[m.start : m.end] in ("awq", "gptq") for m in ordered]
    specific = [m.value for m in kept if low[m.start : m.end] not in ("awq", "gptq")]
    if "int8" in specific and any(methods):
        return "int8"
    return next(iter(specific or values), None)


def task_of(
    low: str, mentions: Sequence[Mention], slots: Slots, models: Sequence[ModelSpan], patterns: Patterns
) -> Task | None:
    """The most specific task named. `run` before a time (`跑6天`) is any job; `do llama 70b` is to serve it."""
    kinds = {
        m.value
        for m in longest(mentions)
        if not _denied(low, m, patterns) and not patterns["runs_for"].match(low[m.start : m.end + 12])
    }
    if not kinds and any(patterns["does"].search(low[max(0, m.start - 16) : m.start]) for m in models):
        return Task.INFERENCE
    if kinds == {"inference"} and _only_rented(low, mentions, slots, patterns):
        return None
    if "lora" in kinds and (slots.precision in _FOUR_BIT or slots.quant in ("gptq", "awq")):
        kinds.add("qlora")
    if "full_finetune" in kinds and "pretrain" in kinds:
        kinds.discard("full_finetune")
    if "finetune" in kinds and slots.quant == "gptq":
        kinds.add("qlora")
    for kind in _TASK_ORDER:
        if kind in kinds:
            return Task(kind)
    if "inference_soft" in kinds and patterns["elliptical"].match(low) and not slots.gpus and not slots.models:
        return None  # "and how many people could use it": about the turn before
    if "inference_soft" in kinds or slots.qps or slots.concurrency:
        return Task.INFERENCE
    if slots.engine:
        return Task.INFERENCE
    return None


def _only_rented(low: str, mentions: Sequence[Mention], slots: Slots, patterns: Patterns) -> bool:
    """`running 8 A100 for 10 days`: machines that run, whatever runs on them."""
    names = slots.models or slots.engine or slots.concurrency or slots.qps
    if names or slots.duration_h is None or patterns["ongoing"].search(low):
        return False
    return all(patterns["weak_run"].fullmatch(low[m.start : m.end]) for m in longest(mentions))


def _denied(low: str, mention: Mention, patterns: Patterns) -> bool:
    """`不用peft`: a method that is not used."""
    return bool(patterns["denied_before"].search(low[max(0, mention.start - 8) : mention.start]))


def offload_of(by_kind: Mapping[str, Sequence[Mention]]) -> Offload | None:
    if by_kind["no_offload"]:
        return "none"
    kinds = {m.value for m in longest(by_kind["offload"])}
    if {"optimizer", "param"} <= kinds:
        return "optimizer+param"
    if "optimizer" in kinds:
        return "optimizer"
    return "param" if "param" in kinds else "unspecified" if kinds else None


def metrics_of(low: str, mentions: Sequence[Mention], patterns: Patterns, *, models: bool) -> tuple[str, ...]:
    named = {m.value for m in longest(mentions)}
    named |= {m.value for m in mentions if m.value in ("price", "spot_price")}
    if "fp8_support" in named and (models or not patterns["asks_support"].search(low) or patterns["no_fp8"].search(low)):
        named.discard("fp8_support")
    first = {m.value: m.start for m in sorted(mentions, key=lambda m: -m.start)}
    weight = {
        "spot_price": -1,
        "price": 10**6,
        "latency": 10**6,
    }  # an attribute named beside a price is the more special one
    if {"nvlink", "interconnect"} & named:
        weight["bandwidth"] = 10**5  # how much bandwidth NVLink has: that of the link
    return tuple(sorted(named, key=lambda m: weight.get(m, first[m])))


def metric_of(reading: Reading, intent: Intent, *, default: bool = True) -> str | None:
    """The attribute asked for, as the intent takes it. `default`: a price question asks for the price even unsaid."""
    named = reading.metrics
    spec = next((m for m in named if m in SPEC_METRICS), None)
    if intent is Intent.PRICE_LOOKUP:
        return "spot_price" if "spot_price" in named else "price" if default or "price" in named else None
    if intent in (Intent.SPEC_LOOKUP, Intent.FAQ):
        return spec
    wanted: dict[Intent, tuple[str, ...]] = {
        Intent.CATALOG_SEARCH: ("availability", "price", "spot_price", *sorted(SPEC_METRICS)),
        Intent.DIGEST: ("availability", "spot_price", "price"),
        Intent.COST: ("energy", "cost_per_mtok", "spot_price"),
        Intent.THROUGHPUT: ("latency",),
        Intent.COMPARE: ("latency", "tdp", "price"),
    }
    if intent is Intent.DIGEST and "stop" in reading.flags:
        return None
    if intent is Intent.DIGEST and reading.slots.budget:
        return next((m for m in named if m in ("availability", "spot_price")), "price")
    return next((m for m in wanted.get(intent, ()) if m in named), None)
