"""What a text only mentions: orders to the reader, masks of cues, sizes and prices that are not in question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.understand.bound import Binding
from bot.understand.found import Quantities
from bot.understand.lexicon import Mention
from bot.understand.model_names import ModelSpan
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns

_MASKED = frozenset({"cue", "turn", "metric", "mask", "task"})


def unmasked(low: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Without cues inside a longer word that means something else: 能 in 性能, the can of `can anybody recommend`."""
    masks = [m for m in mentions if m.kind == "mask"]
    if not masks:
        return list(mentions)
    return [m for m in mentions if m.kind not in _MASKED or not any(_masks(low, mask, m) for mask in masks)]


def _masks(low: str, mask: Mention, one: Mention) -> bool:
    """A Chinese mask hides what lies in it, a Latin one only what it begins with."""
    inside = mask.start <= one.start and one.end <= mask.end and mask.end - mask.start > one.end - one.start
    return inside and (one.start == mask.start or not low[mask.start].isascii())


def without_injection(low: str, mentions: Sequence[Mention]) -> str:
    """Orders to the reader are blanked up to the end of their sentence; the technical part is read as usual."""
    for mention in mentions:
        if mention.value == "injection":
            end = min((p for p in (low.find(stop, mention.end) for stop in "\n.。!") if p > 0), default=len(low))
            low = low[: mention.start] + " " * (end - mention.start) + low[end:]
    return low


def not_in_numbers(cues: Iterable[Mention], numbers: Sequence[Number]) -> list[Mention]:
    """Without cues that are the unit of a number stated: the QPS of `10 QPS` is not asked for."""
    return [c for c in cues if not any(n.start <= c.start and c.end <= n.end + 1 for n in numbers)]  # with a question mark


def in_question(models: list[ModelSpan], roles: Sequence[Mention]) -> list[ModelSpan]:
    """Without bare sizes that are only mentioned (`3B was ok`), as long as another model remains."""
    kept = [m for m in models if not any(_sets_aside(role, m) for role in roles)]
    return kept or models


def _sets_aside(role: Mention, model: ModelSpan) -> bool:
    if role.value == "before":
        return 0 <= model.start - role.end <= 2
    return model.family is None and 0 <= role.start - model.end <= 3


def set_prices_apart(low: str, binding: Binding, found: Quantities, numbers: Sequence[Number], patterns: Patterns) -> None:
    """A card named only for its price (`3090租一小时2.5美元的话，8xV100…`) is not the one that is asked about."""
    if "unit_price" not in found.values:
        return
    amount = getattr(found.values["unit_price"], "amount", None)
    priced = [n for n in numbers if n.plain() == amount]
    for i, gpu in enumerate(list(binding.gpus)):
        beside = any(0 <= n.start - gpu.end <= 14 and patterns["priced"].fullmatch(low[gpu.end : n.start]) for n in priced)
        others = any(g.count for g in binding.gpus if g is not gpu)
        if beside and others and gpu.count is None:
            binding.gpus.remove(gpu)
            binding.excluded.append(gpu)
        elif beside and gpu.count == 1 and not low[max(0, gpu.start - 2) : gpu.start].strip().isdigit():
            binding.gpus[i] = replace(gpu, count=None)
