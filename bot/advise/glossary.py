"""What is X? Definitions of `knowledge/glossary.yaml`, for messages that ask for a term and nothing else."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import Field

from bot.advise.context import AdviceContext
from bot.answer import Answer, Bilingual, Source, say
from bot.catalog.specs import normal_key
from bot.errors import KnowledgeError
from bot.faq.claims import load_claims
from bot.faq.sources import Fact
from bot.folder import Folder, validate_item
from bot.question import Question

_WIDTH = re.compile(r"\b(?:[BT]?FP?|INT)?\d{1,2}(?:[- ]bit)?\b")  # widths of formats are names, not figures
_FIGURE = re.compile(r"\d{2}|\d\.\d")
_LONGEST = 60  # characters; a longer message asks for more than a definition
_FIRST_EN, _FIRST_ZH = re.compile(r"(?<=[.])\s+(?=[A-Z0-9])"), re.compile(r"(?<=。)")
_EDGES = " \t?？!！。.,，:：\"'“”‘’请问那呢啊呀"


class Term(Fact):
    """A term: its spellings, the one shown first, and its definition in both languages."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    names: tuple[str, ...] = Field(min_length=1)
    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)
    sources: tuple[str, ...] = ()


class Glossary(Fact):
    """`knowledge/glossary.yaml`."""

    asks: tuple[str, ...]
    leads: tuple[str, ...] = ()  # words before the question proper: and, so, 那么
    terms: tuple[Term, ...]

    def find(self, message: str, *, alone: bool = True) -> Term | None:
        """The term that the message asks for: "what is MFU", MFU 是什么, or with `alone` the term and nothing else."""
        if len(message) > _LONGEST:
            return None
        asked = self._without_lead(message.strip(_EDGES))
        found = (self._by_name(_inside(ask, asked)) for ask in self.asks)
        return next((term for term in found if term), self._by_name(asked) if alone else None)

    def _without_lead(self, message: str) -> str:
        lead = next((word for word in self.leads if message.casefold().startswith(word)), "")
        return message[len(lead) :].strip(_EDGES)

    def _by_name(self, name: str | None) -> Term | None:
        key = normal_key(name.strip(_EDGES)) if name else ""
        return next((term for term in self.terms if key and key in {normal_key(n) for n in term.names}), None)


def _inside(ask: str, message: str) -> str | None:
    """What stands for {term} in the message, if the rest agrees."""
    before, _, after = (re.escape(part.strip()) for part in ask.partition("{term}"))
    found = re.fullmatch(rf"{before}\s*(.{{1,40}}?)\s*{after}", message, re.IGNORECASE)
    return found[1] if found else None


def answer_term(question: Question, context: AdviceContext) -> Answer | None:
    """The definition, or None where the message asks for something else.

    A term alone that fills a slot ("QLoRA") is an answer to a question back or a follow-up, not a question.
    """
    if len(question.text) > _LONGEST:
        return None
    term = load_glossary(context.folder).find(question.text, alone=not question.slots.stated())
    if term is None:
        return None
    first, rest = _first_sentence(term)
    return Answer(
        question=question,
        headline=say("glossary.term", name=term.names[0], text=first),
        language=question.language,
        answered_from="faq",
        body=(rest,) if rest else (),
        sources=sources_of(term, context.folder),
    )


def _first_sentence(term: Term) -> tuple[Bilingual, Bilingual | None]:
    """The first sentence, and the rest; the whole where one language has a single sentence."""
    en, zh = _FIRST_EN.split(term.en, maxsplit=1), _FIRST_ZH.split(term.zh.rstrip(), maxsplit=1)
    if len(en) < 2 or len(zh) < 2 or not zh[1]:
        return Bilingual(term.en, term.zh), None
    return Bilingual(en[0], zh[0]), Bilingual(en[1], zh[1])


def sources_of(term: Term, folder: Folder) -> tuple[Source, ...]:
    known = load_claims(folder).sources
    return tuple(known[key].as_source() for key in term.sources)


@lru_cache(maxsize=4)
def load_glossary(folder: Folder) -> Glossary:
    """Raises KnowledgeError naming file, line and field."""
    problems: list[str] = []
    glossary = validate_item(folder, "glossary.yaml", "terms", folder.yaml("glossary.yaml"), Glossary, problems=problems)
    if glossary is None:
        raise KnowledgeError(problems)
    return glossary


def check_glossary(folder: Folder) -> list[str]:
    """Every problem of the glossary: its records, names used twice, unknown sources, figures without a source."""
    try:
        glossary = load_glossary(folder)
    except KnowledgeError as exc:
        return exc.problems
    known = load_claims(folder).sources
    seen: dict[str, str] = {}
    problems: list[str] = []
    for term in glossary.terms:
        place = folder.place("glossary.yaml", term.id)
        problems += [f"{place} names: {n!r} is a name of {seen[k]} too" for n in term.names if (k := normal_key(n)) in seen]
        seen.update({normal_key(name): term.id for name in term.names})
        problems += [f"{place} sources: unknown source {key!r}" for key in term.sources if key not in known]
        if _FIGURE.search(_WIDTH.sub("", term.en)) and not term.sources:
            problems.append(f"{place} sources: a definition with figures needs a source")
    return problems
