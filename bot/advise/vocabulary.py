"""The names that the conditions of rules may use. Unknown is 0, "" or false, so that no condition has to guard itself.

`VOCABULARY` is the whole list; `knowledge/README.md` shows it, and a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime

from bot.answer import Answer, Band, Cost, Text
from bot.catalog.records import GpuSpec, ModelSpec
from bot.catalog.specs import Specs
from bot.estimator import ServingEstimate, TrainingEstimate
from bot.question import TRAINING_TASKS, GpuSlot, ModelSlot, Question, Slots, Task

VOCABULARY: Mapping[str, str] = {
    "intent": "what is asked: feasibility, sizing, recommend, compare, cost, time, throughput, price_lookup …",
    "verdict": "yes, tight or no; empty where nothing is to be fitted",
    "task": "pretrain, full_finetune, lora, qlora, rlhf, inference, finetune, train; the answer's where not said",
    "tasks": "every task that the answer covers",
    "training": "true when the answer is about a training task",
    "serving": "true when the answer is about inference",
    "q": "the slots as stated: q.seq_len, q.concurrency, q.precision, q.quant, q.engine, q.framework, q.provider …",
    "gpu": "the first card named, or the one that the answer assumes: gpu.name, gpu.arch, gpu.memory_gb, gpu.fp8 …",
    "gpus": "every card named",
    "n_gpus": "cards of the answer, or as stated",
    "most_gpus": "the largest count that the answer speaks of: its own, or what another method would need",
    "nodes": "machines as stated, or cards over cards a machine, rounded up",
    "model": "the first model named: model.params_b, model.active_b, model.is_moe, model.attention, model.context_length",
    "e": "the estimate: e.memory_gib, e.usable_gib, e.fill, e.weights_gib, e.max_concurrency, e.wall_hours …",
    "topic": "the computed topic that the answer is about: own, load_time, energy …; empty for other answers",
    "headline": "which sentence the answer begins with: serve.yes, throughput.total, figure.users …; empty for prose",
    "cost": "money of the answer: cost.price, cost.billing, cost.provider, cost.age_days",
    "says": 'says("cdn", "快照"): any of these occurs in the message; Latin words whole, Chinese anywhere',
    "names": 'names("A100", "H100"): cards of all these families are named; A100 does not count as A10',
}


@dataclass(frozen=True, slots=True)
class GpuView:
    """A card for conditions."""

    name: str = ""
    title: str = ""
    vendor: str = ""
    arch: str = ""
    memory_gb: float = 0
    usable_gib: float = 0
    bandwidth_gbs: float = 0
    bf16_tflops: float = 0
    bf16: bool = False
    fp8: bool = False
    link: str = ""
    link_gbs: float = 0
    form: str = ""
    form_said: bool = False
    tdp_w: float = 0
    mig: int = 0
    datacenter: bool = True
    count: int = 0


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model for conditions."""

    name: str = ""
    params_b: float = 0
    active_b: float = 0
    is_moe: bool = False
    attention: str = ""
    kind: str = ""
    context_length: int = 0
    vocab: int = 0
    license: str = ""
    shape_known: bool = False


@dataclass(frozen=True, slots=True)
class EstimateView:
    """An estimate for conditions; `fill` is need over usable memory, `states_gib` weights, gradients and optimizer."""

    memory_gib: float = 0
    usable_gib: float = 0
    fill: float = 0
    weights_gib: float = 0
    states_gib: float = 0
    host_ram_gib: float = 0
    max_concurrency: float = 0
    saturated: bool = False
    tokens_per_s: float = 0
    gpu_hours: float = 0
    wall_hours: float = 0


@dataclass(frozen=True, slots=True)
class CostView:
    price: float = 0
    billing: str = ""
    provider: str = ""
    per: str = ""
    age_days: int = 0


class SlotsView:
    """The slots as stated, with "" and 0 for what is not said."""

    _TEXTS = frozenset(
        {"task", "precision", "quant", "provider", "instance", "region", "engine", "framework", "offload", "metric"}
    )

    def __init__(self, slots: Slots) -> None:
        self._slots = slots

    def __getattr__(self, name: str) -> object:
        value = getattr(self._slots, name)
        if value is None:
            return "" if name in self._TEXTS else 0
        return value


VIEWS: Mapping[str, frozenset[str]] = {
    "gpu": frozenset(f.name for f in fields(GpuView)),
    "model": frozenset(f.name for f in fields(ModelView)),
    "e": frozenset(f.name for f in fields(EstimateView)),
    "cost": frozenset(f.name for f in fields(CostView)),
    "q": frozenset(f.name for f in fields(Slots)),
}


def names_for(question: Question, answer: Answer, specs: Specs, now: datetime | None) -> dict[str, object]:
    """The values of `VOCABULARY` for one answer."""
    slots, main = question.slots, answer.main
    gpus = tuple(_gpu_view(slot, specs) for slot in slots.gpus)
    task = str((main.task if main else None) or slots.task or "")
    tasks = tuple(dict.fromkeys(s.task for s in answer.scenarios)) or ((task,) if task else ())
    n_gpus = (main.n_gpus if main else None) or (gpus[0].count if gpus else 0)
    per_node = slots.gpus_per_node or 8
    return {
        "intent": str(question.intent),
        "verdict": answer.verdict or "",
        "task": task,
        "tasks": tasks,
        "training": any(_is_training(t) for t in tasks),
        "serving": Task.INFERENCE in tasks,
        "q": SlotsView(slots),
        "gpu": gpus[0] if gpus else GpuView(),
        "gpus": gpus,
        "n_gpus": n_gpus or 0,
        "most_gpus": max([n_gpus or 0, *(s.min_gpus_yes or s.min_gpus or 0 for s in answer.scenarios)]),
        "nodes": slots.nodes or -(-(n_gpus or 0) // per_node),
        "model": _model_view(slots.models[0], specs) if slots.models else ModelView(),
        "e": _estimate_view(main.estimate if main else None),
        "topic": _topic(answer),
        "headline": answer.headline.key if isinstance(answer.headline, Text) else "",
        "cost": _cost_view(answer.cost, now),
        "says": says_in(question.text),
        "names": _names_in(gpus),
    }


def _topic(answer: Answer) -> str:
    """From the headline's key: `topics.own` -> own."""
    key = answer.headline.key if isinstance(answer.headline, Text) else ""
    return key.removeprefix("topics.") if key.startswith("topics.") else ""


def says_in(text: str) -> Callable[..., bool]:
    """`says("cdn", "快照")` over one message. Latin words match whole, case and plural s aside; Chinese anywhere."""
    lowered = text.casefold()

    def says(*phrases: str) -> bool:
        return any(_occurs(phrase.casefold(), lowered) for phrase in phrases)

    return says


def _occurs(phrase: str, text: str) -> bool:
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if text[end : end + 1] == "s":
            end += 1
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_joins(before, phrase[0]) or _joins(after, phrase[-1])):
            return True
        start = text.find(phrase, start + 1)
    return False


def _joins(neighbour: str, edge: str) -> bool:
    """Two characters that belong to one Latin word; Chinese has no such boundary."""
    return neighbour.isascii() and neighbour.isalnum() and edge.isascii() and edge.isalnum()


def _is_training(task: str) -> bool:
    return task in {str(t) for t in TRAINING_TASKS}


def _names_in(gpus: tuple[GpuView, ...]) -> Callable[..., bool]:
    def names(*families: str) -> bool:
        return all(any(g.name == f or g.name.startswith(f"{f}-") for g in gpus) for f in families)

    return names


def _gpu_view(slot: GpuSlot, specs: Specs) -> GpuView:
    spec = specs.find_gpu(slot.name) if slot.name else None
    if spec is None:
        return GpuView(name=slot.name or "", title=slot.name or "", memory_gb=slot.memory_gb or 0, count=slot.count or 0)
    return _known_gpu(slot, spec)


def _known_gpu(slot: GpuSlot, spec: GpuSpec) -> GpuView:
    return GpuView(
        name=slot.name or spec.name,
        title=spec.title,
        vendor=spec.vendor,
        arch=spec.arch,
        memory_gb=slot.memory_gb or spec.memory_gb,
        usable_gib=spec.usable_gib,
        bandwidth_gbs=spec.bandwidth_gbs or 0,
        bf16_tflops=spec.bf16_tflops or 0,
        bf16=bool(spec.bf16_tflops),
        fp8=bool(spec.fp8_tflops),
        link=spec.link or "",
        link_gbs=spec.link_gbs or 0,
        form=spec.form or "",
        form_said=bool(slot.form),
        tdp_w=spec.tdp_w or 0,
        mig=spec.mig_max,
        datacenter=spec.datacenter,
        count=slot.count or 0,
    )


def _model_view(slot: ModelSlot, specs: Specs) -> ModelView:
    spec: ModelSpec | None = specs.find_model(slot.name) if slot.name else None
    if spec is None:
        return ModelView(name=slot.name or "", params_b=slot.params_b or 0, active_b=slot.active_b or 0)
    return ModelView(
        name=spec.name,
        params_b=spec.params_b,
        active_b=spec.active_params_b or 0,
        is_moe=spec.is_moe,
        attention=spec.attention,
        kind=spec.kind,
        context_length=spec.context_length or 0,
        vocab=spec.vocab or 0,
        license=spec.license or "",
        shape_known=spec.shape_known,
    )


def _estimate_view(estimate: TrainingEstimate | ServingEstimate | None) -> EstimateView:
    if estimate is None:
        return EstimateView()
    memory, usable = estimate.memory_gib_per_gpu.best, estimate.usable_gib_per_gpu or 0
    fill = memory / usable if usable else 0
    if isinstance(estimate, ServingEstimate):
        return EstimateView(
            memory_gib=memory,
            usable_gib=usable,
            fill=fill,
            weights_gib=estimate.weights_gib,
            max_concurrency=_best(estimate.max_concurrency),
            saturated=bool(estimate.saturated),
            tokens_per_s=_best(estimate.throughput_tokens_per_s),
        )
    parts = estimate.memory_breakdown_gib
    return EstimateView(
        memory_gib=memory,
        usable_gib=usable,
        fill=fill,
        weights_gib=parts.get("weights", 0),
        states_gib=sum(parts.get(part, 0) for part in ("weights", "gradients", "optimizer")),
        host_ram_gib=estimate.host_ram_gib or 0,
        tokens_per_s=_best(estimate.tokens_per_s_per_gpu),
        gpu_hours=_best(estimate.gpu_hours),
        wall_hours=_best(estimate.wall_hours),
    )


def _best(band: Band | None) -> float:
    return band.best if band else 0


def _cost_view(cost: Cost | None, now: datetime | None) -> CostView:
    if cost is None:
        return CostView()
    age = (now.date() - cost.read_on).days if now and cost.read_on else 0
    return CostView(cost.price_per_gpu_hour, cost.billing, cost.provider, cost.per, age)
