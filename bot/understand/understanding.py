"""Reads one message in the light of the question before."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.catalog.specs import Specs
from bot.folder import Folder
from bot.question import Act, Action, Intent, Language, ModelConfig, ModelSlot, Problem, Question, Slots, Task, Trace
from bot.understand.config import take_config
from bot.understand.dialogue import Dialogue, Turn
from bot.understand.intents import IntentChoice
from bot.understand.merging import Merger
from bot.understand.normalise import normalise
from bot.understand.quantities import period_hours
from bot.understand.reader import Reader
from bot.understand.reading import Reading
from bot.understand.settings import metric_of
from bot.understand.together import tasks_together
from bot.understand.turn_intent import TurnIntent
from bot.understand.validation import action_of, is_courtesy, missing, problems_of
from bot.understand.vocabulary import Vocabulary, load_vocabulary

_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]{2,}")
_ENGLISH = re.compile(
    r"\b(?:and|or|with|without|the|an?|what|how|which|why|is|are|on|in|at|for|can|could|will|does|do|it|to|of|about|then|"
    r"only|make|instead|please|same|but|if|per|cards?|users?|cheapest|price|cost|explain|thanks?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Understanding:
    """Built by `load_understanding`; holds no state of any conversation."""

    vocabulary: Vocabulary
    reader: Reader
    dialogue: Dialogue

    def read(self, message: str, before: Question | None = None) -> Question:
        """The message as a question, complete with what the thread already knows. Never raises, whatever the text."""
        if before is not None and before.topic is not None:
            before = replace(before, intent=before.topic)
        rest, config = take_config(message)
        text = normalise(rest)
        reading = self.reader.read(text)
        if config is not None:
            reading = _with_config(reading, config)
        choice = self._choose(reading)
        problems = problems_of(message, text, reading, self.vocabulary)
        turn = self._turn(reading, choice, before, problems)
        action = action_of(turn.intent, turn.act, turn.slots, reading, problems)
        if action is Action.CLARIFY and not problems:
            slot = missing(turn.intent, turn.slots, reading)
            problems = (*problems, Problem(slot or "text", "", "missing"))
        had = before.slots if before else Slots()
        same_task = before is not None and turn.slots.task == had.task and turn.act is not Act.RESET
        tasks = tasks_together(reading) or (before.tasks if before and same_task else ())
        return Question(
            text=text,
            intent=turn.intent,
            tasks=tasks,
            slots=turn.slots,
            language=language_in(text, before),
            act=turn.act,
            action=action,
            confidence=choice.confidence,
            changed=turn.slots.changed_from(had),
            problems=problems,
            config=config or _kept(before, turn),
            topic=before.intent if before and _is_aside(turn) else None,
            trace=(*reading.trace, _why(choice)),
        )

    def _choose(self, reading: Reading) -> IntentChoice:
        choice = self.vocabulary.rules.choose(reading.flags, Intent.OUT_OF_SCOPE)
        technical = bool(reading.slots.gpus or reading.slots.models or reading.slots.task)
        flags = reading.flags
        if is_courtesy(reading, "thanks") or is_courtesy(reading, "greeting"):
            return IntentChoice(Intent.OUT_OF_SCOPE, 0.9, ("courtesy",), choice.scores)
        if "help" in flags and not technical and "fragment" not in flags:
            return IntentChoice(Intent.OUT_OF_SCOPE, 0.9, ("asks-for-help",), choice.scores)
        aside = "unrelated_soft" in flags and "domain" not in flags
        if (aside or {"code", "unrelated", "injection"} & flags) and not technical:
            return IntentChoice(Intent.OUT_OF_SCOPE, 0.9, ("not-about-gpus",), choice.scores)
        if not choice.rules and (reading.unknown_gpus or reading.closed_models):
            return IntentChoice(Intent.SPEC_LOOKUP, 0.3, ("an-unknown-name",), choice.scores)
        return choice

    def _turn(self, reading: Reading, choice: IntentChoice, before: Question | None, problems: tuple[Problem, ...]) -> Turn:
        if before is None:
            return Turn(Act.NEW, choice.intent, _finished(reading, choice.intent))
        if is_courtesy(reading, "thanks") and "why" not in reading.turn:
            return Turn(Act.ACK, Intent.OUT_OF_SCOPE, before.slots)
        outside = choice.rules in (("courtesy",), ("asks-for-help",), ("not-about-gpus",)) or any(
            p.code in ("empty", "other_language") for p in problems
        )
        if outside and before.intent is not Intent.DIGEST:
            return Turn(Act.SET, Intent.OUT_OF_SCOPE, before.slots)
        turn = self.dialogue.follow(reading, choice, before)
        return Turn(turn.act, turn.intent, _finished(reading, turn.intent)) if turn.act is Act.RESET else turn


def _is_aside(turn: Turn) -> bool:
    """Why, thanks and what is not about GPUs leave the topic of the thread in place."""
    return turn.act in (Act.WHY, Act.ACK) or (turn.act is Act.SET and turn.intent is Intent.OUT_OF_SCOPE)


def _with_config(reading: Reading, config: ModelConfig) -> Reading:
    """A pasted config is the model of the question."""
    reading.slots = reading.slots.with_(
        models=(ModelSlot(config.name, next((m.params_b for m in reading.slots.models), None)),)
    )
    reading.models = ()
    reading.flags = frozenset({*reading.flags, "model", "config"})
    return reading


def _kept(before: Question | None, turn: Turn) -> ModelConfig | None:
    """The config of the thread, as long as its model is the one in question."""
    same = before is not None and before.config is not None and turn.slots.models == before.slots.models
    return before.config if before is not None and same else None


def load_understanding(folder: Folder, specs: Specs) -> Understanding:
    """The parser with all names of the catalog and all words of `knowledge/lexicon/`."""
    vocabulary = load_vocabulary(folder, specs)
    patterns = vocabulary.patterns
    merger = Merger(vocabulary.gpus, vocabulary.models, patterns)
    return Understanding(vocabulary, Reader(vocabulary), Dialogue(merger, TurnIntent(patterns), patterns))


def language_in(text: str, before: Question | None) -> Language:
    """The language of the message; names and figures alone (`4bit`, `zero3`, `AutoDL`) stay in that of the thread."""
    wordless = not _HAN.search(text) and not _ENGLISH.search(text)
    return before.language if before is not None and wordless else language_of(text)


def language_of(text: str) -> Language:
    """Chinese where any Chinese is in the text, but for a long English text with a few characters of it."""
    han = len(_HAN.findall(text))
    return "zh" if han and han * 4 >= len(_LATIN.findall(text)) else "en"


def _finished(reading: Reading, intent: Intent) -> Slots:
    """Slots that depend on the intent: the attribute asked for, the time of a cost, the task that tokens imply."""
    slots = reading.slots.with_(metric=metric_of(reading, intent))
    if slots.metric == "fp8_support" and slots.precision is not None:
        slots = slots.with_(precision=None)
    if intent is Intent.SPEC_LOOKUP and not slots.models:
        slots = slots.with_(precision=None)  # "how many bf16 TFLOPS": asked about, not chosen
    if intent is Intent.RECOMMEND and all(g.name is None and g.memory_gb is None and g.count == 1 for g in slots.gpus):
        slots = slots.with_(gpus=())  # "recommend a card" has none yet
    if intent is Intent.RECOMMEND and reading.loose_money and slots.budget is None and slots.unit_price is None:
        money = reading.loose_money  # "a lab with 50k euros": what there is to spend
        slots = slots.with_(budget=replace(money, period=money.period or "once"))
    if intent is Intent.CATALOG_SEARCH and slots.unit_price and slots.budget is None:
        slots = slots.with_(budget=replace(slots.unit_price, period=slots.unit_price.period or "once"), unit_price=None)
    if intent is Intent.RECOMMEND and not slots.gpus and slots.nodes == 1:
        slots = slots.with_(nodes=None)  # 搭一台: a machine that is not there yet
    if intent is Intent.FAQ and reading.soft_task and slots.task is Task.INFERENCE:
        slots = slots.with_(task=None)
    if intent is Intent.THROUGHPUT and slots.task is None and slots.models and "mfu" not in reading.metrics:
        slots = slots.with_(task=Task.INFERENCE)
    if intent is Intent.SPEC_LOOKUP and not slots.models and slots.task is Task.INFERENCE and slots.engine:
        slots = slots.with_(task=None)
    if slots.tokens and slots.task is None and intent in (Intent.TIME, Intent.COST, Intent.SIZING):
        slots = slots.with_(task=Task.PRETRAIN)
    if intent is Intent.COST and slots.duration_h is None and slots.budget is None:
        slots = slots.with_(duration_h=period_hours(reading.low, reading.patterns))
    return slots


def _why(choice: IntentChoice) -> Trace:
    scores = ", ".join(f"{i.value} {s:g}" for i, s in sorted(choice.scores.items(), key=lambda kv: -kv[1])[:4])
    return Trace(" + ".join(choice.rules), f"intent: {choice.intent.value}", scores)
