"""Rules decide caveats: when (a condition over question and answer), say (words), because (claims and sources).

The order of rules does not matter: all that hold are returned, heaviest first, and `compose` shows the first three.
A rule never breaks an answer: a condition that fails on values nobody thought of is logged, and the rule stays silent.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from jinja2 import TemplateError
from pydantic import Field

from bot.advise.conditions import evaluate, faults
from bot.advise.vocabulary import names_for, says_in
from bot.answer import Answer, Caveat, Text, say
from bot.catalog.specs import Specs
from bot.errors import KnowledgeError
from bot.faq.claims import load_claims
from bot.faq.sources import Fact
from bot.folder import Folder, validate_item
from bot.question import Action, Intent, Question

logger = logging.getLogger(__name__)

_ABOUT = frozenset({Action.ANSWER})  # courtesies, refusals and questions back carry none


class Judged(Fact):
    """A rule of thumb of the articles that this rule keeps, makes conditional or replaces."""

    was: str
    verdict: Literal["keep", "condition", "replace"]


class Rule(Fact):
    """`intents` and `words` are cheap doors before `when`: any intent, any word; empty means open."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    intents: tuple[Intent, ...] = ()
    words: tuple[str, ...] = ()
    when: str = "true"
    say: str  # key in templates/texts/rules.yaml, without the topic
    values: Mapping[str, str] = {}  # placeholders of the text, each an expression
    because: tuple[str, ...] = ()  # claim ids
    sources: tuple[str, ...] = ()  # keys of sources.yaml
    weight: int = Field(ge=1, le=100)
    judged: tuple[Judged, ...] = ()
    fires: str  # a question under whose answer the caveat belongs
    not_fires: str  # a near miss

    def expressions(self) -> dict[str, str]:
        """Every expression by the field that holds it."""
        return {"when": self.when, **{f"values.{name}": text for name, text in self.values.items()}}


@dataclass(frozen=True)
class Rules:
    """The rules in force, over the catalog that their conditions look cards and models up in."""

    rules: tuple[Rule, ...]
    specs: Specs

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @cached_property
    def by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    def fire(
        self, question: Question, answer: Answer, *, now: datetime | None = None, settled: Collection[str] = ()
    ) -> tuple[Caveat, ...]:
        """The caveats that belong under this answer, heaviest first. Without `now`, no price has an age.

        Rules that rest on a claim which is `settled` (by the entry shown, or by a correction above) stay silent.
        """
        if answer.action not in _ABOUT:
            return ()
        names = names_for(question, answer, self.specs, now)
        says = says_in(question.text)
        open_rules = (
            rule
            for rule in self.rules
            if (not rule.intents or question.intent in rule.intents) and (not rule.words or says(*rule.words))
        )
        done = corrected_claims(answer).union(settled)
        fired = [
            caveat
            for rule in open_rules
            if not done.intersection(rule.because) and (caveat := _apply(rule, names)) is not None
        ]
        return tuple(sorted(fired, key=lambda caveat: (-caveat.weight, caveat.rule)))


def corrected_claims(answer: Answer) -> set[str]:
    """Claims that a correction, as headline or above the caveats, has dealt with already."""
    lines = (line for line in (answer.headline, *answer.corrections) if isinstance(line, Text))
    return {claim for line in lines for claim in line.values.get("claims", ())}  # type: ignore[attr-defined]


def _apply(rule: Rule, names: Mapping[str, object]) -> Caveat | None:
    try:
        if not evaluate(rule.when, names):
            return None
        values = {key: evaluate(expression, names) for key, expression in rule.values.items()}
    except (TemplateError, TypeError, ValueError, ArithmeticError, AttributeError):
        logger.warning("rule failed rule=%s", rule.id, exc_info=True)
        return None
    return Caveat(rule.id, say(f"rules.{rule.say}", **values), rule.because, rule.weight)


def load_rules(folder: Folder, specs: Specs) -> Rules:
    """The rules of `rules/*.yaml`. Raises KnowledgeError with every record that does not validate."""
    return Rules(tuple(_read_rules(folder)), specs)


def check_rules(folder: Folder) -> list[str]:
    """Every problem of the rules: records, expressions and claim ids, as `file:line field: what`."""
    try:
        rules = _read_rules(folder)
    except KnowledgeError as exc:
        return exc.problems
    places = {rule.id: _place(folder, rule.id) for rule in rules}
    problems = [
        f"{places[rule.id]} {field}: {fault}"
        for rule in rules
        for field, expression in rule.expressions().items()
        for fault in faults(expression)
    ]
    claims = load_claims(folder)
    problems += [f"{places[r.id]} because: unknown claim {c!r}" for r in rules for c in r.because if c not in claims.by_id]
    problems += [
        f"{places[r.id]} sources: unknown source {s!r}" for r in rules for s in r.sources if s not in claims.sources
    ]
    problems += [f"{places[r.id]} because: a claim or a source is needed" for r in rules if not r.because and not r.sources]
    return problems


def _place(folder: Folder, rule_id: str) -> str:
    for name in folder.names("rules/*.yaml"):
        place = folder.place(name, rule_id)
        if place != name:
            return place
    return rule_id


def _read_rules(folder: Folder) -> list[Rule]:
    found: dict[str, Rule] = {}
    problems: list[str] = []
    for name in folder.names("rules/*.yaml"):
        for values in folder.yaml(name).get("rules", ()):
            rule = validate_item(folder, name, str(values.get("id")), values, Rule, problems=problems)
            if rule and rule.id in found:
                problems.append(f"{folder.place(name, rule.id)} id: {rule.id} is used twice")
            elif rule:
                found[rule.id] = rule
    if problems:
        raise KnowledgeError(problems)
    return list(found.values())
