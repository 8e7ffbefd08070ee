"""Counts, nodes and memory to the cards they belong to, and which cards the question is about.

`两台8卡A800` is 2 nodes of 8, 16 in all; `4张V100一共128G` 32 GB each; `我没有H100` names a card that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.understand.bound import Binding
from bot.understand.gpus import MEMORY_RIGHT, GpuSpan
from bot.understand.nodes import NodeBinder
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns
from bot.understand.unnamed import UnnamedBinder

_TIMES_RIGHT = re.compile(r"(?:'?s)?[\s(]{0,2}[x*]\s?(\d{1,7})(?![\d.]|\s?(?:gb?|gib)(?![a-z]))\)?")
_IN_BRACKETS = re.compile(r"\s?\((\d{1,4})\s?x?\)")
_PLURAL = re.compile(r"'?s(?![a-z0-9])")
_TIMES = re.compile(r"^\s?[x*]|\s[x*]\s")
_MOST = 10**7  # cards; more is no quantity that anyone has


class Binder:
    """Binds in a fixed order: left counts, right counts, roles, nodes, what has no name; each number once."""

    def __init__(self, patterns: Patterns, sizes: frozenset[float], boards: Mapping[str, int]) -> None:
        self.patterns = patterns
        self.boards = boards
        self.nodes = NodeBinder(patterns)
        self.unnamed = UnnamedBinder(patterns, sizes)

    def bind(self, low: str, spans: Sequence[GpuSpan], numbers: Sequence[Number]) -> Binding:
        found = Binding(list(spans))
        free = [n for n in numbers if not any(s.start < n.end and n.start < s.end for s in spans)]
        for index in range(len(found.gpus)):
            self._count_left(low, found, index, free)
        for index in range(len(found.gpus)):
            self._count_right(low, found, index, free)
        self._share_count(low, found)
        _one_each(low, found)
        self._exclude(low, found)
        self.nodes.bind(low, found, free)
        self.unnamed.bind(low, found, free)
        found.gpus = _merged(found.gpus)
        return found

    def _count_left(self, low: str, found: Binding, index: int, free: Sequence[Number]) -> None:
        span = found.gpus[index]
        if span.count is not None and not self._is_node_name(low, span):
            return
        floor = found.gpus[index - 1].end if index else 0
        for number in reversed([n for n in free if floor <= n.start and n.end <= span.start and n.start not in found.used]):
            gap = low[number.end : span.start]
            if len(gap) > 30:
                break
            of_kind = (
                (number.unit == "card" and low[number.end - 1] in "张块个片") or low[number.end : number.end + 1] == "个"
            ) and self.patterns["of_some_kind"].fullmatch(gap)
            if (
                number.unit not in ("", "card", "node")
                or number.scale not in ("", "k")
                or not (of_kind or self.patterns["gap_left"].fullmatch(gap))
            ):
                break
            if number.glued and not (number.unit == "" and low[number.start - 1 : number.start] == "x"):
                break
            self._take(low, found, index, number, gap=gap, free=free)
            return
        if self.patterns["article"].search(low[max(0, span.start - 40) : span.start]) and not (
            _PLURAL.match(low, span.end) or self.patterns["many_of_them"].match(low, span.end)
        ):
            found.gpus[index] = replace(span, count=1)

    def _take(self, low: str, found: Binding, index: int, number: Number, *, gap: str, free: Sequence[Number]) -> None:
        span = found.gpus[index]
        found.used.add(number.start)
        words = low[number.start : span.end]
        if number.value <= 0 or not number.whole or number.value > _MOST:
            found.impossible.append(("gpus", words))
            count = int(number.value) if number.whole else None
            found.gpus[index] = replace(span, count=count)
            return
        if number.unit == "node" or (self._is_node_name(low, span) and not _TIMES.search(gap) and not number.unit):
            found.nodes = int(number.value)
            each = span.count or self._board(low, span)
            if each is not None:  # 96 DGX-A100 (8x40G), two DGX H100
                found.gpus_per_node = each
                found.gpus[index] = replace(span, count=each * found.nodes)
            return
        if not number.unit and not _TIMES.search(gap) and self.patterns["gpu_hours"].match(low, span.end):
            return  # 2000 A100 hours: time, not cards
        if self.patterns["asked_nodes"].search(low[max(0, number.start - 24) : number.start]):
            found.gpus_per_node = int(number.value)  # the nodes are what is asked for
            return
        count = int(number.scaled() if number.scale else number.value)
        nodes = next((n for n in free if number.glued and n.end == number.start - 1 and not n.unit and n.whole), None)
        if nodes is not None and nodes.value > 0:  # 4x8 H100
            found.used.add(nodes.start)
            found.nodes, found.gpus_per_node, count = int(nodes.value), count, count * int(nodes.value)
        found.gpus[index] = replace(span, count=count)
        if found.nodes is None and self.patterns["one_node_with"].search(low[max(0, number.start - 24) : number.start]):
            found.nodes, found.gpus_per_node = 1, count
        if (
            self.patterns["cluster"].match(low, span.end)
            and not self.patterns["plural_cluster"].match(low, span.end)
            and found.nodes is None
            and _TIMES.search(gap)
        ):
            found.nodes, found.gpus_per_node = 1, int(number.value)

    def _board(self, low: str, span: GpuSpan) -> int | None:
        """Cards of the chassis that the name says: a DGX has eight."""
        brand = self.patterns["node_brand"].search(low[max(0, span.start - 5) : span.start])
        return self.boards.get(brand.group().strip(" -")) if brand else None

    def _is_node_name(self, low: str, span: GpuSpan) -> bool:
        before = low[max(0, span.start - 5) : span.start]
        return bool(self.patterns["node_brand"].search(before)) or bool(self.patterns["cluster"].match(low, span.end))

    def _count_right(self, low: str, found: Binding, index: int, free: Sequence[Number]) -> None:
        span = found.gpus[index]
        if span.count is not None:
            return
        times = _TIMES_RIGHT.match(low, span.end) or _IN_BRACKETS.match(low, span.end)
        if times and not any(low[times.end() : g.start].isspace() for g in found.gpus if g.start > times.end()):
            found.used.add(times.start(1))
            self._set_right(low, found, index, float(times.group(1)), times.end())
            return
        for number in free:
            if number.start < span.end or number.start in found.used or number.unit != "card":
                continue
            if self.patterns["gap_right"].fullmatch(low[span.end : number.start]) and number.whole and not number.scale:
                found.used.add(number.start)
                self._set_right(low, found, index, number.value, number.end)
            return

    def _set_right(self, low: str, found: Binding, index: int, value: float, end: int) -> None:
        span = found.gpus[index]
        if value <= 0 or value > _MOST:
            found.impossible.append(("gpus", low[span.start : end]))
        memory = MEMORY_RIGHT.match(low, end) if span.memory_gb is None else None
        found.gpus[index] = replace(
            span,
            count=int(value),
            end=memory.end() if memory else end,
            memory_gb=float(memory.group(1)) if memory else span.memory_gb,
        )

    def _share_count(self, low: str, found: Binding) -> None:
        """`单张A100或H100`: one count before both."""
        for left, right in zip(range(len(found.gpus)), range(1, len(found.gpus)), strict=False):
            one, two = found.gpus[left], found.gpus[right]
            if not self.patterns["alternatives"].fullmatch(low[one.end : two.start]):
                continue
            if one.count is not None and two.count is None:
                found.gpus[right] = replace(two, count=one.count)
            elif one.count is None and two.count is not None and low[one.end : two.start].strip() in ("/", "、"):
                found.gpus[left] = replace(one, count=two.count)  # `A100/H100 8卡`: the count stands after both

    def _exclude(self, low: str, found: Binding) -> None:
        kept: list[GpuSpan] = []
        others = len(found.gpus) > 1 or bool(self.patterns["cards_of_memory"].search(low)) or "卡" in low
        for span in found.gpus:
            window = low[max(0, span.start - 40) : span.start]
            clause = re.split(r"[,;。!?\n]", window)[-1]
            rest = low[span.end : span.end + 24]
            absent = self.patterns["absent_before"].search(clause) or (
                len(found.gpus) > 1 and self.patterns["absent_after"].match(rest)
            )
            quoted = others and self.patterns["quoted_before"].search(clause)
            asked = (
                others
                and self.patterns["distractor_before"].search(clause)
                and self.patterns["but_after"].search(low[span.end :])
            )
            (found.excluded if absent or quoted or asked else kept).append(span)
        if not kept and found.excluded and len(found.gpus) > 1:
            kept, found.excluded = list(found.gpus), []
        found.gpus = kept


def _one_each(low: str, found: Binding) -> None:
    """`5070 Ti 16GB + 5090D 32GB`: cards joined by a plus are one each."""
    for left in range(len(found.gpus) - 1):
        one, two = found.gpus[left], found.gpus[left + 1]
        if low[one.end : two.start].strip() == "+":
            found.gpus[left] = replace(one, count=one.count or 1)
            found.gpus[left + 1] = replace(two, count=two.count or 1)


def _merged(spans: Iterable[GpuSpan]) -> list[GpuSpan]:
    """One entry a card: later mentions fill what the first left open; different counts stay apart."""
    out: list[GpuSpan] = []
    for span in spans:
        for i, one in enumerate(out):
            same = one.base == span.base and (one.memory_gb == span.memory_gb or None in (one.memory_gb, span.memory_gb))
            if (
                same
                and (one.form == span.form or None in (one.form, span.form))
                and (one.count == span.count or None in (one.count, span.count))
            ):
                out[i] = replace(
                    one, memory_gb=one.memory_gb or span.memory_gb, form=one.form or span.form, count=one.count or span.count
                )
                break
        else:
            out.append(span)
    return out
