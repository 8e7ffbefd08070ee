"""Reads one message in the light of the question before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.catalog.specs import Specs
from bot.folder import Folder
from bot.question import Act, Action, Intent, Language, Question, Slots, Trace
from bot.understand.intents import IntentChoice
from bot.understand.normalise import normalise
from bot.understand.reading import SPEC_METRICS, Reader, Reading
from bot.understand.vocabulary import Vocabulary, load_vocabulary

_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]{2,}")


@dataclass(frozen=True)
class Understanding:
    """Built by `load_understanding`; holds no state of any conversation."""

    vocabulary: Vocabulary
    reader: Reader

    def read(self, message: str, before: Question | None = None) -> Question:
        """The message as a question, complete with what the thread already knows. Never raises, whatever the text."""
        text = normalise(message)
        reading = self.reader.read(text)
        choice = self.vocabulary.rules.choose(reading.flags, Intent.OUT_OF_SCOPE)
        intent = choice.intent
        slots = _finished(reading, intent)
        return Question(text=text, intent=intent, slots=slots, language=language_of(text), act=Act.NEW, action=Action.ANSWER,
                        confidence=choice.confidence, changed=slots.stated(), trace=(*reading.trace, _why(choice)))  # fmt: skip


def load_understanding(folder: Folder, specs: Specs) -> Understanding:
    """The parser with all names of the catalog and all words of `knowledge/lexicon/`."""
    vocabulary = load_vocabulary(folder, specs)
    return Understanding(vocabulary, Reader(vocabulary))


def language_of(text: str) -> Language:
    """Chinese where any Chinese is in the text, but for a long English text with a few characters of it."""
    han = len(_HAN.findall(text))
    return "zh" if han and han * 4 >= len(_LATIN.findall(text)) else "en"


def _finished(reading: Reading, intent: Intent) -> Slots:
    """Slots that depend on the intent: the attribute asked for."""
    return reading.slots.with_(metric=_metric(reading, intent))


def _metric(reading: Reading, intent: Intent) -> str | None:
    named = reading.metrics
    spec = next((m for m in named if m in SPEC_METRICS), None)
    if intent is Intent.PRICE_LOOKUP:
        return "spot_price" if "spot_price" in named else "price"
    if intent in (Intent.SPEC_LOOKUP, Intent.FAQ):
        return spec
    if intent is Intent.CATALOG_SEARCH:
        return next((m for m in named if m in ("availability", "price", *SPEC_METRICS)), None)
    if intent is Intent.DIGEST:
        return next((m for m in ("availability", "spot_price", "price") if m in named), None)
    if intent is Intent.COST:
        return next((m for m in ("energy", "cost_per_mtok", "spot_price") if m in named), None)
    if intent in (Intent.THROUGHPUT, Intent.COMPARE):
        return next((m for m in ("latency", "tdp", "nvlink", "price") if m in named), None)
    return None


def _why(choice: IntentChoice) -> Trace:
    scores = ", ".join(f"{i.value} {s:g}" for i, s in sorted(choice.scores.items(), key=lambda kv: -kv[1])[:4])
    return Trace(" + ".join(choice.rules), f"intent: {choice.intent.value}", scores)
