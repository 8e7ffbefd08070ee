"""Can this card do that? Precisions, flash attention and partitions, from the catalog and `knowledge/capabilities.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.lookup import precision_named, support_answer
from bot.advise.pricing import variants_of
from bot.advise.setup import gpu_label
from bot.advise.vocabulary import says_in
from bot.answer import Answer, Source, say
from bot.catalog.records import GpuSpec
from bot.faq.claims import load_claims
from bot.folder import Folder
from bot.question import GpuSlot, Intent, Question

_FLASH_FAQ = "F-flash-attention"
_ARITHMETIC = (
    Intent.FEASIBILITY,
    Intent.SPEC_LOOKUP,
    Intent.CATALOG_SEARCH,
)  # read otherwise, a precision is not all that is asked


def answer_capability(question: Question, context: AdviceContext) -> Answer | None:
    """Yes or no for the cards that are named, where a capability and no model is asked about; None for all else."""
    slots = question.slots
    if slots.models or question.config or not slots.gpus or not any(slot.name for slot in slots.gpus):
        return None
    known = _capabilities(context.folder)
    says = says_in(question.text)
    if not says(*known["asks"]) or asks(question, "largest", context):
        return None
    flash, mig = (known["capabilities"][name] for name in ("flash_attention", "mig"))
    cards = [(gpu_label(slot.name), gpu) for slot in slots.gpus if slot.name and (gpu := _default(slot, context))]
    if not cards:
        return None
    if says(*flash["words"]):
        return _flash(question, cards, flash, context)
    if says(*mig["words"]):
        return _partitions(question, cards)
    asked = question.intent in _ARITHMETIC and precision_named(question)
    return support_answer(question, context) if asked else None


@lru_cache(maxsize=4)
def _capabilities(folder: Folder) -> Mapping[str, Any]:
    known: Mapping[str, Any] = folder.yaml("capabilities.yaml")
    return known


def _default(slot: GpuSlot, context: AdviceContext) -> GpuSpec | None:
    return next(iter(variants_of(slot, context)), None)


def _flash(question: Question, cards: list[tuple[str, GpuSpec]], known: Mapping[str, Any], context: AdviceContext) -> Answer:
    """FlashAttention-2 or, where it is asked for, -3, by architecture."""
    wanted = 3 if says_in(question.text)(*known["third"]) else 2
    parts = tuple(
        say(
            "capability.flash",
            name=name,
            arch=gpu.arch,
            runs=known["runs"].get(gpu.arch, 0) if gpu.vendor == "NVIDIA" else None,
            wanted=wanted,
            alone=len(cards) == 1,
        )
        for name, gpu in cards
    )
    entry = context.faq.entry(_FLASH_FAQ)
    claims = load_claims(context.folder)
    sources = (*(claims.sources[key].as_source() for key in known["sources"]), *entry.sources)
    return Answer(
        question=question,
        headline=say("lookup.all", items=parts),
        language=question.language,
        answered_from="faq",
        body=(entry.answer,),
        sources=tuple(dict.fromkeys(sources)),
        faq_id=entry.id,
    )


def _partitions(question: Question, cards: list[tuple[str, GpuSpec]]) -> Answer:
    parts = tuple(
        say("capability.mig", name=name, most=gpu.mig_max, gb=gpu.memory_gb, alone=len(cards) == 1) for name, gpu in cards
    )
    sources: tuple[Source, ...] = tuple(dict.fromkeys(gpu.as_source() for _, gpu in cards))
    return Answer(
        question=question,
        headline=say("lookup.all", items=parts),
        language=question.language,
        answered_from="catalog",
        sources=sources,
    )
