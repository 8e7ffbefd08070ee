"""Model names in a text: family, version, size and variants, in the order that people write them.

`qwen2.5-vl-72b-instruct-awq`, `72B的qwen`, `Llama 3.2 Vision 11B`, `llama 7/13/70b` are read by one small grammar over
the families of `knowledge/lexicon/models.yaml`; names of the catalog count exactly as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.understand.lexicon import Mention, longest
from bot.understand.model_names import ModelNames, ModelSpan
from bot.understand.patterns import Patterns

_SIZE = re.compile(
    r"(?P<experts>\d{1,2})\s?[x*]\s?(?P<each>\d{1,3}(?:\.\d)?)\s?b(?![a-z0-9])"
    r"|(?P<size>\d{1,9}(?:\.\d{1,3})?)\s?b(?P<tenth>\d)?(?![a-z0-9])(?!\s?(?:token|tok(?![a-z])|个token|数据))"
    r"|(?P<millions>\d{2,4})m(?![a-z0-9])"
    r"|(?P<hundred_millions>\d{1,5}(?:\.\d)?)\s?亿(?!\s?(?:token|个token|词|条|样本|元))"
)
_ACTIVE = re.compile(r"a(\d{1,3}(?:\.\d{1,2})?)b(?![a-z0-9])")
_EXPERTS = re.compile(r"(?:\d{1,3}e|e\d{1,2}b)(?![a-z0-9])")
_VERSION = re.compile(
    r"v?(\d{1,2}(?:\.\d{1,2})?n?)(?![\d.]*\d)(?!\s?(?:b(?![a-z])|[x*/]\s?\d|[xX*]|张|块|卡|个|台|gpu|card|node|%|亿|k(?![a-z])|bit|g(?![a-z])|gb))"
)
_DATE = re.compile(r"(?:v\d(?:\.\d{1,2})?|\d{4}|v\d\.\d|\d{2}-\d{2})(?![a-z0-9.])")
_SEPARATOR = re.compile(r"[\-_/:.]|\s?[(]\s?| ?- ?| |(?:的|模型|版本?|大模型|系列)\s?")
_LIST = re.compile(
    r"(?P<first>\d{1,4}(?:\.\d{1,2})?)\s?b?(?P<rest>(?:\s?[/、,]\s?\d{1,4}(?:\.\d{1,2})?\s?b?){1,6})(?<=b)(?![a-z0-9])(?!\s?token)"
)
_SETTING = re.compile(  # `TP=8, 72b`: the 8 is no size
    r"(?:=|(?<![a-z])(?:[tpdes]p|bs|batch(?:[ _]size)?|rank|stage|zero|epochs?|seq(?:[ _]?len)?|len(?:gth)?)[\s:]?)\s?$"
)
_BEFORE_SIZE = re.compile(r"(?<![a-z0-9])([a-z]{4,12})(?=[\s\-]?(?:v?\d{1,3}(?:\.\d)?\s?b?(?![a-z0-9])|r1|v[23]))")
_MINUS = re.compile(r"(?:^|[^\x00-\x7f]|[\s(])-$")
_SIZE_NEXT = re.compile(r"-\d{1,5}b(?![a-z0-9])")
_ORG = re.compile(r"(?:-ai)?/$")
_UNKNOWN_NAME = re.compile(r"(?<![a-z0-9.])([a-z][a-z0-9.]{1,24}(?:-[a-z][a-z0-9.]{0,12}){0,2})-$")


class ModelFinder:
    """Reads the models of a text; `names` are the tables of the grammar."""

    def __init__(self, names: ModelNames, patterns: Patterns) -> None:
        self.names = names
        self.patterns = patterns

    def find(self, low: str, mentions: Sequence[Mention], taken: Iterable[tuple[int, int]]) -> list[ModelSpan]:
        """Models in order of mention: families with their sizes, then bare sizes, lists written out."""
        families = longest(m for m in mentions if m.kind == "family")
        families = sorted([*families, *self._misspelt(low, mentions)], key=lambda m: m.start)
        exact = {m.start: m for m in longest(m for m in mentions if m.kind == "model")}
        spans: list[ModelSpan] = []
        for mention in families:
            if not mention.value or (spans and mention.start < spans[-1].end):
                continue
            span = self._read(low, mention, exact.get(mention.start))
            if span is None or _ORG.match(low[span.end : span.end + 4]):
                continue
            spans.append(span)
        for start, mention in exact.items():
            if all(mention.end <= s.start or s.end <= start for s in spans):
                spans.append(self._tail(low, ModelSpan(start, mention.end, None, exact=mention.value)))
        spans.sort(key=lambda s: s.start)
        return _inherited(self._with_sizes(low, spans, list(taken)))

    def _misspelt(self, low: str, mentions: Sequence[Mention]) -> list[Mention]:
        """`deepseak r1`, `llma2 7b`: an unknown word right before a version or a size, one slip from a family."""
        out = []
        for match in _BEFORE_SIZE.finditer(low):
            if any(m.start <= match.start() < m.end for m in mentions):
                continue
            word = self.names.spelling.correct(match.group(1))
            if word:
                out.append(Mention(match.start(1), match.end(1), "family", self.names.family_of_word[word]))
        return out

    def _read(self, low: str, mention: Mention, exact: Mention | None) -> ModelSpan | None:
        family = self.names.families[mention.value]
        span = self._tail(low, ModelSpan(mention.start, mention.end, family.name))
        listed = _LIST.search(low, span.end, span.end + 24)
        in_list = listed is not None and exact is not None and listed.start() < exact.end
        if exact is not None and exact.end >= span.end and not in_list and self._says_less(span, exact):
            return self._tail(low, ModelSpan(mention.start, exact.end, None, exact=exact.value))
        if family.needs == "size" and span.size_b is None:
            return None
        if family.needs == "version" and span.size_b is None and not span.version:
            return None
        return span

    def _says_less(self, span: ModelSpan, exact: Mention) -> bool:
        """The grammar's name is not the model that the catalog has under these very words."""
        specs = self.names.specs
        name = self.names.slot(span).name
        return name is None or specs.find_model(name) is not specs.find_model(exact.value)

    def _tail(self, low: str, span: ModelSpan) -> ModelSpan:
        """What follows a family: version, size, active size, variants, with their separators."""
        for _ in range(8):
            separator = _SEPARATOR.match(low, span.end)
            grown = None
            for at in dict.fromkeys((span.end, separator.end() if separator else span.end)):
                touching = at == span.end or low[at - 1] in "-_/:.("
                grown = self._piece(low, span, at, touching)
                if grown:
                    break
            if grown is None:
                return span
            span = replace(
                grown, end=grown.end + (low[grown.end : grown.end + 1] == ")" and "(" in low[span.end : grown.end])
            )
        return span

    def _piece(self, low: str, span: ModelSpan, at: int, touching: bool) -> ModelSpan | None:
        family = self.names.families.get(span.family or "")
        if family and not span.version and span.size_b is None:
            version = _VERSION.match(low, at)
            if version and version.group(1) in family.versions:
                return replace(span, end=version.end(), version=version.group(1))
            if version and touching and family.versions and _SIZE_NEXT.match(low, version.end()):
                return replace(span, end=version.end(), version=version.group(1), known=False)  # LLaMA-5-900B
        if span.size_b is None and span.exact is None and not _LIST.match(low, at):
            size = _SIZE.match(low, at)
            if size and not (size["hundred_millions"] and not touching and at - span.end > 3):
                value, word = _size(size)
                return replace(span, end=size.end(), size_b=value, size_word=word)
        active = _ACTIVE.match(low, at)
        if active and touching and span.active_b is None:
            return replace(span, end=active.end(), active_b=float(active.group(1)))
        found = self.names.variant_pattern.match(low, at)
        if found and found["word"] in self.names.variants:
            canonical, place, loose = self.names.variants[found["word"]]
            if (touching or loose) and canonical not in span.pre + span.post:
                if place == "pre" and not span.exact:
                    return replace(span, end=found.end(), pre=(*span.pre, canonical))
                return replace(span, end=found.end(), post=(*span.post, canonical))
        dated = _DATE.match(low, at) if span.size_b else None
        silent = found or _EXPERTS.match(low, at) or dated
        return replace(span, end=silent.end()) if touching and silent else None

    def _with_sizes(self, low: str, spans: list[ModelSpan], taken: list[tuple[int, int]]) -> list[ModelSpan]:
        """Bare sizes joined to the family beside them, lists written out, the rest as nameless models."""
        for match in _LIST.finditer(low):
            if _free(match.span(), spans, taken) and not _SETTING.search(low, max(0, match.start() - 12), match.start()):
                spans = self._list(match, spans)
        for match in _SIZE.finditer(low):
            if match["millions"] or match["hundred_millions"] or not _free(match.span(), spans, taken):
                continue
            if match.start() and (low[match.start() - 1].isdigit() or low[match.start() - 1] in ".$¥€"):
                continue
            spans = self._bare(low, match, spans)
        return sorted(spans, key=lambda s: s.start)

    def _list(self, match: re.Match[str], spans: list[ModelSpan]) -> list[ModelSpan]:
        """`llama 7/13/70b`: the family for each size."""
        owner = next((s for s in spans if s.size_b is None and 0 <= match.start() - s.end <= 2), None)
        items = [
            (m.start() + match.start(), m.end() + match.start(), float(m.group(1)))
            for m in re.finditer(r"(\d+(?:\.\d+)?)\s?b?", match.group())
        ]
        made = [replace(owner or ModelSpan(0, 0), start=a, end=b, size_b=v, size_word=f"{v:g}B") for a, b, v in items]
        if owner is not None and made:
            made[0] = replace(made[0], start=owner.start)
        return [s for s in spans if s is not owner] + made

    def _bare(self, low: str, match: re.Match[str], spans: list[ModelSpan]) -> list[ModelSpan]:
        value, word = _size(match)
        if _MINUS.search(low[max(0, match.start() - 2) : match.start()]):
            return [*spans, ModelSpan(match.start() - 1, match.end(), None, size_b=-value, size_word=f"-{word}")]
        bare = ModelSpan(match.start(), match.end(), None, size_b=value, size_word=word)
        for span in spans:
            sizeless = span.family and span.size_b is None and not self._has_total(span)
            gap_after = low[match.end() : span.start] if match.end() <= span.start else None
            if sizeless and gap_after is not None and self.patterns["link_to_family"].fullmatch(gap_after):
                merged = replace(span, start=match.start(), size_b=value, size_word=word)
                return [merged if s is span else s for s in spans]
            gap = low[span.end : match.start()] if span.end <= match.start() else None
            if sizeless and gap is not None and len(gap) <= 12 and self.patterns["link_to_size"].fullmatch(gap):
                merged = self._tail(low, replace(span, end=match.end(), size_b=value, size_word=word))
                return [merged if s is span else s for s in spans]
            if (
                span.family
                and span.size_b is not None
                and gap is not None
                and len(gap) <= 8
                and self.patterns["next_in_list"].fullmatch(gap)
            ):
                next_ = replace(
                    span, start=match.start(), end=match.end(), size_b=value, size_word=word, active_b=None, post=()
                )
                return [*spans, self._tail(low, next_)]
        if self.patterns["distilled"].match(low, match.end()):
            return [*spans, replace(bare, family="DeepSeek-R1-Distill")]
        unknown = self._unknown_name(low, match.start())
        if unknown:
            return [
                *spans,
                self._tail(low, replace(bare, start=match.start() - len(unknown) - 1, family=unknown, known=False)),
            ]
        tail = self._tail(low, replace(bare, exact=""))  # variants may follow: `72B-Chat`
        return [*spans, replace(bare, end=max(bare.end, tail.end) if tail.post else bare.end, active_b=tail.active_b)]

    def _has_total(self, span: ModelSpan) -> bool:
        family = self.names.families.get(span.family or "")
        return bool(family and span.version in family.sizes)

    def _unknown_name(self, low: str, at: int) -> str | None:
        """`foo` of `foo-13b`: a name that no family has; words of the language are no names."""
        match = _UNKNOWN_NAME.search(low[max(0, at - 48) : at])
        if not match or self.patterns["not_a_name"].match(match.group(1)) or match.group(1).isdigit():
            return None
        return match.group(1)


def _inherited(spans: list[ModelSpan]) -> list[ModelSpan]:
    """`qwen-72b-chat … qwen1.5`: another version named without a size has the size and variant of the first."""
    out: list[ModelSpan] = []
    for span in spans:
        first = next((s for s in out if s.family and s.family == span.family and s.size_b), None)
        other = first is not None and span.size_b is None and span.version and span.version != first.version
        if first is not None and other:
            out.append(replace(span, size_b=first.size_b, size_word=first.size_word, post=span.post or first.post))
        else:
            out.append(span)
    return out


def _size(match: re.Match[str]) -> tuple[float, str]:
    """(1e9 parameters, the word of the name)."""
    if match["experts"]:
        return float(match["experts"]) * float(match["each"]), f"{match['experts']}x{match['each']}B"
    if match["millions"]:
        return float(match["millions"]) / 1000, f"{match['millions']}M"
    if match["hundred_millions"]:
        value = float(match["hundred_millions"]) / 10
        return value, f"{value:g}B"
    value = float(match["size"])
    if match["tenth"]:
        return value + int(match["tenth"]) / 10, f"{match['size']}B{match['tenth']}"
    return value, f"{value:g}B"


def _free(span: tuple[int, int], spans: Iterable[ModelSpan], taken: Iterable[tuple[int, int]]) -> bool:
    start, end = span
    return all(end <= s.start or s.end <= start for s in spans) and all(end <= a or b <= start for a, b in taken)
