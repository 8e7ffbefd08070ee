"""Figures and statements of a message that are known to be wrong or conditional, put right in one line each.

Sums are done again from the numbers in the message, specifications are compared with the catalog, and statements of the
source articles are answered with what the claims say of them. What is right is never corrected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache

from pydantic import Field

from bot.advise.context import AdviceContext
from bot.advise.correction import Correction
from bot.advise.figures import Reading
from bot.advise.ratios import ratio_corrections
from bot.advise.spec_checks import spec_corrections
from bot.advise.sums import sum_corrections
from bot.advise.vocabulary import says_in
from bot.answer import Say, Source, say
from bot.errors import KnowledgeError
from bot.faq.claims import load_claims
from bot.faq.sources import Fact
from bot.folder import Folder, validate_item
from bot.question import Question

_SHOWN = 2


class ClaimPattern(Fact):
    """How a claim is recognised: a phrase of every group of `all`, none of `unless`."""

    id: str
    all: tuple[tuple[str, ...], ...] = Field(min_length=2)
    unless: tuple[str, ...] = ()
    computed: str | None = None  # the check that says it better


class CorrectionData(Fact):
    """`knowledge/corrections.yaml`."""

    units: dict[str, list[str]]
    numerals: dict[str, float]
    words: dict[str, list[str] | dict[str, list[str]]]
    claims: tuple[ClaimPattern, ...]

    def phrases(self) -> dict[str, list[str]]:
        return {name: phrases for name, phrases in self.words.items() if isinstance(phrases, list)}

    def grouped(self, name: str) -> dict[str, list[str]]:
        """Word lists that are kept together under one name: `precisions`, `shares`."""
        named = self.words[name]
        return named if isinstance(named, dict) else {}


def corrections(question: Question, context: AdviceContext, *, settled: Collection[str] = ()) -> tuple[Say, ...]:
    """One line for each thing put right, at most two; claims that are `settled` (by the entry shown) are left to it.

    The value `claims` of each line names what it settles in turn, so that no caveat repeats it.
    """
    found = find_corrections(question, context)
    open_ones = (c for c in found if not settled or c.kind not in settled)
    return tuple(replace(c.text, values={**c.text.values, "claims": c.claims}) for c in open_ones)


def find_corrections(question: Question, context: AdviceContext) -> tuple[Correction, ...]:
    """The same with what each rests on; sums and catalog first, then the claims they do not cover."""
    data = load_correction_data(context.folder)
    found: dict[str, Correction] = {}
    if any(character.isdigit() for character in question.text):
        for correction in _computed(question, context, data):
            found.setdefault(correction.kind, correction)
    else:
        # Ratios may be said in words alone: seven times, 七倍.
        found = {c.kind: c for c in ratio_corrections(_reading(question, context, data), question, context)}
    for correction in _stated_claims(question, context, data, set(found)):
        found.setdefault(correction.kind, correction)
    return tuple(found.values())[:_SHOWN]


def sources_of(correction: Correction, context: AdviceContext) -> tuple[Source, ...]:
    """The pages behind a correction: rows of the catalog, sources it names, and those of its claims."""
    claims = load_claims(context.folder)
    named = tuple(claims.sources[key].as_source() for key in correction.sources)
    return correction.records + named + claims.sources_of(*correction.claims)


def _computed(question: Question, context: AdviceContext, data: CorrectionData) -> Iterator[Correction]:
    reading = _reading(question, context, data)
    yield from spec_corrections(reading, data.grouped("precisions"))
    yield from ratio_corrections(reading, question, context)
    yield from sum_corrections(reading, question)


def _reading(question: Question, context: AdviceContext, data: CorrectionData) -> Reading:
    return Reading(question.text, context.specs, data.units, data.phrases(), data.numerals)


def _stated_claims(
    question: Question, context: AdviceContext, data: CorrectionData, computed: set[str]
) -> Iterator[Correction]:
    says = says_in(question.text)
    for pattern in data.claims:
        if pattern.computed in computed or says(*pattern.unless) or not all(says(*group) for group in pattern.all):
            continue
        claim = load_claims(context.folder).claim(pattern.id)
        if claim.caveat is not None:
            values = {"claim": claim.claim.as_bilingual(), "caveat": claim.caveat.as_bilingual()}
            yield Correction(claim.id, say("corrections.claim", **values), (claim.id,))


@lru_cache(maxsize=4)
def load_correction_data(folder: Folder) -> CorrectionData:
    """Raises KnowledgeError naming file, line and field."""
    problems: list[str] = []
    data = validate_item(
        folder, "corrections.yaml", "claims", folder.yaml("corrections.yaml"), CorrectionData, problems=problems
    )
    if data is None:
        raise KnowledgeError(problems)
    return data


def check_corrections(folder: Folder) -> list[str]:
    """Every problem of `corrections.yaml`: its record, unknown claims, and wrong claims that no pattern recognises."""
    try:
        data = load_correction_data(folder)
    except KnowledgeError as exc:
        return exc.problems
    claims, known = load_claims(folder), {pattern.id for pattern in data.claims}
    problems = [
        f"{folder.place('corrections.yaml', i)} id: unknown claim {i!r}" for i in sorted(known - claims.by_id.keys())
    ]
    problems += [
        f"corrections.yaml claims: nothing recognises {c.id}" for c in claims if c.needs_correction and c.id not in known
    ]
    return problems
