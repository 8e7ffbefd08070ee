"""Nodes and the cards of each: `2机16卡`, `4 nodes of 8`, `8卡机器两台`, `(1 node = 8 gpus) … 4 nodes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.understand.bound import Binding
from bot.understand.gpus import GpuSpan
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns


class NodeBinder:
    """Finds nodes after the counts beside names are bound, and makes the counts totals."""

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns

    def bind(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`2机16卡`, `4 nodes of 8`, `8卡机器两台`, `(1 node = 8 gpus) … 4 nodes`."""
        if not any(n.unit == "node" for n in free):
            self._each_node(low, found, free)
        if found.nodes is not None and found.gpus_per_node is None:
            self._each_of_these(low, found, free)
        nodes = [n for n in free if n.unit == "node" and n.start not in found.used and n.whole and 0 < n.value < 100000]
        if not nodes or found.nodes is not None:
            return
        if self._asks_nodes(low, found, nodes, free):
            return
        counts = [n for n in free if n.unit in ("card", "") and n.whole and n.value > 0 and not n.scale]
        per_node = next(
            (
                c
                for c in counts
                if self.patterns["per_node"].match(low, c.end)
                or self.patterns["per_node"].search(low[max(0, c.start - 4) : c.start])
            ),
            None,
        )
        equals = self.patterns["one_node_is"].search(low)
        chosen = max(nodes, key=lambda n: n.value)
        if equals or (per_node and per_node.unit):
            each = int(equals.group(1)) if equals else int(per_node.value) if per_node else 0
            self._set_nodes(found, int(chosen.value), each, each * int(chosen.value))
            found.used |= {n.start for n in counts if n.unit == "card"}
            return
        for number in nodes:
            for count in counts:
                gap = low[number.end : count.start] if count.start >= number.end else None
                back = low[count.end : number.start] if count.end <= number.start else None
                beside = gap is not None and self.patterns["node_to_cards"].fullmatch(gap)
                reverse = back is not None and self._reverse(low, found, count, back)
                if (beside and (count.unit == "card" or self._is_count(found, count))) or reverse:
                    found.used |= {number.start, count.start}
                    explicit = (
                        bool(reverse)
                        or "x" in (gap or "")
                        or "*" in (gap or "")
                        or "每" in (gap or "")
                        or "each" in low[count.end : count.end + 12]
                    )
                    total, cards = _total(int(number.value), int(count.value), low[number.start : number.end], explicit)
                    self._set_nodes(found, int(number.value), cards, total)
                    return
        found.nodes = int(chosen.value)
        found.used.add(chosen.start)

    def _asks_nodes(self, low: str, found: Binding, nodes: Sequence[Number], free: Sequence[Number]) -> bool:
        """`要几台机器，8卡一台`: the nodes are asked for, one of them is described."""
        if len(nodes) > 1 or nodes[0].value != 1 or not self.patterns["how_many_nodes"].search(low):
            return False
        each = next((n for n in free if n.unit == "card" and n.whole and 0 <= nodes[0].start - n.end <= 2), None)
        if each is None:
            return False
        found.used |= {each.start, nodes[0].start}
        found.gpus_per_node = int(each.value)
        found.gpus = [replace(g, count=None) if g.count == each.value else g for g in found.gpus]
        return True

    def _each_of_these(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`three A100 nodes …, each has 8 80GB GPUs`: cards of the nodes that are counted already."""
        each = next((n for n in free if self.patterns["each_has"].search(low[max(0, n.start - 18) : n.start])), None)
        if each is not None and each.whole and each.value > 0 and found.nodes and each.unit in ("", "card"):
            found.used.add(each.start)
            self._set_nodes(found, found.nodes, int(each.value), int(each.value) * found.nodes)

    def _each_node(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`每台4卡呢`: cards of a node where the nodes are not said."""
        for count in free:
            beside = self.patterns["each_node"].search(low[max(0, count.start - 6) : count.start]) or self.patterns[
                "per_node"
            ].match(low, count.end)
            if count.unit == "card" and count.start not in found.used and count.whole and beside:
                found.gpus_per_node = int(count.value)
                found.used.add(count.start)
                return

    def _reverse(self, low: str, found: Binding, count: Number, back: str) -> bool:
        if count.unit == "card" and self.patterns["cards_to_node"].fullmatch(back):
            return True
        owner = next((g for g in found.gpus if count.start in found.used and count.end <= g.start), None)
        return bool(owner and self.patterns["after_owner"].fullmatch(low[owner.end : count.end + len(back)]))

    def _is_count(self, found: Binding, number: Number) -> bool:
        return number.start in found.used

    def _set_nodes(self, found: Binding, nodes: int, each: int | None, total: int) -> None:
        found.nodes, found.gpus_per_node = nodes, each
        if len(found.gpus) == 1 or (found.gpus and all(g.count == found.gpus[0].count for g in found.gpus)):
            found.gpus = [replace(g, count=total) for g in found.gpus]
        elif not found.gpus:
            found.gpus = [GpuSpan(0, 0, None, None, None, total)]


def _total(nodes: int, count: int, node_words: str, explicit: bool) -> tuple[int, int | None]:
    """(all cards, cards a node). `2机16卡` are 16 in all, `两台8卡` 8 each, `2机2卡` one each."""
    by_machine = node_words.endswith("机")
    whole = count % nodes == 0
    if not explicit and nodes > 1 and whole and (count > 8 or (by_machine and count < 8)):
        return count, count // nodes
    return nodes * count, count
