"""Scalar slots while they are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.question import Money
from bot.understand.numbers import Number


@dataclass
class Quantities:
    """Scalar slots as read, with where each was read."""

    values: dict[str, object] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    impossible: list[tuple[str, str]] = field(default_factory=list)
    loose_money: Money | None = None  # neither a limit nor a price by itself

    def put(self, slot: str, value: object, words: str, number: Number | None = None) -> None:
        if number is not None:
            self.used.add(number.start)
        if slot not in self.values:
            self.values[slot] = value
            self.words[slot] = words.strip()
