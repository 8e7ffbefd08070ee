"""What a follow-up adds to its answer: what was kept and what was changed."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.setup import gpu_label
from bot.answer import Answer, Say, say
from bot.question import Act, GpuSlot, ModelSlot, Money, Question, Slots

_QUIET = frozenset({"metric", "nodes", "gpus_per_node"})
_CHANGES = frozenset({Act.SET, Act.SET_INTENT, Act.CORRECT})


def with_changes(answer: Answer, before: Question | None) -> Answer:
    """The answer of a follow-up with a line that says what it kept and what it changed."""
    question = answer.question
    if before is None or question.act not in _CHANGES or answer.answered_from not in ("estimator", "catalog"):
        return answer
    after, had = question.slots, before.slots
    turned = [name for name in question.changed if name not in _QUIET]
    kept = [name for name in had.stated() if name not in question.changed and name not in _QUIET]
    if not turned and not kept:
        return answer
    line = say(
        "followup.line",
        kept=tuple(_said(name, had) for name in kept),
        changed=tuple(_change(name, had, after) for name in turned if name in had.stated() and name in after.stated()),
        added=tuple(_said(name, after) for name in turned if name not in had.stated()),
        dropped=tuple(_said(name, had) for name in turned if name not in after.stated()),
    )
    return replace(answer, body=(*answer.body, line))


def _change(name: str, before: Slots, after: Slots) -> Say:
    return say("followup.change", before=_said(name, before), after=_said(name, after))


def _said(name: str, slots: Slots) -> Say:
    value = getattr(slots, name)
    if name == "gpus":
        return say("followup.list", items=tuple(_cards(slot) for slot in value))
    if name == "models":
        return say("followup.list", items=tuple(_model(slot) for slot in value))
    if name == "task":
        return say(f"method.{value.value}")
    if isinstance(value, Money):
        return say("followup.money", amount=value.amount, currency=value.currency, period=value.period)
    return say("followup.slot", name=name, value=value)


def _cards(slot: GpuSlot) -> Say:
    label = gpu_label(slot.name) if slot.name else f"{slot.memory_gb:g} GB"
    return say("followup.cards", gpu=label, n=slot.count)


def _model(slot: ModelSlot) -> Say:
    return say("followup.model", name=slot.name, size=slot.params_b)
