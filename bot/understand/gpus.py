"""GPU names in a text: base name, memory and form factor, in any order and spelling.

`A100-SXM4-80GB`, `80g a100 sxm`, `A100(80G) SXM` all read as base A100, 80 GB, SXM. Names come from the catalog; how
people shorten them is `knowledge/lexicon/gpus.yaml`. There is no fuzzy match: A10, A100 and A800 are one letter apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from bot.catalog.specs import Specs
from bot.question import GpuSlot
from bot.understand.lexicon import Lexicon, Mention, longest
from bot.understand.numbers import tidy

_NAME = re.compile(r"^(?P<base>.+?)(?:-(?P<memory>\d+)G)?(?:-(?P<form>SXM|PCIe|NVL))?$")
_FORM_WORD = re.compile(r"sxm|pcie|nvl(?!ink)", re.IGNORECASE)
_MEMORY_WORD = re.compile(r"\d+\s?g(?:b|ib)?(?![a-z])", re.IGNORECASE)

MEMORY_RIGHT = re.compile(
    r"(?:'?s(?![a-z]))?[\s\-_(\[,、]{0,2}(?:的|with |w/ ?|显存|vram |mobile |laptop |移动版|笔记本)?\s?"
    r"(\d{1,3}(?:\.\d{1,2})?)\s?(?:g|gb|gib|gig|gigs)(?![a-z0-9/])"
    r"(?!\s?(?:内存|ram|of ram|ddr|system|host|硬盘|or \d|/ ?\d|total|in total|combined|总))[\])]?"
)
_CARDS_TIMES_MEMORY = re.compile(r"[\s(]{0,2}(\d{1,4})\s?[x*]\s?(\d{1,3})\s?(?:g|gb|gib)(?![a-z0-9])\)?")
_FORM_RIGHT = re.compile(r"[\s\-_(]{0,2}(sxm\d?|pcie|pci-e|nvl)(?![a-z])(?!\s?(?:or|还是)\s?oam)\)?", re.IGNORECASE)
_MEMORY_LEFT = re.compile(
    r"(?<!or )(?<!还是)(?<![a-wyz0-9.])(\d{1,3}(?:\.\d{1,2})?)\s?(?:g|gb|gib)s?"
    r"[\s\-_]?(?:显存|vram|memory|版本|版|of vram)?(?:的)?[\s\-_]?$"
)
_FORM_LEFT = re.compile(r"(?<![a-z])(sxm\d?|pcie|nvl)[\s\-_]?(?:版本|版|version)?(?:的)?\s?$", re.IGNORECASE)
_PLAIN_NUMBER_AFTER = re.compile(
    r"\s?(?:tok|元|块钱|条|step|sample|步|mb|ms(?![a-z])|epoch|刀|人(?!民)|次|美元|美金|users|qps|字|词|rows|images|%)"
)
_PLAIN_NUMBER_BEFORE = re.compile(r"(?:[$¥€=#]|len|length|长度|端口|port|seq|cutoff|ctx|上下文|第)\s?[:=]?\s?$")
_CONFUSABLE = str.maketrans({"o": "0", "l": "1", "i": "1"})
_TOKEN = re.compile(r"(?<![a-z0-9])[a-z0-9]{2,12}(?![a-z0-9])")
_UNKNOWN = re.compile(
    r"(?<![a-z0-9])(?:(?:nvidia |geforce )?(?:rtx|gtx)[\s\-]?\d{4}(?:[\s\-]?(?:ti|super|d))?(?![a-z0-9])(?:[\s\-]super)?"
    r"|[abh]\d{3,4}(?![a-z0-9.\-]))"
)
_JOINT = re.compile(r"\s?(?:vs\.?|or|and|versus|还是|和|跟|与|对比|比|或)\s?(?:the )?")
_FORMS = {"sxm": "SXM", "pci": "PCIe", "nvl": "NVL"}


@dataclass(frozen=True, slots=True)
class GpuSpan:
    """A GPU name at [start, end) of the text, memory and form included; the count is bound later."""

    start: int
    end: int
    base: str | None
    memory_gb: float | None = None
    form: str | None = None
    count: int | None = None
    name_start: int = 0
    words: str = ""

    @property
    def same(self) -> tuple[str | None, float | None, str | None]:
        return self.base, self.memory_gb, self.form


@dataclass
class GpuNames:
    """Base names of the catalog with their sizes and forms, and the slot that a reading of one becomes."""

    memory: dict[str, float | None] = field(default_factory=dict)

    def slot(self, span: GpuSpan) -> GpuSlot:
        """`A100`, 80, None is `A100-80G`; a card of one size keeps its name and takes its memory from the catalog."""
        if span.base is None:
            return GpuSlot(None, None if span.memory_gb is None else tidy(span.memory_gb), span.count, span.form)
        name = span.base
        if span.memory_gb is not None and f"{name}-{span.memory_gb:g}G" in self.memory:
            name = f"{name}-{span.memory_gb:g}G"
        if span.form and f"{name}-{span.form}" in self.memory:
            name = f"{name}-{span.form}"
        memory = span.memory_gb if span.memory_gb is not None else self.memory.get(name)
        return GpuSlot(name, None if memory is None else tidy(memory), span.count, span.form)

    def split(self, name: str) -> tuple[str, float | None, str | None]:
        """(base, memory in the name, form in the name)."""
        match = _NAME.match(name)
        assert match is not None  # the pattern accepts every non-empty text
        memory = match["memory"]
        return match["base"], float(memory) if memory else None, match["form"]


def gpu_names(specs: Specs) -> GpuNames:
    """Every name that a slot can hold, with the memory that it alone tells (None where it does not)."""
    names = GpuNames()
    for gpu in specs.gpus:
        names.memory[gpu.name] = gpu.memory_gb if gpu.memory_by_name else None
        base, memory, form = names.split(gpu.name)
        if memory:
            names.memory.setdefault(f"{base}-{memory:g}G", memory)
        if form:
            names.memory.setdefault(base, None)
            names.memory.setdefault(f"{base}-{form}", gpu.memory_gb if not memory else None)
    for family in specs.families:
        names.memory[family.name] = family.memory_gb
    return names


def add_gpus(lexicon: Lexicon, specs: Specs, names: GpuNames, words: Mapping[str, object]) -> None:
    """All spellings of all cards. The value of a mention is `base|memory|form`, with what its words say and no more."""
    parts = str(words["parts"]).split()
    dropped = set(str(words["dropped"]).split())
    read_as: Mapping[str, str] = words["read_as"]  # type: ignore[assignment]
    refused = {phrase.strip().lower() for phrase in str(words["not_names"]).split("|")}
    named = [(family.name, (family.name, *family.aliases)) for family in specs.families]
    named += [(gpu.name, (gpu.name, gpu.title, *gpu.aliases)) for gpu in specs.gpus]
    for name, aliases in named:
        base, memory, form = names.split(name)
        base = read_as.get(base, base)
        for alias in aliases:
            if alias.lower() in refused or len(alias) < 2:
                continue
            says_memory = memory if _MEMORY_WORD.search(alias) else None
            says_form = form if _FORM_WORD.search(alias) else None
            lexicon.add([_phrase(alias)], "gpu", _value(base, says_memory, says_form))
        for spelling in _spellings(base, parts, dropped):
            if spelling not in refused:
                lexicon.add([spelling], "gpu", _value(base, None, None))
    for kind in ("same", "never_sold"):
        entries = words[kind]
        assert isinstance(entries, Mapping)
        for base, phrases in entries.items():
            lexicon.add(str(phrases), "gpu", _value(str(base), None, None))


def _value(base: str, memory: float | None, form: str | None) -> str:
    return f"{base}|{memory or ''}|{form or ''}"


def _phrase(alias: str) -> str:
    """Blanks and hyphens of an alias are optional; braces and the like are not syntax here."""
    return re.sub(r"[\s\-_]+", "~", re.sub(r"[{}|~(),]", " ", alias).strip()).lower()


def _spellings(base: str, parts: list[str], dropped: set[str]) -> Iterable[str]:
    words = re.findall("|".join(sorted(parts, key=len, reverse=True)) + r"|[^\s\-]+?(?=Ti|Super|Ada|D$|$|-)", base) or [base]
    yield "~".join(words).lower()
    if words[0] in dropped and len(words) > 1 and any(char.isdigit() for char in words[1]) and words[1:] != ["2080"]:
        yield "~".join(words[1:]).lower()


def find_gpus(low: str, mentions: Iterable[Mention], known: Mapping[str, str]) -> list[GpuSpan]:
    """GPU names in order, memory and form absorbed. `known`: every plain spelling, to fold `H1OO` into `H100`."""
    named = [m for m in longest(mentions) if not _is_plain_number(low, m)]
    named += _confusables(low, named, known)
    spans: list[GpuSpan] = []
    for mention in sorted(named, key=lambda m: m.start):
        base, memory, form = mention.value.split("|")
        span = GpuSpan(mention.start, mention.end, base, float(memory) if memory else None, form or None,
                       name_start=mention.start, words=low[mention.start : mention.end])  # fmt: skip
        floor = spans[-1].end if spans else 0
        spans.append(_absorb_left(low, _absorb_right(low, span), floor))
        spans += _other_variant(low, spans[-1])
    return spans


def _other_variant(low: str, span: GpuSpan) -> list[GpuSpan]:
    """`A100 40G vs 80G`, `H100 PCIe or SXM`: the same card in another size or form."""
    joint = _JOINT.match(low, span.end)
    if joint is None:
        return []
    start = joint.end() - 1 if low[joint.end() - 1 : joint.end()] == " " else joint.end()
    form = _FORM_RIGHT.match(low, start) if span.form else None
    if form and _FORMS[form.group(1).lower()[:3]] != span.form:
        return [replace(span, start=joint.end(), end=form.end(), form=_FORMS[form.group(1).lower()[:3]], count=None)]
    memory = MEMORY_RIGHT.match(low, start) if span.memory_gb and not span.form else None
    if memory and float(memory.group(1)) not in (0, span.memory_gb):
        return [replace(span, start=joint.end(), end=memory.end(), memory_gb=float(memory.group(1)), count=None)]
    return []


def unknown_gpus(low: str, spans: Iterable[GpuSpan]) -> list[tuple[int, str]]:
    """(start, words) of what looks like a card but are none of the catalog: `rtx 9090 super`."""
    taken = [(s.start, s.end) for s in spans]
    return [
        (m.start(), m.group()) for m in _UNKNOWN.finditer(low) if not any(a < m.end() and m.start() < b for a, b in taken)
    ]


def _is_plain_number(low: str, mention: Mention) -> bool:
    """`4090` before a unit or after a label or currency is just a number."""
    if not low[mention.start : mention.end].isdigit():
        return False
    before = low[max(0, mention.start - 12) : mention.start]
    return bool(_PLAIN_NUMBER_AFTER.match(low, mention.end) or _PLAIN_NUMBER_BEFORE.search(before))


def _confusables(low: str, named: list[Mention], known: Mapping[str, str]) -> list[Mention]:
    """The letter O for zero and l or I for one, only in a token with a digit that then equals a name."""
    out = []
    for match in _TOKEN.finditer(low):
        token = match.group()
        folded = token.translate(_CONFUSABLE)
        if folded == token or token in known or token == "h2o" or not any(c.isdigit() for c in token):
            continue
        folded = token[0] + folded[1:] if token[0].isalpha() else folded
        if folded in known and not any(m.start < match.end() and match.start() < m.end for m in named):
            out.append(Mention(match.start(), match.end(), "gpu", known[folded]))
    return out


def _absorb_right(low: str, span: GpuSpan) -> GpuSpan:
    for _ in range(3):
        form = None if span.form else _FORM_RIGHT.match(low, span.end)
        if form:
            span = replace(span, end=form.end(), form=_FORMS[form.group(1).lower()[:3]])
            continue
        times = None if span.memory_gb else _CARDS_TIMES_MEMORY.match(low, span.end)
        if times:
            return replace(span, end=times.end(), memory_gb=float(times.group(2)), count=int(times.group(1)))
        memory = None if span.memory_gb else MEMORY_RIGHT.match(low, span.end)
        if memory is None or float(memory.group(1)) == 0:
            return span
        span = replace(span, end=memory.end(), memory_gb=float(memory.group(1)))
    return span


def _absorb_left(low: str, span: GpuSpan, floor: int) -> GpuSpan:
    window = low[max(floor, span.start - 24) : span.start]
    form = None if span.form else _FORM_LEFT.search(window)
    if form:
        span = replace(span, start=span.start - len(window) + form.start(), form=_FORMS[form.group(1).lower()[:3]])
        window = window[: form.start()]
    memory = None if span.memory_gb else _MEMORY_LEFT.search(window)
    if memory and float(memory.group(1)) > 0:
        span = replace(span, start=span.start - len(window) + memory.start(), memory_gb=float(memory.group(1)))
    return span
