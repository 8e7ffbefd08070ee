"""Names of models: families, variants and sizes of the lexicon and the catalog, and the slot that a reading becomes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bot.catalog.specs import Specs
from bot.question import ModelSlot
from bot.understand.lexicon import Lexicon
from bot.understand.numbers import tidy
from bot.understand.typos import SpellingTable

_ACTIVE_SIZE = re.compile(r"-A(\d+(?:\.\d+)?)B")
_TOTAL_SIZE = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)([BMbm])(?![A-Za-z])")


@dataclass(frozen=True)
class Family:
    """A line of models.yaml."""

    name: str
    spell: str
    versions: tuple[str, ...] = ()
    glue: bool = False
    sizes: Mapping[str, float] = field(default_factory=dict)
    total: Mapping[str, float] = field(default_factory=dict)
    needs: str | None = None
    hidden: bool = False
    distill: bool = False


@dataclass(frozen=True, slots=True)
class ModelSpan:
    """A model at [start, end) of the text. `family` None: a bare size."""

    start: int
    end: int
    family: str | None = None
    version: str = ""
    size_b: float | None = None
    size_word: str = ""  # 7B, 8x7B, 125M as it goes into the name
    active_b: float | None = None
    pre: tuple[str, ...] = ()
    post: tuple[str, ...] = ()
    exact: str | None = None  # a name of the catalog, as it is
    known: bool = True


@dataclass
class ModelNames:
    """Families, variants and sizes that make a name, from the lexicon and the catalog."""

    families: dict[str, Family]
    variants: dict[str, tuple[str, str, bool]]  # spelling -> (canonical, pre or post, may follow a blank)
    silent: frozenset[str]
    expand: Mapping[str, str]
    known: Mapping[str, Sequence[float | None]]
    alone: Mapping[float, str]
    mixtures: Mapping[str, str]
    specs: Specs

    @cached_property
    def family_of_word(self) -> dict[str, str]:
        return {s.strip(): f.name for f in self.families.values() for s in f.spell.split("|") if f.needs is None}

    @cached_property
    def spelling(self) -> SpellingTable:
        return SpellingTable(self.family_of_word)

    @cached_property
    def variant_pattern(self) -> re.Pattern[str]:
        words = sorted((*self.variants, *self.silent), key=len, reverse=True)
        return re.compile(rf"(?P<word>{'|'.join(re.escape(w) for w in words)})(?![a-z0-9])")

    def slot(self, span: ModelSpan) -> ModelSlot:
        """The normalised name with total and active parameters in 1e9."""
        if span.family is None and span.exact is None:
            name = self.mixtures.get(span.size_word.lower().removesuffix("b")) or self.alone.get(span.size_b or 0.0)
            return self._sized(name, None, None) if name else ModelSlot(None, _whole(span.size_b), span.active_b)
        if span.exact is not None:
            return self._sized("-".join([span.exact, *span.post]), _size_in(span.exact), span.active_b, span.exact)
        family = self.families.get(span.family or "")
        if family is None:
            return ModelSlot(span.family, _whole(span.size_b), span.active_b)
        return self._of_family(family, span)

    def _of_family(self, family: Family, span: ModelSpan) -> ModelSlot:
        total = family.total.get(span.version)
        size, word = span.size_b, span.size_word
        if size is None and span.version in family.sizes:
            size = family.sizes[span.version]
            word = f"{size:g}B"
        if size is not None and total is not None and abs(size - total) <= 0.05 * total:
            size, word = total, ""
        head = family.name
        if size is not None and total is not None and word and family.distill:
            head, total = f"{family.name}-Distill", None
        if span.version:
            head += span.version if family.glue else f"-{span.version}"
        stem = "-".join(part for part in (head, *span.pre, word) if part)
        if span.active_b:
            stem += f"-A{span.active_b:g}B"
        if family.hidden and size is not None and not span.version and stem not in self.expand:
            return ModelSlot(None, _whole(size), span.active_b)
        stem = self.expand.get(stem, stem)
        return self._sized("-".join([stem, *span.post]), size if size is not None else total, span.active_b, stem)

    def _sized(self, name: str, size: float | None, active: float | None, stem: str | None = None) -> ModelSlot:
        """Sizes of the lexicon or the catalog where the text does not give them."""
        stem = stem or name
        known = self.known.get(stem)
        if known:
            return ModelSlot(name, _whole(known[0]), _whole(known[1]))
        spec = self.specs.find_model(stem)
        inside = _size_in(stem) or size
        if spec is not None:
            said = inside or (
                spec.params_b if any(char.isdigit() for char in stem) else None
            )  # Qwen-VL names a line, not a size
            total = spec.params_b if "x" in stem.split("-")[-1].lower() else said
            written = _ACTIVE_SIZE.search(stem)
            return ModelSlot(name, _whole(total), float(written.group(1)) if written else (active or spec.active_params_b))
        written = _ACTIVE_SIZE.search(stem)
        return ModelSlot(name, _whole(inside), float(written.group(1)) if written else active)


def _size_in(name: str) -> float | None:
    """70 of `Llama-3-70B`, 0.36 of `SmolLM2-360M`; not the 3 of A3B."""
    found = _TOTAL_SIZE.search(name)
    if not found:
        return None
    return float(found.group(1)) / (1000 if found.group(2) in "Mm" else 1)


def _whole(value: float | None) -> float | None:
    return None if value is None else tidy(value)


def model_names(lexicon: Lexicon, specs: Specs, words: Mapping[str, Any]) -> ModelNames:
    """Families and catalog names into the lexicon; the grammar's tables out."""
    families: dict[str, Family] = {}
    for row in words["families"]:
        given = {k: v for k, v in row.items() if k in Family.__dataclass_fields__}
        given["versions"] = tuple(str(given.get("versions", "")).split())
        for key in ("sizes", "total"):
            given[key] = {str(k): float(v) for k, v in given.get(key, {}).items()}
        family = Family(**given)
        families[family.name] = family
        lexicon.add(family.spell, "family", family.name)
    spelled = {s.strip() for family in families.values() for s in family.spell.split("|")}
    spelled |= {word.strip() for word in words["not_names"].split("|")}
    for model in specs.models:
        basename = (model.hf_id.split("/")[-1],) if model.hf_id and "/" in model.hf_id else ()
        for alias in (model.name, *model.aliases, *basename):
            plain = alias.casefold()
            if (
                len(alias) > 3
                and plain not in spelled
                and (any(char.isdigit() for char in alias) or len(alias) > 4 or "-" in alias)
            ):
                lexicon.add(
                    [re.sub(r"[\s\-_]+", "~", re.sub(r"[{}|~()]", "", alias))],
                    "model",
                    alias if alias.casefold().startswith(model.name.casefold()) else model.name,
                )
    lexicon.add(words["closed"], "closed", "model")
    lexicon.add(words["not_models"], "family", "")
    loose = set(words["loose"].split())
    variants = {
        spelling.strip(): (canonical, place, spelling.strip() in loose)
        for place in ("pre", "post")
        for canonical, spellings in words["variants"][place].items()
        for spelling in spellings.split("|")
    }
    silent = frozenset(word.strip() for word in words["silent"].split("|"))
    return ModelNames(families, variants, silent, words["expand"], words["known"],
                      {float(k): v for k, v in words["alone"].items()}, words["mixtures"], specs)  # fmt: skip
