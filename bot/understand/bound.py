"""What the words about hardware say together, while it is put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.understand.gpus import GpuSpan


@dataclass
class Binding:
    """What the words about hardware say together."""

    gpus: list[GpuSpan] = field(default_factory=list)
    excluded: list[GpuSpan] = field(default_factory=list)
    nodes: int | None = None
    gpus_per_node: int | None = None
    used: set[int] = field(default_factory=set)  # starts of the numbers that are spoken for
    impossible: list[tuple[str, str]] = field(default_factory=list)  # (slot, words)
