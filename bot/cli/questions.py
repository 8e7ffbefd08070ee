"""Questions as JSON: the keys of `suanli parse`, nothing decided here."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.question import Question, Slots


def question_json(question: Question) -> dict[str, Any]:
    """One reading as the contract names it; slots that are not stated are left out."""
    return {
        "intent": question.intent.value,
        "slots": slots_json(question.slots),
        "act": question.act.value,
        "language": question.language,
        "confidence": question.confidence,
        "action": question.action.value,
        "changed": list(question.changed),
        "problems": [asdict(problem) for problem in question.problems],
    }


def slots_json(slots: Slots) -> dict[str, Any]:
    values = asdict(slots)
    return {name: values[name] for name in slots.stated()}


def explanation(question: Question) -> str:
    """Which words became which slot, which rules chose the intent, what was ignored; one line each."""
    lines = [f"text      {question.text}", f"intent    {question.intent.value} ({question.confidence:.2f})",
             f"act       {question.act.value}, action {question.action.value}"]  # fmt: skip
    lines += [f"slot      {name} = {getattr(question.slots, name)}" for name in question.slots.stated()]
    lines += [f"problem   {p.code} {p.slot}: {p.said}" for p in question.problems]
    lines += [f"read      {t.words!r} -> {t.became}  [{t.rule}]" for t in question.trace]
    return "\n".join(lines)
