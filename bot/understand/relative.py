"""Changes that are told by the value before: `double the cards`, `half of them`, `再加一张`, `翻倍呢`.

What the turn names is changed (cards, users, length, batch, budget); where it names nothing, what the turn before set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.question import GpuSlot, Money, Question
from bot.understand.numbers import tidy
from bot.understand.numerals import parse_numeral
from bot.understand.patterns import Patterns
from bot.understand.reading import Reading

_SLOTS = ("concurrency", "qps", "seq_len", "batch", "budget", "dataset_samples", "tokens", "epochs")
_NAMED = {"concurrency": "names_users", "seq_len": "names_length", "batch": "names_batch", "budget": "names_budget"}


def relative_changes(reading: Reading, before: Question, patterns: Patterns) -> Mapping[str, object]:
    """Slots that the turn makes so many times as large, or larger by so many cards; empty where it says nothing such."""
    factor = next((float(value.removeprefix("times_")) for value in reading.turn if value.startswith("times_")), None)
    added = _added_cards(reading.low, patterns)
    if any(gpu.name for gpu in reading.slots.gpus):
        return {}
    if factor is not None:
        return _times(reading, before, patterns, factor)
    if added and any(gpu.count for gpu in before.slots.gpus):
        return {"gpus": tuple(replace(g, count=g.count + added if g.count else g.count) for g in before.slots.gpus)}
    return {}


def _times(reading: Reading, before: Question, patterns: Patterns, factor: float) -> Mapping[str, object]:
    slots, low = before.slots, reading.low
    named = next((slot for slot, words in _NAMED.items() if patterns[words].search(low)), None)
    last = next((slot for slot in _SLOTS if slot in before.changed), None)
    slot = named or (None if patterns["names_cards"].search(low) or "gpus" in before.changed else last)
    had = getattr(slots, slot) if slot else None
    if slot is not None and had is not None:
        if isinstance(had, Money):
            return {slot: replace(had, amount=tidy(had.amount * factor))}
        return {slot: tidy(had * factor)}
    return {"gpus": tuple(_scaled(gpu, factor) for gpu in slots.gpus)} if slots.gpus else {}


def _scaled(gpu: GpuSlot, factor: float) -> GpuSlot:
    scaled = gpu.count * factor if gpu.count else None
    return replace(gpu, count=int(scaled)) if scaled and scaled == int(scaled) else gpu


def _added_cards(low: str, patterns: Patterns) -> int | None:
    """`再加两张` 2, `one more card` 1; None where no cards are added."""
    more = patterns["cards_more"].search(low)
    word = next((group for group in more.groups() if group), None) if more else None
    if word is None:
        return None
    english = {"another": 1, "one": 1, "two": 2, "three": 3, "four": 4, "eight": 8}
    value = float(word) if word.isdigit() else english.get(word) or parse_numeral(word)
    return int(value) if value else None
