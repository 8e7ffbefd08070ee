"""Counts, nodes and memory to the cards they belong to, and which cards the question is about.

`两台8卡A800` is 2 nodes of 8, 16 in all; `4张V100一共128G` 32 GB each; `我没有H100` names a card that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.understand.gpus import _MEMORY_RIGHT, GpuSpan
from bot.understand.lexicon import Mention
from bot.understand.numbers import Number

_TIMES_RIGHT = re.compile(r"(?:'?s)?[\s(]{0,2}[x*]\s?(\d{1,7})(?![\d.]|\s?(?:gb?|gib)(?![a-z]))\)?")
_GAP_RIGHT = re.compile(r"(?:'?s)?[\s,(:的上有用]{0,3}(?:服务器|机器|集群|显卡|gpus?|cards?|卡|cluster of)?[\s,(x*]{0,2}")
_NODE_TO_CARDS = re.compile(
    r"[\s,(:]{0,3}(?:的|每台|每机|每个?节点|with|of|x|\*|each with|each having|服务器|机器|=|,|有|各|each|have|has|dgx|hgx|都是)?[\s,x*]{0,2}"
)
_CARDS_TO_NODE = re.compile(
    r"(?:\s?(?:gpus?|cards?|卡|张|块|个))?[\s,(]{0,2}(?:的?服务器|的?机器|per|each|every|a|/|x|\*|,|一台|每|的|服务器|node|x)?[\s*x,]{0,2}"
)
_PER_NODE = re.compile(
    r"\s?(?:gpus?|cards?|卡|张|块)?\s?(?:per|each|every|a|/|=)\s?(?:node|machine|server|box|台|机|节点)|每(?:台|机|个?节点)$"
)
_EACH_NODE = re.compile(r"(?:每台|每机|每个?节点|单机|per node|each node(?: has)?)\s?$")
_ARTICLE = re.compile(r"(?:^|[^a-z])(?:a|an|my|another|one of my|the single|our one)\s$")
_PLURAL = re.compile(r"'?s(?![a-z0-9])")
_INTO = re.compile(
    r"(?:fit|fits|fitting|squeeze|cram|run|runs)(?:ting)? (?:it |this |that )?(?:in|into|on|within|inside)(?: just| only)?\s?$|(?:装进|放进|塞进|塞到|挤进)\s?$"
)
_ASKED_NODES = re.compile(r"(?:nodes?|machines?|servers?|boxes) (?:of|with)\s?$|(?:几|多少)(?:台|个?节点|机)\s?$")
_GPU_HOURS = re.compile(r"[\s\-]?(?:gpu[\s\-]?)?(?:hours|hrs|hour|小时|卡时|days)(?![a-z])")
_LISTING = re.compile(
    r"(?:which|list|show|find|any|哪些|有没有|什么|几款).{0,24}(?:gpu|card|卡)|gpus? (?:with|under|over|having|that)|cards? (?:with|that)|anything with|something with|instances? with"
)
_TIMES = re.compile(r"^\s?[x*]|\s[x*]\s")
_OF_SOME_KIND = re.compile(r"[^,;。!?\n]{0,14}的\s?")
_ELLIPSIS = re.compile(r"[,、和或]\s?$")
_CARDS_OF_MEMORY = re.compile(
    r"(?<![\d.a-z])(\d{1,5})\s?(?:[x*]| (?=\d{2,3}\s?gb? gpus?)|张|块|卡|个|片|cards? (?:of|with)|gpus? (?:of|with)|x )\s?(?:每张|每卡|单卡)?\s?"
    r"(\d{1,3}(?:\.\d)?)\s?(?:g|gb|gib)(?![a-z0-9/])"
)
_SINGLE_CARD_OF_MEMORY = re.compile(r"\s?(?:显存)?的?(?:单卡|显卡|卡)(?!都|们|s)")


@dataclass
class BindingWords:
    """Small patterns made of the lexicon's lists."""

    gap_left: re.Pattern[str]
    alternatives: re.Pattern[str]
    cluster: re.Pattern[str]
    vram_right: re.Pattern[str]
    vram_left: re.Pattern[str]
    host_right: re.Pattern[str]
    host_left: re.Pattern[str]
    need_left: re.Pattern[str]
    need_right: re.Pattern[str]
    total_left: re.Pattern[str]
    total_right: re.Pattern[str]
    each_left: re.Pattern[str]
    roles: Mapping[str, re.Pattern[str]]


@dataclass
class Binding:
    """What the words about hardware say together."""

    gpus: list[GpuSpan] = field(default_factory=list)
    excluded: list[GpuSpan] = field(default_factory=list)
    nodes: int | None = None
    gpus_per_node: int | None = None
    used: set[int] = field(default_factory=set)  # starts of the numbers that are spoken for
    impossible: list[tuple[str, str]] = field(default_factory=list)  # (slot, words)


def binding_words(words: Mapping[str, object]) -> BindingWords:
    def alternatives(name: str) -> str:
        from bot.understand.lexicon import spellings

        phrases = {s for phrase in str(words[name]).split("|") for s in spellings(phrase.strip().strip('"').lower())}
        return "|".join(re.escape(p).replace(r"\ ", r"\s") for p in sorted(phrases, key=len, reverse=True) if p)

    def before(name: str, gap: str) -> re.Pattern[str]:
        return re.compile(rf"(?:^|(?<![a-z有]))(?:{alternatives(name)}){gap}$")

    gap = r"[\s\d.,x*张块卡个几台:的有了就是]{0,8}(?:a |an |any |enough |access to |one |the |single |多|那么多|足够的|单|两|一|gb?|的)?[\s\d.gb的x*张块卡]{0,8}"
    return BindingWords(
        gap_left=re.compile(rf"[\s*x\-(]*(?:(?:{alternatives('fillers')}|{alternatives('brands')})[\s\-]*){{0,4}}"),
        alternatives=re.compile(rf"\s?(?:{alternatives('alternatives')})\s?(?:an? )?"),
        cluster=re.compile(rf"(?:'?s)?\s?(?:{alternatives('cluster')})(?![a-z])"),
        vram_right=re.compile(rf"b?\s?-?(?:及?以[上下内])?(?:的|of )?\s?(?:{alternatives('vram')})(?![a-z])"),
        vram_left=re.compile(rf"(?:{alternatives('vram')})(?:\s?(?:is|are|has|have|having|with|of|only|有|是|为|只有|大小|:|=|that have|at least|>=|and|over|more than|不低于|大于|至少|超过|above|都是|each|can be|>)){{0,3}}\s?$"),
        host_right=re.compile(rf"b?\s?(?:的|of )?\s?(?:{alternatives('host')}|memory(?!\s?bandwidth))(?![a-z])"),
        host_left=re.compile(rf"(?<![vg])(?<!u )(?:{alternatives('host')})\s?(?:有|是|为|只有|is|of|:|=)?\s?$"),
        need_left=re.compile(rf"(?:{alternatives('need')})\s?(?:大概|大约|约|about|around|~|up to|at least|至少|最少|了|到|至|only|just|我|差不多)?\s?$"),
        need_right=re.compile(r"\s?b?\s?(?:gb)?(?:显存|vram)?\s?(?:就行|就够|左右|以上才|is needed|are needed|needed|required|都不止|理论值|是理论)"),
        total_left=re.compile(rf"(?:{alternatives('total')})\s?(?:有|是|为|才|只有|of|:)?\s?$"),
        total_right=re.compile(rf"b?\s?(?:的|of )?\s?(?:显存|vram|memory|gpu memory)?\s?(?:{alternatives('total')})(?![a-z])"),
        each_left=re.compile(rf"(?:{alternatives('each')})\s?(?:有|是|只有|显存|:)?\s?$"),
        roles={name: before(name, gap) for name in ("absent_before", "quoted_before", "distractor_before")}
        | {"absent_after": re.compile(rf"(?:'?s)?[\s,]?(?:都|也|就|已经|是|根本|完全|反正)?(?:{alternatives('absent_after')})(?!\s?(?:fp|bf|int|nvlink|flash|tf|吗|么|不))")},
    )  # fmt: skip


class Binder:
    """Binds in a fixed order: left counts, right counts, nodes, memory, roles; each number once."""

    def __init__(self, words: BindingWords) -> None:
        self.words = words

    def bind(self, low: str, spans: Sequence[GpuSpan], numbers: Sequence[Number], mentions: Sequence[Mention]) -> Binding:
        found = Binding(list(spans))
        free = [n for n in numbers if not any(s.start < n.end and n.start < s.end for s in spans)]
        for index in range(len(found.gpus)):
            self._count_left(low, found, index, free)
        for index in range(len(found.gpus)):
            self._count_right(low, found, index, free)
        self._share_count(low, found)
        self._one_each(low, found)
        self._exclude(low, found, mentions)
        self._nodes(low, found, free)
        self._nameless(low, found, free)
        self._loose_count(low, found, free)
        self._memory(low, found, free)
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
                number.unit == "card" and low[number.end - 1] in "张块个片" or low[number.end : number.end + 1] == "个"
            ) and _OF_SOME_KIND.fullmatch(gap)
            if (
                number.unit not in ("", "card", "node")
                or number.scale not in ("", "k")
                or not (of_kind or self.words.gap_left.fullmatch(gap))
            ):
                break
            if number.glued and not (number.unit == "" and low[number.start - 1 : number.start] == "x"):
                break
            self._take(low, found, index, number, gap)
            return
        if _ARTICLE.search(low[max(0, span.start - 16) : span.start]) and not _PLURAL.match(low, span.end):
            found.gpus[index] = replace(span, count=1)

    def _take(self, low: str, found: Binding, index: int, number: Number, gap: str) -> None:
        span = found.gpus[index]
        found.used.add(number.start)
        words = low[number.start : span.end]
        if number.value <= 0 or not number.whole or number.value > 10**7:
            found.impossible.append(("gpus", words))
            count = int(number.value) if number.whole else None
            found.gpus[index] = replace(span, count=count)
            return
        if number.unit == "node" or (self._is_node_name(low, span) and not _TIMES.search(gap) and not number.unit):
            found.nodes = int(number.value)
            if span.count is not None:  # 96 DGX-A100 (8x40G)
                found.gpus_per_node = span.count
                found.gpus[index] = replace(span, count=span.count * found.nodes)
            return
        if not number.unit and _GPU_HOURS.match(low, span.end):
            return  # 2000 A100 hours: time, not cards
        if _ASKED_NODES.search(low[max(0, number.start - 16) : number.start]):
            found.gpus_per_node = int(number.value)  # the nodes are what is asked for
            return
        found.gpus[index] = replace(span, count=int(number.scaled() if number.scale else number.value))
        if self.words.cluster.match(low, span.end) and not _PLURAL_CLUSTER.match(low, span.end) and found.nodes is None:
            if _TIMES.search(gap):
                found.nodes, found.gpus_per_node = 1, int(number.value)

    def _is_node_name(self, low: str, span: GpuSpan) -> bool:
        before = low[max(0, span.start - 5) : span.start]
        return bool(re.search(r"(?:dgx|hgx)[\s\-]?$", before)) or bool(self.words.cluster.match(low, span.end))

    def _count_right(self, low: str, found: Binding, index: int, free: Sequence[Number]) -> None:
        span = found.gpus[index]
        if span.count is not None:
            return
        times = _TIMES_RIGHT.match(low, span.end)
        if times:
            start = times.start(1)
            if not any(
                g.start <= times.end() + 1 and start < g.start for g in found.gpus if g is not span and g.start >= span.end
            ):
                found.used.add(start)
                self._set_right(low, found, index, float(times.group(1)), times.end())
                return
        for number in free:
            if number.start < span.end or number.start in found.used or number.unit != "card":
                continue
            if _GAP_RIGHT.fullmatch(low[span.end : number.start]) and number.whole and not number.scale:
                found.used.add(number.start)
                self._set_right(low, found, index, number.value, number.end)
            return

    def _set_right(self, low: str, found: Binding, index: int, value: float, end: int) -> None:
        span = found.gpus[index]
        if value <= 0 or value > 10**7:
            found.impossible.append(("gpus", low[span.start : end]))
        memory = _MEMORY_RIGHT.match(low, end) if span.memory_gb is None else None
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
            if one.count is not None and two.count is None and self.words.alternatives.fullmatch(low[one.end : two.start]):
                found.gpus[right] = replace(two, count=one.count)

    def _one_each(self, low: str, found: Binding) -> None:
        """`5070 Ti 16GB + 5090D 32GB`: cards joined by a plus are one each."""
        for left in range(len(found.gpus) - 1):
            one, two = found.gpus[left], found.gpus[left + 1]
            if low[one.end : two.start].strip() == "+":
                found.gpus[left] = replace(one, count=one.count or 1)
                found.gpus[left + 1] = replace(two, count=two.count or 1)

    def _exclude(self, low: str, found: Binding, mentions: Sequence[Mention]) -> None:
        kept: list[GpuSpan] = []
        others = len(found.gpus) > 1 or bool(_CARDS_OF_MEMORY.search(low)) or "卡" in low
        for span in found.gpus:
            window = low[max(0, span.start - 40) : span.start]
            clause = re.split(r"[,;。!?\n]", window)[-1]
            rest = low[span.end : span.end + 24]
            roles = self.words.roles
            absent = roles["absent_before"].search(clause) or (len(found.gpus) > 1 and roles["absent_after"].match(rest))
            quoted = others and roles["quoted_before"].search(clause)
            asked = (
                others and roles["distractor_before"].search(clause) and re.search(r"[,;]\s?(?:那|but|但)", low[span.end :])
            )
            (found.excluded if absent or quoted or asked else kept).append(span)
        if not kept and found.excluded and len(found.gpus) > 1:
            kept, found.excluded = list(found.gpus), []
        found.gpus = kept

    def _nodes(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`2机16卡`, `4 nodes of 8`, `8卡机器两台`, `(1 node = 8 gpus) … 4 nodes`."""
        if not any(n.unit == "node" for n in free):
            self._each_node(low, found, free)
        nodes = [n for n in free if n.unit == "node" and n.start not in found.used and n.whole and 0 < n.value < 100000]
        if not nodes or found.nodes is not None:
            return
        counts = [n for n in free if n.unit in ("card", "") and n.whole and n.value > 0 and not n.scale]
        per_node = next(
            (c for c in counts if _PER_NODE.match(low, c.end) or _PER_NODE.search(low[max(0, c.start - 4) : c.start])), None
        )
        equals = re.search(r"(?:1|one|each|a) (?:node|machine|server)s?\s?(?:=|is|has|with|:)\s?(\d{1,2})", low)
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
                beside = gap is not None and _NODE_TO_CARDS.fullmatch(gap)
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
                    total, each = _total(int(number.value), int(count.value), low[number.start : number.end], explicit)
                    self._set_nodes(found, int(number.value), each, total)
                    return
        found.nodes = int(chosen.value)
        found.used.add(chosen.start)

    def _each_node(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`每台4卡呢`: cards of a node where the nodes are not said."""
        for count in free:
            beside = _EACH_NODE.search(low[max(0, count.start - 6) : count.start]) or _PER_NODE.match(low, count.end)
            if count.unit == "card" and count.start not in found.used and count.whole and beside:
                found.gpus_per_node = int(count.value)
                found.used.add(count.start)
                return

    def _reverse(self, low: str, found: Binding, count: Number, back: str) -> bool:
        if count.unit == "card" and _CARDS_TO_NODE.fullmatch(back):
            return True
        owner = next((g for g in found.gpus if count.start in found.used and count.end <= g.start), None)
        return bool(
            owner
            and re.fullmatch(
                r"\)?\s?(?:服务器|机器|的机器|节点|nodes?|servers?|boxes)?\s?[x*,]?\s?",
                low[owner.end : count.end + len(back)],
            )
        )

    def _is_count(self, found: Binding, number: Number) -> bool:
        return number.start in found.used

    def _set_nodes(self, found: Binding, nodes: int, each: int | None, total: int) -> None:
        found.nodes, found.gpus_per_node = nodes, each
        if len(found.gpus) == 1 or (found.gpus and all(g.count == found.gpus[0].count for g in found.gpus)):
            found.gpus = [replace(g, count=total) for g in found.gpus]
        elif not found.gpus:
            found.gpus = [GpuSpan(0, 0, None, None, None, total)]

    def _nameless(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """`8张80G的卡`, `24G显存`: cards told by their memory alone."""
        for match in _CARDS_OF_MEMORY.finditer(low):
            count, memory = int(match.group(1)), float(match.group(2))
            inside = any(g.start < match.end() and match.start() < g.end for g in (*found.gpus, *found.excluded))
            known = any(g.base for g in found.gpus)
            total_only = self.words.total_left.search(low[max(0, match.start(2) - 8) : match.start(2)])
            if inside or total_only or count == 0:
                continue
            found.used |= {match.start(1), match.start(2)}
            if known:
                found.gpus = [
                    replace(g, memory_gb=memory, count=count)
                    if g.memory_gb in (None, memory) and g.count in (None, count)
                    else g
                    for g in found.gpus
                ]
            else:
                found.gpus.append(GpuSpan(match.start(), match.end(), None, memory, None, count))
        if any(g.base or g.memory_gb for g in found.gpus):
            return
        for number in free:
            if number.unit == "memory" and number.start not in found.used and self._is_card_memory(low, number):
                found.used.add(number.start)
                count = found.gpus[0].count if found.gpus else self._single(low, number)
                found.gpus = [GpuSpan(number.start, number.end, None, number.value, None, count)]
                return

    def _single(self, low: str, number: Number) -> int | None:
        article = re.search(
            r"(?:^|[^a-z])(?:a|an|my|one|single|another) (?:single )?$", low[max(0, number.start - 14) : number.start]
        )
        single = _SINGLE_CARD_OF_MEMORY.match(low, number.end) and not _LISTING.search(low)
        return 1 if article or single else None

    def _is_card_memory(self, low: str, number: Number) -> bool:
        before, end = low[max(0, number.start - 24) : number.start], number.end
        if not 1 <= number.value <= 1000 or self.words.host_left.search(before):
            return False
        catalog = self.words.vram_left.search(before) or (
            _LISTING.search(low)
            and re.search(r"(?:at least|over|more than|with|至少|不低于|大于|以上|>=?|have)\s?$", before)
        )
        if catalog and _LISTING.search(low):
            return True
        if self.words.need_right.match(low, end) or (self.words.need_left.search(before) and not catalog):
            return False
        if re.match(r"b?\s?(?:每卡|per gpu|each|/s|per second|模型|model|数据|checkpoint)", low[end:]):
            return False
        if self.words.vram_right.match(low, end):
            return True
        if self.words.host_right.match(low, end):
            return False
        enough = re.match(
            r"\s?(?:够|不够|能|可以|行|suffice|sufficient|of vram|enough|is enough|isn't enough|is not enough|or \d|can)",
            low[end:],
        )
        return bool(
            catalog
            or enough
            or _INTO.search(before)
            or re.search(r"(?:有|with|on|用|have|我是|only)\s?$", before)
            and _mentions_card(low)
        )

    def _loose_count(self, low: str, found: Binding, free: Sequence[Number]) -> None:
        """A count of cards that stands apart from the name."""
        loose = [
            n for n in free
            if n.unit == "card" and n.start not in found.used and n.whole and not n.scale and not n.glued
            and low[n.end - 1 : n.end] not in ("x", "路") and n.value > 0
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
            total = self.words.total_left.search(before) or self.words.total_right.match(low, number.end)
            each = self.words.each_left.search(before)
            for i, gpu in enumerate(found.gpus):
                if gpu.memory_gb is not None:
                    continue
                if total and gpu.count and gpu.count > 1 and number.value % gpu.count == 0:
                    found.gpus[i] = replace(gpu, memory_gb=number.value / gpu.count)
                    found.used.add(number.start)
                elif each and not total:
                    found.gpus[i] = replace(gpu, memory_gb=number.value)
                    found.used.add(number.start)


_PLURAL_CLUSTER = re.compile(r"(?:'?s)?\s?(?:nodes|machines|servers|boxes|instances)")


def _total(nodes: int, count: int, node_words: str, explicit: bool) -> tuple[int, int | None]:
    """(all cards, cards a node). `2机16卡` are 16 in all, `两台8卡` 8 each, `2机2卡` one each."""
    by_machine = node_words.endswith("机")
    whole = count % nodes == 0
    if not explicit and nodes > 1 and whole and (count > 8 or (by_machine and count < 8)):
        return count, count // nodes
    return nodes * count, count


def _mentions_card(low: str) -> bool:
    return bool(re.search(r"显存|vram|gpu|显卡|卡|card", low))


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
