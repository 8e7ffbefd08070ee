"""Figures of a pasted out-of-memory message, as PyTorch and vLLM print them. Everything in GiB."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

_AMOUNT = r"(\d{1,6}(?:\.\d{1,4})?)\s?(MiB|GiB|MB|GB)"
_PATTERNS = {
    "tried": re.compile(rf"[Tt]ried to allocate {_AMOUNT}"),
    "capacity": re.compile(rf"(?:total capacity of {_AMOUNT}|{_AMOUNT} total capacity)"),
    "free": re.compile(rf"(?:of which {_AMOUNT} is free|{_AMOUNT} free)"),
    "allocated": re.compile(rf"(?:{_AMOUNT} (?:is allocated by PyTorch|already allocated))"),
    "unallocated": re.compile(rf"{_AMOUNT} is reserved by PyTorch but unallocated"),
    "in_use": re.compile(rf"this process has {_AMOUNT} memory in use", re.IGNORECASE),
}
_GIB = {"MiB": 1 / 1024, "GiB": 1.0, "MB": 1e6 / 2**30, "GB": 1e9 / 2**30}
# Reserved but unallocated memory above this share of the card points at fragmentation rather than at need.
_FRAGMENTED = 0.1


@dataclass(frozen=True, slots=True)
class OomLog:
    """What was read; None: not in the message."""

    tried: float | None = None
    capacity: float | None = None
    free: float | None = None
    allocated: float | None = None
    unallocated: float | None = None
    in_use: float | None = None

    @property
    def found(self) -> tuple[tuple[str, float], ...]:
        values = ((f.name, getattr(self, f.name)) for f in fields(self))
        return tuple((name, value) for name, value in values if value is not None)

    @property
    def is_fragmented(self) -> bool:
        return bool(self.unallocated and self.capacity and self.unallocated > _FRAGMENTED * self.capacity)

    @property
    def shared_gib(self) -> float | None:
        """Memory that is neither free nor this process's: another process holds it."""
        if self.capacity is None or self.free is None or self.in_use is None:
            return None
        rest = self.capacity - self.free - self.in_use
        return rest if rest > 1 else None


def read_oom_log(text: str) -> OomLog:
    """`Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.14 GiB` -> tried 2.0, capacity 79.14."""
    found = {}
    for name, pattern in _PATTERNS.items():
        match = pattern.search(text)
        if match:
            amount, unit = [group for group in match.groups() if group][:2]
            found[name] = float(amount) * _GIB[unit]
    return OomLog(**found)
