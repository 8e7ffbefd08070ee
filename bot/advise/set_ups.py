"""Settings that a message says in words beside the slots: optimizer, cache type, sharding, host memory (`set_ups.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from bot.advise.context import AdviceContext
from bot.folder import Folder
from bot.question import Act, Question, SetUp, Slots

_LONGEST = 4000  # characters of a message that are searched: the rest of a pasted log holds no wishes
_AFRESH = frozenset({Act.NEW, Act.RESET})


@dataclass(frozen=True, slots=True)
class _Entry:
    setting: str
    value: str | bool
    hints: tuple[str, ...]
    pattern: str
    aside: bool
    times: float
    nearest: tuple[tuple[float, str], ...]

    def find(self, low: str) -> re.Match[str] | None:
        return re.search(self.pattern, low) if any(hint in low for hint in self.hints) else None


def with_set_up(question: Question, context: AdviceContext) -> Question:
    """The question with the settings of its words, over those of the turns before. `8-bit Adam` says nothing of weights."""
    low = question.text.casefold()[:_LONGEST]
    matches = _matches(low, context.folder)
    before = context.thread.question
    kept = before.setup if before is not None and question.act not in _AFRESH else SetUp()
    setup = replace(kept, **{entry.setting: _value(entry, match) for entry, match in matches})  # type: ignore[arg-type]
    if setup == question.setup and not matches:
        return question
    asides = [match.span() for entry, match in matches if entry.aside]
    return replace(question, setup=setup, slots=_of_weights(question.slots, low, asides, context.folder))


def _matches(low: str, folder: Folder) -> list[tuple[_Entry, re.Match[str]]]:
    """The first match of each setting that is not denied (`w/o FSDP`)."""
    denied = _document(folder)["denied"]
    found: dict[str, tuple[_Entry, re.Match[str]]] = {}
    for entry in _entries(folder):
        match = entry.find(low) if entry.setting not in found else None
        if match is not None and not re.search(denied, low[max(0, match.start() - 16) : match.start()]):
            found[entry.setting] = entry, match
    return list(found.values())


def _value(entry: _Entry, match: re.Match[str]) -> object:
    if entry.value != "$1":
        return entry.value
    number = float(next(group for group in match.groups() if group)) * entry.times
    if entry.nearest:
        return min(entry.nearest, key=lambda known: abs(known[0] - number))[1]
    kind = next(f.type for f in fields(SetUp) if f.name == entry.setting)
    return int(number) if str(kind).startswith("int") else number


def _of_weights(slots: Slots, low: str, asides: list[tuple[int, int]], folder: Folder) -> Slots:
    """Without a precision that only a setting names: `AWQ, kv cache fp8` has int4 weights."""
    words = _document(folder)["precisions"].get(slots.precision)
    if words is None or not any(re.search(words, low[start:end]) for start, end in asides):
        return slots
    rest = low
    for start, end in asides:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    if re.search(words, rest):
        return slots
    return slots.with_(precision=_document(folder)["of_quant"].get(slots.quant))


@lru_cache(maxsize=4)
def _entries(folder: Folder) -> tuple[_Entry, ...]:
    document = _document(folder)
    return tuple(
        _Entry(
            setting,
            value,
            tuple(row["hints"]),
            row["pattern"],
            row.get("aside", False),
            row.get("times", 1),
            tuple(document[row["nearest"]].items()) if "nearest" in row else (),
        )
        for row in document["settings"]
        for setting, value in row["set"].items()
    )


@lru_cache(maxsize=4)
def _document(folder: Folder) -> Mapping[str, Any]:
    document: Mapping[str, Any] = folder.yaml("set_ups.yaml")
    return document
