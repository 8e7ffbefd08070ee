"""One message read by itself, before the thread is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.question import Money, Slots, Trace
from bot.understand.bound import Binding
from bot.understand.lexicon import Mention
from bot.understand.model_names import ModelSpan
from bot.understand.patterns import Patterns


@dataclass
class Reading:
    """Every slot that a message states, the flags that decide its intent, and what each was read from."""

    low: str  # the text in lower case, orders and numbers of logs blanked
    patterns: Patterns
    find_mentions: Callable[[str], list[Mention]]
    binding: Binding
    slots: Slots = field(default_factory=Slots)
    flags: frozenset[str] = frozenset()
    turn: frozenset[str] = frozenset()  # cues about the conversation
    metrics: tuple[str, ...] = ()  # attributes named, the weightiest first
    models: tuple[ModelSpan, ...] = ()
    unknown_gpus: tuple[str, ...] = ()
    closed_models: tuple[str, ...] = ()
    impossible: tuple[tuple[str, str], ...] = ()
    mentions: tuple[Mention, ...] = ()
    soft_task: bool = False  # the task follows from tokens/s and the like, not from a word for it
    lone_number: int | None = None  # the only number of a short message, without a unit
    lone_memory_gb: float | None = None
    loose_money: Money | None = None  # an amount that is neither a limit nor a price by itself
    trace: tuple[Trace, ...] = ()
