"""Flags of a message -> points -> the intent. Flags and rules are data in `knowledge/lexicon/intents.yaml`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.errors import KnowledgeError
from bot.question import Intent


@dataclass(frozen=True, slots=True)
class Rule:
    """Points for an intent where all of `all`, one of `any` and none of `none` are flags of the message."""

    id: str
    intent: Intent
    points: float
    all: frozenset[str] = frozenset()
    any: frozenset[str] = frozenset()
    none: frozenset[str] = frozenset()

    def fires(self, flags: frozenset[str]) -> bool:
        return self.all <= flags and (not self.any or bool(self.any & flags)) and not self.none & flags


@dataclass(frozen=True)
class IntentChoice:
    """The winner, how sure, the rules that spoke for it, and every score."""

    intent: Intent
    confidence: float
    rules: tuple[str, ...]
    scores: Mapping[Intent, float]


@dataclass(frozen=True)
class IntentRules:
    rules: tuple[Rule, ...]
    order: tuple[Intent, ...]

    def choose(self, flags: frozenset[str], fallback: Intent) -> IntentChoice:
        """The intent with the most points; of equals the one first in `order`; without points the fallback."""
        scores: dict[Intent, float] = defaultdict(float)
        fired: dict[Intent, list[str]] = defaultdict(list)
        for rule in self.rules:
            if rule.fires(flags):
                scores[rule.intent] += rule.points
                fired[rule.intent].append(rule.id)
        if not scores or max(scores.values()) <= 0:
            return IntentChoice(fallback, 0.3, (), {})
        best = min(scores, key=lambda i: (-scores[i], self.order.index(i)))
        others = sorted((s for i, s in scores.items() if i is not best), reverse=True)
        margin = scores[best] - (others[0] if others else 0)
        return IntentChoice(best, round(min(0.99, 0.55 + 0.06 * margin), 2), tuple(fired[best]), dict(scores))


def load_rules(document: Mapping[str, Any]) -> IntentRules:
    """Rules of intents.yaml. Raises KnowledgeError naming every rule that cannot be used."""
    problems, rules = [], []
    for number, row in enumerate(document["rules"]):
        where = f"knowledge/lexicon/intents.yaml rules[{number}] {row.get('id')}"
        unknown = set(row) - set(Rule.__dataclass_fields__)
        if unknown or "id" not in row or row.get("intent") not in set(Intent):
            problems.append(f"{where}: unknown keys {sorted(unknown)} or intent {row.get('intent')!r}")
            continue
        rules.append(Rule(row["id"], Intent(row["intent"]), float(row["points"]),
                          *(frozenset(_texts(row.get(key, ()))) for key in ("all", "any", "none"))))  # fmt: skip
    if problems:
        raise KnowledgeError(problems)
    order = tuple(Intent(name) for name in str(document["order"]).split())
    return IntentRules(tuple(rules), (*order, *(i for i in Intent if i not in order)))


def _texts(values: Sequence[object] | Iterable[object]) -> list[str]:
    return [str(value) for value in values]
