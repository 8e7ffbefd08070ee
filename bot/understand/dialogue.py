"""A turn in the light of the question before: does it go on, correct, ask why, choose, or begin anew?"""

from __future__ import annotations

from dataclasses import dataclass

from bot.question import Act, Intent, Question, Slots
from bot.understand.intents import IntentChoice
from bot.understand.merging import Merger
from bot.understand.patterns import Patterns
from bot.understand.reading import Reading
from bot.understand.turn_intent import TurnIntent


@dataclass(frozen=True, slots=True)
class Turn:
    """What the turn does, the intent it carries, and the state after it."""

    act: Act
    intent: Intent
    slots: Slots


class Dialogue:
    """Applies a reading to the question before."""

    def __init__(self, merger: Merger, turn_intent: TurnIntent, patterns: Patterns) -> None:
        self.merger = merger
        self.turn_intent = turn_intent
        self.patterns = patterns

    def follow(self, reading: Reading, choice: IntentChoice, before: Question) -> Turn:
        own = reading.slots
        if self._is_new_topic(reading, choice, before):
            return Turn(Act.RESET, choice.intent, own)
        if self.patterns["correction"].search(reading.low):
            intent = self.turn_intent.asked(reading, choice, before)
            return Turn(Act.CORRECT, intent or before.intent, self.merger.merge(reading, before, intent or before.intent))
        if self._asks_why(reading):
            kept = before.slots.with_(provider=own.provider) if own.provider else before.slots
            return Turn(Act.WHY, Intent.FAQ, kept)
        if self._picks(reading, before):
            kept = before.slots
            if self.patterns["which_vendor"].search(reading.low) and own.provider is None:
                kept = kept.with_(provider=None)
            return Turn(Act.PICK, before.intent, kept)
        intent = self.turn_intent.asked(reading, choice, before)
        other_question = "energy_word" in reading.flags and before.slots.metric != "energy"
        act = Act.SET_INTENT if intent is not None and (intent != before.intent or other_question) else Act.SET
        return Turn(act, intent or before.intent, self.merger.merge(reading, before, intent or before.intent))

    def _is_new_topic(self, reading: Reading, choice: IntentChoice, before: Question) -> bool:
        """A question that stands by itself: own card, own model, and not the running topic."""
        own = reading.slots
        if "reset" in reading.turn and (own.stated() or choice.rules):
            return True
        whole = any(g.name or g.memory_gb for g in own.gpus) and any(m.name for m in own.models) and bool(choice.rules)
        if not whole or ("add" in reading.turn and len(reading.low) < 30):
            return False
        had = before.slots
        other_kind = (
            before.intent in (Intent.CATALOG_SEARCH, Intent.PRICE_LOOKUP, Intent.SPEC_LOOKUP, Intent.DIGEST, Intent.FAQ)
            and not had.models
        )
        if other_kind:
            return choice.intent != before.intent
        fresh = {g.name for g in own.gpus}.isdisjoint(g.name for g in had.gpus) and {m.name for m in own.models}.isdisjoint(
            m.name for m in had.models
        )
        return fresh and own.task is not None and not self.patterns["continues"].match(reading.low)

    def _asks_why(self, reading: Reading) -> bool:
        own = reading.slots
        names = own.gpus or own.models
        return "why" in reading.turn and not names and "oom" not in reading.flags and len(reading.low) < 80

    def _picks(self, reading: Reading, before: Question) -> bool:
        own = reading.slots.with_(metric=None, task=None, provider=None)
        return "pick" in reading.turn and not own.stated() and len(reading.low) < 48 and before.intent is not Intent.DIGEST
