"""Memory sizes that cards are not sold with: a size that does not exist, or that of all cards together.

Game and workstation cards are modded (`4090 48G`); data-centre cards are not (`V100 80G`).
"""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.setup import gpu_label
from bot.question import GpuSlot, Problem, Question

_SLACK = 1.1  # B200: 192 by its data sheet, 180 as sold


def with_sold_memory(question: Question, context: AdviceContext) -> Question:
    """The question with the memory of one card where that of all was said, and a problem for each size never sold."""
    cards = tuple(_each(slot, context) for slot in question.slots.gpus)
    problems = tuple(filter(None, (_unsold(slot, context) for slot in cards)))
    if cards == question.slots.gpus and not problems:
        return question
    return replace(question, slots=question.slots.with_(gpus=cards), problems=(*question.problems, *problems))


def _each(slot: GpuSlot, context: AdviceContext) -> GpuSlot:
    """`8 A100, 640G` has 80 each."""
    sizes = _sizes(slot, context)
    if not sizes or not slot.memory_gb or (slot.count or 1) < 2 or slot.memory_gb <= sizes[-1] * _SLACK:
        return slot
    share = slot.memory_gb / (slot.count or 1)
    return replace(slot, memory_gb=share) if share in sizes else slot


def _unsold(slot: GpuSlot, context: AdviceContext) -> Problem | None:
    """Whole multiples of the largest size are a board, a superchip or several cards, and left alone."""
    sizes = _sizes(slot, context)
    if not sizes or not slot.memory_gb or slot.memory_gb <= sizes[-1] * _SLACK or slot.memory_gb % sizes[-1] == 0:
        return None
    assert slot.name is not None
    label = gpu_label(slot.name.partition("-")[0])
    return Problem("gpus", f"{label} {slot.memory_gb:g}G", "never_sold", tuple(f"{label} {size:g}G" for size in sizes))


def _sizes(slot: GpuSlot, context: AdviceContext) -> list[float]:
    """Sizes in GB that a data-centre card of that name is sold with, small to large; none for other cards."""
    base = slot.name.partition("-")[0] if slot.name else ""
    kin = [gpu for gpu in context.specs.gpus if gpu.name.partition("-")[0] == base]
    return sorted({gpu.memory_gb for gpu in kin}) if all(gpu.datacenter for gpu in kin) else []
