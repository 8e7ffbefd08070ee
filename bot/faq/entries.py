"""FAQ entries: one Markdown file each, front matter for data and one part of prose a language.

knowledge/faq/nvlink.md
---
id: F-nvlink
question: {en: …, zh: …}
paraphrases: {en: […], zh: […]}    # how people ask it; the search learns from them
caveat: {en: …, zh: …}             # optional
claims: [C000-32, …]               # statements that the entry confirms or corrects
compute: bandwidth of the cards    # optional: what the estimator answers instead, when the slots suffice
entities: [A100, H100]             # the GPUs and model sizes it is about; empty: about any
origin: article                    # or beyond: what teams ask besides
sources: [{title: …, url: …, read_on: 2026-11-30, standing: vendor-doc}]
---
## en
…
## zh
…
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_args

from bot.answer import Bilingual, Source, Standing
from bot.errors import KnowledgeError
from bot.folder import Folder, Row
from bot.question import Intent

PATTERN = "faq/*.md"
LANGUAGES = ("en", "zh")
_PART = re.compile(r"^## (en|zh)\s*$", re.MULTILINE)
_FIGURE = re.compile(r"\d")
_KNOWN = frozenset({"id", "question", "paraphrases", "caveat", "claims", "compute", "entities", "origin", "sources"})
_ORIGINS = ("article", "beyond")
_STANDINGS = get_args(Standing)


@dataclass(frozen=True, slots=True)
class FaqEntry:
    """One question with its corrected answer, in both languages."""

    id: str
    question: Bilingual
    answer: Bilingual
    paraphrases: Mapping[str, tuple[str, ...]]
    caveat: Bilingual | None = None
    claims: tuple[str, ...] = ()
    compute: Intent | None = None
    entities: tuple[str, ...] = ()
    origin: str = "article"
    sources: tuple[Source, ...] = ()

    def asked(self) -> tuple[tuple[str, str], ...]:
        """(language, wording) of the question itself and of every paraphrase."""
        own = (("en", self.question.en), ("zh", self.question.zh))
        return own + tuple((language, text) for language in LANGUAGES for text in self.paraphrases.get(language, ()))


def source_files(folder: Folder) -> list[Path]:
    """Every file that the search is built from, in all layers."""
    patterns = (PATTERN, "lexicon/synonyms.yaml", "gpus.csv")
    return [path for layer in folder.layers for pattern in patterns for path in sorted(layer.glob(pattern))]


def load_entry(folder: Folder, key: str) -> FaqEntry:
    """One entry from its own file, which bears its id."""
    for row, body in folder.markdown(f"faq/{_file_name(key)}"):
        return _entry(row.values, body)
    raise KnowledgeError([f"knowledge/faq/{_file_name(key)}: missing"])


def load_entries(folder: Folder) -> tuple[FaqEntry, ...]:
    """Every entry, by file name. Raises KnowledgeError with all faults found, by file, line and field."""
    problems: list[str] = []
    entries: list[FaqEntry] = []
    for row, body in folder.markdown(PATTERN):
        faults = list(_faults(row, body))
        problems += [f"{row.file}:{_line(folder, row, field)} {field}: {what}" for field, what in faults]
        if not faults:
            entries.append(_entry(row.values, body))
    if problems:
        raise KnowledgeError(problems)
    return tuple(entries)


def _line(folder: Folder, row: Row, field: str) -> int:
    """The line on which a field of the front matter begins; 1 where it is missing."""
    name = Path(row.file).name
    path = next(place for layer in reversed(folder.layers) if (place := layer / "faq" / name).is_file())
    start = re.split(r"[.\[ ]", field)[0] + ":"
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.startswith(start)), 1)


def unknown_claims(entries: Iterable[FaqEntry], claim_ids: frozenset[str]) -> list[str]:
    """A line for each claim id that no claim has, for `knowledge check`."""
    return [
        f"knowledge/faq/{_file_name(entry.id)} claims: no claim has the id {claim}"
        for entry in entries
        for claim in entry.claims
        if claim not in claim_ids
    ]


def _file_name(key: str) -> str:
    return f"{key.removeprefix('F-')}.md"


def _entry(front: dict[str, Any], body: str) -> FaqEntry:
    parts = _parts(body)
    return FaqEntry(
        id=front["id"],
        question=Bilingual(**front["question"]),
        answer=Bilingual(en=parts["en"], zh=parts["zh"]),
        paraphrases={language: tuple(map(str, texts or ())) for language, texts in (front.get("paraphrases") or {}).items()},
        caveat=Bilingual(**front["caveat"]) if front.get("caveat") else None,
        claims=tuple(front.get("claims") or ()),
        compute=Intent(front["compute"]) if front.get("compute") else None,
        entities=tuple(front.get("entities") or ()),
        origin=front.get("origin", "article"),
        sources=tuple(Source(**{**source, "read_on": _day(source.get("read_on"))}) for source in front.get("sources") or ()),
    )


def _day(value: object) -> date | None:
    """The day of `2026-11-30`; None for anything else."""
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def _parts(body: str) -> dict[str, str]:
    pieces = _PART.split(body)
    return {language: text.strip() for language, text in zip(pieces[1::2], pieces[2::2], strict=False)}


def _faults(row: Row, body: str) -> Iterable[tuple[str, str]]:
    """(field, what is wrong) for one file."""
    front = row.values
    if not isinstance(front, dict):
        yield "front matter", "a mapping is expected"
        return
    for field in sorted(set(front) - _KNOWN):
        yield field, "unknown field"
    yield from _value_faults(row, front)
    for field, needed in (("question", True), ("paraphrases", True), ("caveat", False)):
        yield from _language_faults(field, front.get(field), needed=needed)
    parts = _parts(body)
    for language in LANGUAGES:
        if not parts.get(language):
            yield "body", f"the part '## {language}' is missing or empty"
    sources = front.get("sources") or ()
    for number, source in enumerate(sources, 1):
        yield from _source_faults(f"sources[{number}]", source)
    if not sources and any(_FIGURE.search(text) for text in parts.values()):
        yield "sources", "the answer shows figures, so a source is needed"


def _value_faults(row: Row, front: dict[str, Any]) -> Iterable[tuple[str, str]]:
    key = str(front.get("id", ""))
    if not key.startswith("F-"):
        yield "id", f"an id that begins with F- is expected (got {front.get('id')!r})"
    elif not row.file.endswith(f"/{_file_name(key)}"):
        yield "id", f"{key} belongs in {_file_name(key)}"
    if front.get("origin", "article") not in _ORIGINS:
        yield "origin", f"one of {', '.join(_ORIGINS)} is expected (got {front['origin']!r})"
    if front.get("compute") and front["compute"] not in list(Intent):
        yield "compute", f"the name of an intent is expected (got {front['compute']!r})"


def _language_faults(field: str, value: object, *, needed: bool) -> Iterable[tuple[str, str]]:
    if value is None and not needed:
        return
    if not isinstance(value, dict):
        yield field, "a mapping with en and zh is expected"
        return
    for language in LANGUAGES:
        if not value.get(language):
            yield f"{field}.{language}", "missing"
    for extra in sorted(set(value) - set(LANGUAGES)):
        yield f"{field}.{extra}", "only en and zh are known"


def _source_faults(place: str, source: object) -> Iterable[tuple[str, str]]:
    if not isinstance(source, dict) or not source.get("title"):
        yield f"{place} title", "missing"
        return
    for field in sorted(set(source) - {"title", "url", "read_on", "standing"}):
        yield f"{place} {field}", "unknown field"
    standing = source.get("standing")
    if standing not in _STANDINGS:
        yield f"{place} standing", f"one of {', '.join(_STANDINGS)} is expected (got {standing!r})"
    if source.get("read_on") is not None and _day(source["read_on"]) is None:
        yield f"{place} read_on", f"a date is expected (got {source['read_on']!r})"
    if source.get("url") and source.get("read_on") is None and standing not in ("recalled", "derived", "assumed"):
        yield f"{place} read_on", "the day on which the page was opened is missing (or the standing is recalled)"
