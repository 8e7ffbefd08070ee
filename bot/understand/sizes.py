"""Sizes of models that are written out (`720亿参数`, `70 billion`), and the models of a text each once."""

from __future__ import annotations

from collections.abc import Iterable

from bot.question import ModelSlot
from bot.understand.model_names import ModelSpan
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns

_LARGE_SCALES = ("b", "bn", "billion", "亿", "十亿", "百亿", "千亿", "万亿", "trillion")
_SMALL_SCALES = ("m", "million", "t", "万", "千万")


def models_in_words(
    low: str, models: list[ModelSpan], numbers: list[Number], patterns: Patterns
) -> tuple[list[ModelSpan], list[Number]]:
    """`720亿参数`, `千亿模型`, `70 billion`: sizes that are written out."""
    kept: list[Number] = []
    for number in numbers:
        size = _written_size(low, number, patterns)
        if size is None:
            kept.append(number)
            continue
        owner = next((m for m in models if m.family and m.size_b is None and 0 <= number.start - m.end <= 2), None)
        span = ModelSpan(
            number.start, number.end, owner.family if owner else None, owner.version if owner else "", size, f"{size:g}B"
        )
        models = sorted([m for m in models if m is not owner] + [span], key=lambda m: m.start)
    return models, kept


def _written_size(low: str, number: Number, patterns: Patterns) -> float | None:
    if number.unit not in ("", "param") or number.glued or (number.scale == "b" and number.unit == "" and number.value != 0):
        return None
    amount = number.plain()
    after = low[number.end : number.end + 20]
    big = number.scale in _LARGE_SCALES or (number.word and amount >= 10**8)
    if big and not patterns["not_parameters"].match(after):
        return amount / 1e9
    if number.scale == "t" and not number.unit and patterns["model_word"].match(low, number.end):
        return amount / 1e9
    if number.scale == "b" and number.value == 0:
        return 0.0
    if number.unit == "param" and number.scale in _SMALL_SCALES:
        return amount / 1e9
    return None


def distinct_models(slots: Iterable[ModelSlot]) -> tuple[ModelSlot, ...]:
    """Each model once; a bare size that a named model already has is the same model."""
    out: list[ModelSlot] = []
    for slot in slots:
        if slot in out or (slot.name is None and any(o.params_b == slot.params_b for o in out)):
            continue
        if slot.name and slot.params_b is None and any(o.name and o.name.startswith(slot.name) for o in out):
            continue
        bare = next((o for o in out if slot.name and (o.name is None and o.params_b == slot.params_b is not None)), None)
        fuller = next((o for o in out if o.name and slot.name and o.params_b is None and slot.name.startswith(o.name)), None)
        for old in (bare, fuller):
            if old in out:
                out.remove(old)
        out.append(slot)
    return tuple(out)
