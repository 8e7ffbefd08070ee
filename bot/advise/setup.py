"""What a question names, resolved against the catalog: which cards, which model, and what had to be assumed for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from bot.advise.context import AdviceContext
from bot.answer import Assumption, Bilingual, say
from bot.catalog.records import GpuSpec, ModelSpec
from bot.estimator import Hardware, with_usual_shape
from bot.folder import Folder
from bot.question import GpuSlot, ModelSlot, Question

_LARGEST_B = 100_000  # 1e9 parameters; no model is larger, so that a number beyond it was no size
_SIZE_SLACK = 0.01  # 70 and 70.0 are one size, 70 and 72 are not
_MEMORY_SLACK = 0.015
_LETTERS_DIGITS = re.compile(r"^(RTX|GTX)(?=\w)")


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards of one kind as asked for. `count` None: not said. `memory_gb` is set where it differs from the card's own."""

    label: str
    gpu: GpuSpec | None
    memory_gb: float | None = None
    count: int | None = None
    gpus_per_node: int | None = None
    assumed: tuple[Assumption, ...] = ()
    host_ram_gib: float | None = None  # of the host, where it is said

    def hardware(self, n_gpus: int | None) -> Hardware:
        return Hardware(gpu=self.gpu, memory_gb=self.memory_gb, n_gpus=n_gpus, gpus_per_node=self.gpus_per_node)

    def with_count(self, count: int | None) -> Cards:
        return replace(self, count=count)


@dataclass(frozen=True, slots=True)
class Subject:
    """The model that is meant. `known` False: estimated from its size."""

    model: ModelSpec
    label: str
    known: bool = True
    assumed: tuple[Assumption, ...] = ()


@lru_cache(maxsize=4)
def usual(folder: Folder) -> Mapping[str, Any]:
    """`knowledge/usual.yaml`: what questions mean when they name less than the sum needs."""
    document: Mapping[str, Any] = folder.yaml("usual.yaml")
    return document


def bilingual_why(entry: Mapping[str, Any]) -> Bilingual:
    return Bilingual(str(entry.get("why_en", "")), str(entry.get("why_zh", "")))


def gpu_label(name: str) -> str:
    """`A100-80G-SXM` -> `A100 80G SXM`, `RTX4090` -> `RTX 4090`: as people write it."""
    return _LETTERS_DIGITS.sub(r"\1 ", name.replace("-", " "))


def cards_in(question: Question, context: AdviceContext) -> tuple[Cards, ...]:
    """Every kind of card that the question names, in order; cards that the catalog lacks are left out."""
    slots = question.slots
    found = [_cards(slot, index, context) for index, slot in enumerate(slots.gpus)]
    host = question.setup.host_ram_gib
    return tuple(
        replace(_part(cards, question.setup.mig_gb), gpus_per_node=slots.gpus_per_node, host_ram_gib=host)
        for cards in found
        if cards is not None
    )


def _part(cards: Cards, mig_gb: float | None) -> Cards:
    """A partition (`3g.40gb`) in place of the whole card."""
    if mig_gb is None or cards.gpu is None or not cards.gpu.mig_max:
        return cards
    return replace(cards, label=f"{cards.label} {mig_gb:g}G MIG", memory_gb=mig_gb)


def usual_cards(context: AdviceContext) -> Cards:
    """The card that counts refer to when none is named."""
    entry = usual(context.folder)["card"]
    why = bilingual_why(entry)
    gpu = context.specs.gpu(entry["name"])
    label = gpu_label(entry["name"])
    return Cards(label, gpu, assumed=(Assumption("gpus[0].name", label, why),))


def _cards(slot: GpuSlot, index: int, context: AdviceContext) -> Cards | None:
    if slot.name is None:
        if slot.memory_gb is None:
            return None
        return Cards(f"{slot.memory_gb:g} GB", None, slot.memory_gb, slot.count)
    gpu = _variant(slot, context)
    if gpu is None:
        return None
    own = slot.memory_gb is None or abs(slot.memory_gb - gpu.memory_gb) <= _MEMORY_SLACK * gpu.memory_gb
    label = gpu_label(slot.name) + ("" if own else f" {slot.memory_gb:g}G")
    assumed: tuple[Assumption, ...] = ()
    if context.specs.gpu_by_id.get(gpu.id) and gpu.name.casefold() != slot.name.casefold():
        assumed = (Assumption(f"gpus[{index}].name", gpu.title.split(" (")[0], say("why.variant", name=label)),)
    return Cards(label, gpu, None if own else slot.memory_gb, slot.count, assumed=assumed)


def _variant(slot: GpuSlot, context: AdviceContext) -> GpuSpec | None:
    """The catalog's card of that name, in the memory size that was said where the name comes in several."""
    assert slot.name is not None
    gpu = context.specs.find_gpu(slot.name)
    if gpu is None or slot.memory_gb is None or abs(slot.memory_gb - gpu.memory_gb) <= _MEMORY_SLACK * gpu.memory_gb:
        return gpu
    base, _, form = slot.name.partition("-")
    sized = f"{base}-{slot.memory_gb:g}G" + (f"-{form}" if form and not form[0].isdigit() else "")
    return context.specs.find_gpu(sized) or gpu


def subjects_in(question: Question, context: AdviceContext) -> tuple[Subject, ...]:
    """Every model that the question names and that has a size, in order."""
    if question.config is not None:
        return (_pasted(question),)
    found = (_subject(slot, index, context) for index, slot in enumerate(question.slots.models))
    return tuple(subject for subject in found if subject is not None)


def _pasted(question: Question) -> Subject:
    assert question.config is not None
    fields = {"family": question.config.name, **dict(question.config.fields), "name": question.config.name}
    if not fields.get("params_b"):
        said = next((slot.params_b for slot in question.slots.models if slot.params_b), None)
        fields["params_b"] = said or _counted(fields)
    model = ModelSpec.model_validate(fields)
    return Subject(model, model.name)


def _counted(fields: dict[str, Any]) -> float:
    """1e9 parameters of a shape, by counting its matrices."""
    from bot.estimator import architecture_of

    return architecture_of(ModelSpec.model_validate({**fields, "params_b": 1.0})).total / 1e9


def _subject(slot: ModelSlot, index: int, context: AdviceContext) -> Subject | None:
    known = context.specs.find_model(slot.name) if slot.name else None
    if known is not None:
        return Subject(with_usual_shape(known), slot.name or known.name)
    if not slot.params_b or slot.params_b > _LARGEST_B:
        return None
    size = slot.params_b
    if slot.name is None:
        like = _usual_model(size, context)
        if like is not None:
            assumption = Assumption(f"models[{index}].name", like.name, say("why.size", size=size, name=like.name))
            return Subject(like, f"{size:g}B", assumed=(assumption,))
    name = slot.name or f"{size:g}B"
    shape = with_usual_shape(
        ModelSpec(name=name, family=name, params_b=size, active_params_b=slot.active_b, shape_known=False)
    )
    why = say("why.usual_shape", size=size) if slot.name is None else say("why.unknown_model", name=name, size=size)
    return Subject(shape, name, slot.name is None, (Assumption(f"models[{index}].params_b", size, why),))


def _usual_model(size: float, context: AdviceContext) -> ModelSpec | None:
    named = usual(context.folder)["models"]
    return next(
        (context.specs.find_model(name) for known, name in named.items() if abs(known - size) <= _SIZE_SLACK * size), None
    )
