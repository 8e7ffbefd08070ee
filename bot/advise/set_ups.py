"""Settings that a message says in words beside the slots: optimizer, cache type, sharding, host memory (`set_ups.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from bot.advise.context import AdviceContext
from bot.advise.workloads import gguf_type_in
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
    asides = [match.span() for entry, match in matches if entry.aside]
    rest = _without(low, asides)
    said = {entry.setting: _value(entry, match) for entry, match in matches} | {"gguf_type": gguf_type_in(rest)}
    setup = replace(_kept(question, context), **{name: value for name, value in said.items() if value is not None})  # type: ignore[arg-type]
    if setup == question.setup and not matches:
        return question
    return replace(question, setup=setup, slots=_of_weights(question.slots, low, rest, asides, context.folder))


def _kept(question: Question, context: AdviceContext) -> SetUp:
    """Settings of the turns before; a type of weights only until another one is named."""
    before = context.thread.question
    kept = before.setup if before is not None and question.act not in _AFRESH else SetUp()
    renamed = {"precision", "quant"} & set(question.changed)
    return replace(kept, weights_format=None, gguf_type=None) if renamed else kept


def _without(low: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        low = low[:start] + " " * (end - start) + low[end:]
    return low


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


def _of_weights(slots: Slots, low: str, rest: str, asides: list[tuple[int, int]], folder: Folder) -> Slots:
    """Without a precision that only a setting names: `AWQ, kv cache fp8` has int4 weights."""
    words = _document(folder)["precisions"].get(slots.precision)
    if words is None or re.search(words, rest) or not any(re.search(words, low[start:end]) for start, end in asides):
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
