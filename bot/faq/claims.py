"""The statements of the source articles, each with a verdict and its evidence: `knowledge/claims/`.

Claims back rules, corrections and entries; no answer needs all of them, so they are read when one is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from pydantic import Field, model_validator

from bot.answer import Bilingual, Source
from bot.errors import KnowledgeError, UnknownName
from bot.faq.sources import Fact, SourceRecord, load_sources
from bot.folder import Folder, validate_item

ClaimVerdict = Literal[
    "confirmed", "confirmed-with-conditions", "contradicted", "internally-inconsistent",
    "unverifiable", "outdated", "opinion",
]  # fmt: skip
EvidenceKind = Literal["primary", "secondary", "computed", "background", "search-gap"]

# What may be shown only together with what corrects it.
NEEDS_CORRECTION: frozenset[ClaimVerdict] = frozenset({"contradicted", "internally-inconsistent", "outdated"})


class Words(Fact):
    """The same words in both languages."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)

    def as_bilingual(self) -> Bilingual:
        return Bilingual(self.en, self.zh)


class Quantity(Fact):
    """A figure or a range with its unit, and what it is a figure of."""

    value: float | str | None = None
    min: float | None = None
    max: float | None = None
    unit: str
    of: str = ""


class Evidence(Fact):
    """What one source says about a claim."""

    source: str  # key of sources.yaml
    kind: EvidenceKind
    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)


class Claim(Fact):
    id: str = Field(pattern=r"^C\d{3}-\d{2,3}$")
    article: str  # title
    section: str  # its heading
    topic: str
    claim: Words
    verdict: ClaimVerdict
    caveat: Words | None = None  # what to say with it; None only where the claim holds as it stands
    claimed: tuple[Quantity, ...] = ()
    corrected: tuple[Quantity, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @model_validator(mode="after")
    def _judged_in_words(self) -> Claim:
        if self.caveat is None and self.verdict != "confirmed":
            raise ValueError(f"caveat: a claim that is {self.verdict} needs the words that go with it")
        if self.verdict not in ("opinion",) and not self.evidence:
            raise ValueError("evidence: at least one entry")
        return self

    @property
    def needs_correction(self) -> bool:
        return self.verdict in NEEDS_CORRECTION


@dataclass(frozen=True)
class Claims:
    """All claims by id, with the sources they name."""

    folder: Folder

    @cached_property
    def by_id(self) -> dict[str, Claim]:
        return _read_claims(self.folder)

    @cached_property
    def sources(self) -> dict[str, SourceRecord]:
        return load_sources(self.folder)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.by_id.values())

    def claim(self, claim_id: str) -> Claim:
        found = self.by_id.get(claim_id)
        if found is None:
            raise UnknownName("claim", claim_id)
        return found

    def sources_of(self, *claim_ids: str) -> tuple[Source, ...]:
        """The pages behind the claims, each once; arithmetic and searches without result are no pages."""
        keys = {e.source: None for claim_id in claim_ids for e in self.claim(claim_id).evidence}
        return tuple(self.sources[key].as_source() for key in keys if self.sources[key].url)


@lru_cache(maxsize=4)
def load_claims(folder: Folder) -> Claims:
    """The claims, read on first use; see `check_claims` for what is validated."""
    return Claims(folder)


def check_claims(folder: Folder) -> list[str]:
    """Every problem of `claims/` and `sources.yaml`, as `file:line field: what`; empty when all is well."""
    claims, problems = Claims(folder), []
    for part in ("sources", "by_id"):
        try:
            getattr(claims, part)
        except KnowledgeError as exc:
            problems += exc.problems
    if problems:
        return problems
    for claim in claims:
        where = f"claims {claim.id}"
        problems += [
            f"{where} evidence: no source has the id {e.source!r}" for e in claim.evidence if e.source not in claims.sources
        ]
        problems += [f"{where} conflicts_with: unknown claim {c!r}" for c in claim.conflicts_with if c not in claims.by_id]
    return problems


def _read_claims(folder: Folder) -> dict[str, Claim]:
    found: dict[str, Claim] = {}
    problems: list[str] = []
    for name in folder.names("claims/*.yaml"):
        document = folder.yaml(name)
        for values in document.get("claims", ()):
            item = {**values, "article": document.get("article")}
            claim = validate_item(folder, name, str(values.get("id")), item, Claim, problems=problems)
            if claim and claim.id in found:
                problems.append(f"{folder.place(name, claim.id)} id: {claim.id} is used twice")
            elif claim:
                found[claim.id] = claim
    if problems:
        raise KnowledgeError(problems)
    return found
