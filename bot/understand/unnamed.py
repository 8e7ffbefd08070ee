"""Cards told by memory or number alone: `8张80G的卡`, `24G显存`, `千卡`; totals and sizes apart from the name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from bot.understand.bound import Binding
from bot.understand.gpus import GpuSpan
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns

_AT_END = re.compile(r"\s?[?!。.]*$")
_ELLIPSIS = re.compile(r"[,、和或]\s?$")


class UnnamedBinder:
    """Runs last: what is left of memory and counts belongs to the cards named, or is a card without a name."""

    def __init__(self, patterns: Patterns, sizes: frozenset[float]) -> None:
        self.patterns = patterns
        self.sizes = sizes  # GB in which cards are sold

    def bind(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        self._nameless(low, found, free)
        self._loose_count(low, found, free)
        self._memory(low, found, free)

    def _nameless(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`8张80G的卡`, `24G显存`: cards told by their memory alone."""
        for start, end, count, memory, used in (*self._cards_of_memory(low), *self._pairs(low, free)):
            inside = any(g.start < end and start < g.end for g in (*found.gpus, *found.excluded))
            if inside or used <= found.used or count <= 0:
                continue
            found.used |= used
            if any(g.base for g in found.gpus):
                each = count == found.gpus_per_node  # `each has 8 80GB GPUs`: the count of all is known
                found.gpus = [_sized(g, g.count if each and g.count else count, memory) for g in found.gpus]
            else:
                found.gpus.append(GpuSpan(start, end, None, memory, None, count))
        if any(g.base or g.memory_gb for g in found.gpus):
            return
        for number in free:
            if number.unit == "memory" and number.start not in found.used and self._is_card_memory(low, number):
                found.used.add(number.start)
                cards = found.gpus[0].count if found.gpus else self._single(low, number)
                found.gpus = [GpuSpan(number.start, number.end, None, number.value, None, cards)]
                return

    def _cards_of_memory(self, low: str) -> list[tuple[int, int, int, float, set[int]]]:
        """(start, end, count, GB, starts of the numbers) of `8*80G`, `8张80G`, `8 GPUs with 24GB`."""
        return [
            (m.start(), m.end(), int(m.group(1)), float(m.group(2)), {m.start(1), m.start(2)})
            for m in self.patterns["cards_of_memory"].finditer(low)
            if not self.patterns["total_left"].search(low[max(0, m.start(2) - 8) : m.start(2)])
        ]

    def _pairs(self, low: str, free: Sequence[Number]) -> list[tuple[int, int, int, float, set[int]]]:
        """The same with counts in words: `两张80G`, `two 24GB cards`."""
        return [
            (count.start, memory.end, int(count.value), memory.value, {count.start, memory.start})
            for count, memory in pairwise(free)
            if memory.unit == "memory"
            and count.word
            and count.unit in ("card", "")
            and count.whole
            and self.patterns["count_to_memory"].fullmatch(low[count.end : memory.start])
        ]

    def _single(self, low: str, number: Number) -> int | None:
        article = self.patterns["one_article"].search(low[max(0, number.start - 14) : number.start])
        before = low[max(0, number.start - 10) : number.start]
        if self.patterns["how_many_before"].search(before[-5:]) or self.patterns["at_least"].search(before):
            return None
        single = self.patterns["single_card_of_memory"].match(low, number.end) and not self.patterns["listing"].search(low)
        return 1 if article or single else None

    def _is_card_memory(self, low: str, number: Number) -> bool:
        before, end = low[max(0, number.start - 24) : number.start], number.end
        if not 1 <= number.value <= 1000 or self.patterns["host_left"].search(before):
            return False
        catalog = self.patterns["vram_left"].search(before) or (
            self.patterns["listing"].search(low) and self.patterns["at_least"].search(before)
        )
        if catalog and self.patterns["listing"].search(low):
            return True
        if self.patterns["need_right"].match(low, end) or (self.patterns["need_left"].search(before) and not catalog):
            return False
        if self.patterns["memory_of_something"].match(low[end:]):
            return False
        if self.patterns["vram_right"].match(low, end):
            return True
        if self.patterns["host_right"].match(low, end):
            return False
        enough = self.patterns["enough_after"].match(low[end:])
        return bool(
            catalog
            or enough
            or self.patterns["into"].search(before)
            or (number.value in self.sizes and _AT_END.match(low, end))
            or (
                self.patterns["have"].search(before)
                and (number.value in self.sizes or self.patterns["card_word"].search(low))
            )
        )

    def _loose_count(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """A count of cards that stands apart from the name."""
        loose = [
            n for n in free
            if n.unit == "card" and n.start not in found.used and n.whole and not n.scale and not n.glued
            and low[n.end - 1 : n.end] not in ("x", "路") and n.value > 0
            and not self.patterns["than_before"].search(low[max(0, n.start - 10) : n.start])
        ]  # fmt: skip
        none = [n for n in free if n.unit == "card" and n.value <= 0 and n.start not in found.used and not n.glued]
        found.impossible += [("gpus", low[n.start : n.end]) for n in none]
        if not loose:
            return
        open_ = [i for i, g in enumerate(found.gpus) if g.count is None]
        if open_ and len(open_) == len(found.gpus):
            for i in open_:
                found.gpus[i] = replace(found.gpus[i], count=int(loose[0].value))
        elif not found.gpus and not found.excluded:
            if loose[0].value > 10**7:
                found.impossible.append(("gpus", low[loose[0].start : loose[0].end]))
            found.gpus = [GpuSpan(loose[0].start, loose[0].end, None, None, None, int(loose[0].value))]
        elif len(found.gpus) == 1 and "呢" in low:
            more = [
                n for n in loose if _ELLIPSIS.search(low[max(0, n.start - 2) : n.start]) and n.start > found.gpus[0].start
            ]
            found.gpus += [replace(found.gpus[0], count=int(n.value)) for n in more]
        found.used |= {n.start for n in loose}

    def _memory(self, low: str, found: Binding, free: Iterable[Number]) -> None:
        """Totals and sizes that stand apart from the name."""
        for number in free:
            if number.unit != "memory" or number.start in found.used or number.scale:
                continue
            before = low[max(0, number.start - 12) : number.start]
            total = self.patterns["total_left"].search(before) or self.patterns["total_right"].match(low, number.end)
            each = self.patterns["each_left"].search(before)
            for i, gpu in enumerate(found.gpus):
                if gpu.memory_gb is not None:
                    continue
                if total and gpu.count and gpu.count > 1 and number.value % gpu.count == 0:
                    found.gpus[i] = replace(gpu, memory_gb=number.value / gpu.count)
                    found.used.add(number.start)
                elif each and not total:
                    found.gpus[i] = replace(gpu, memory_gb=number.value)
                    found.used.add(number.start)


def _sized(gpu: GpuSpan, count: int, memory_gb: float) -> GpuSpan:
    """The named card with this count and memory, where it does not say otherwise."""
    agrees = gpu.memory_gb in (None, memory_gb) and gpu.count in (None, count)
    return replace(gpu, memory_gb=memory_gb, count=count) if agrees else gpu
