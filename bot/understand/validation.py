"""What was asked wrongly, and what to do with the message: answer, ask back, help, decline, name the impossible value."""

from __future__ import annotations

import re

from bot.question import Act, Action, Intent, Problem, Slots
from bot.understand.normalise import MAX_CHARACTERS
from bot.understand.reading import Reading
from bot.understand.vocabulary import Vocabulary

_LETTERS = re.compile(r"[^\W_]", re.UNICODE)
_NUMBER_ONLY = re.compile(r"[\s\d.,?!。,kKmMbBgGxX%]+")
_OTHER_SCRIPT = re.compile(
    "[\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u3041-\u309f\u30a1-\u30fa\uac00-\ud7af\u0370-\u03ff]"
)
_NEEDS_MODEL = frozenset({Intent.FEASIBILITY, Intent.SIZING, Intent.THROUGHPUT})
_COURTESY = frozenset({"thanks", "greeting"})


def problems_of(message: str, text: str, reading: Reading, vocabulary: Vocabulary) -> tuple[Problem, ...]:
    """Every part of the message that cannot be used as it stands."""
    found: list[Problem] = []
    if not _LETTERS.search(text):
        found.append(Problem("text", message[:40], "empty"))
    if len(message) > MAX_CHARACTERS and not (reading.slots.gpus or reading.slots.models):
        found.append(Problem("text", f"{len(message)}", "too_long"))
    if is_other_language(reading):
        found.append(Problem("text", reading.low[:40], "other_language"))
    found += [Problem(slot, words, "impossible_quantity") for slot, words in _impossible(reading)]
    found += [Problem("gpus", words, "unknown_gpu", _near(words, vocabulary)) for words in reading.unknown_gpus]
    found += [Problem("gpus", g.name, "never_sold") for g in reading.slots.gpus if g.name in vocabulary.never_sold]
    found += [Problem("models", words, "unknown_model") for words in reading.closed_models]
    found += [
        Problem("models", m.name, "unknown_model")
        for m, span in zip(reading.slots.models, reading.models, strict=False)
        if m.name and not span.known
    ]
    return tuple(found)


def _impossible(reading: Reading) -> list[tuple[str, str]]:
    found = list(reading.impossible)
    found += [
        ("models", f"{m.params_b:g}B")
        for m in reading.slots.models
        if m.params_b is not None and not 0 < m.params_b <= 20000
    ]
    found += [
        ("gpus", f"{g.count}")
        for g in reading.slots.gpus
        if g.count is not None and (g.count <= 0 or g.count > 10**6) and not any(s == "gpus" for s, _ in found)
    ]
    return found


def _near(words: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Cards whose names share the number's last two digits: rtx 9090 has 3090, 4090 and 5090 beside it."""
    digits = re.search(r"\d{3,4}", words)
    if not digits:
        return ()
    tail = digits.group()[-2:]
    return tuple(name for name in vocabulary.gpus.memory if re.fullmatch(rf"RTX\d\d{tail}", name))[-2:]


def is_other_language(reading: Reading) -> bool:
    """Neither English nor Chinese: another script, or words of another European language."""
    low = reading.low
    scripts = len(_OTHER_SCRIPT.findall(low))
    if scripts >= 3 or (scripts and scripts * 3 >= len(low)):
        return True
    return len(set(reading.patterns["foreign_words"].findall(low))) >= 2 and not re.search(r"[\u4e00-\u9fff]", low)


def is_courtesy(reading: Reading, cue: str) -> bool:
    """Nothing but words of thanks (or greeting): every letter belongs to such a phrase."""
    if cue == "thanks" and _only_thanks(reading):
        return True
    covered = [False] * len(reading.low)
    for mention in reading.mentions:
        if mention.kind == "cue" and (mention.value == cue or (cue == "greeting" and mention.value == "thanks")):
            covered[mention.start : mention.end] = [True] * (mention.end - mention.start)
    letters = [i for i, char in enumerate(reading.low) if _LETTERS.match(char)]
    return cue in reading.flags and bool(letters) and all(covered[i] for i in letters)


def _only_thanks(reading: Reading) -> bool:
    """Thanks and a few words more, but nothing asked: `thanks a lot, that's exactly what I needed`."""
    short = len(reading.low) < 80 and "?" not in reading.low and not reading.slots.stated()
    return short and reading.patterns["thanks_first"].match(reading.low) is not None


def action_of(intent: Intent, act: Act, slots: Slots, reading: Reading, problems: tuple[Problem, ...]) -> Action:
    """What the bot does; the order is the order of importance."""
    codes = {p.code for p in problems}
    if "empty" in codes:
        return Action.HELP
    if act is Act.ACK:
        return Action.ACK
    if "other_language" in codes:
        return Action.DECLINE
    if intent is Intent.OUT_OF_SCOPE:
        return _outside(reading)
    if "impossible_quantity" in codes:
        return Action.REJECT_INVALID
    if {"unknown_gpu", "unknown_model"} & codes:
        return Action.CLARIFY
    if act is Act.NEW and "bare_word" in reading.flags and intent is Intent.FAQ:
        return Action.CLARIFY
    return Action.CLARIFY if act is not Act.WHY and missing(intent, slots, reading) else Action.ANSWER


def _outside(reading: Reading) -> Action:
    if is_courtesy(reading, "thanks"):
        return Action.ACK
    if "help" in reading.flags or is_courtesy(reading, "greeting"):
        return Action.HELP
    if {"code", "unrelated", "injection"} & reading.flags:
        return Action.DECLINE
    if _NUMBER_ONLY.fullmatch(reading.low) or "bare_word" in reading.flags:
        return Action.CLARIFY
    return Action.DECLINE


def missing(intent: Intent, slots: Slots, reading: Reading) -> str | None:
    """The slot without which nothing can be computed; None where an assumption will do."""
    gpu = any(g.name or g.memory_gb for g in slots.gpus)
    if slots.budget is not None and gpu and intent in (Intent.TIME, Intent.COST, Intent.SIZING):
        return None  # how far the money goes needs no model
    if intent in _NEEDS_MODEL and not slots.models and "largest" not in reading.flags:
        return "models"
    if intent is Intent.FEASIBILITY and not gpu and not slots.instance:
        return "gpus"
    if intent is Intent.COMPARE and len(slots.gpus) + len(slots.models) + bool(slots.instance) + bool(slots.provider) < 2:
        return "gpus"
    if intent is Intent.TIME and not slots.models and not slots.tokens:
        return "models"
    if intent is Intent.COST and not (slots.models or slots.duration_h or slots.instance or gpu):
        return "models"
    if (
        intent in (Intent.PRICE_LOOKUP, Intent.SPEC_LOOKUP)
        and not gpu
        and not slots.instance
        and intent is Intent.PRICE_LOOKUP
    ):
        return "gpus"
    if "bare_name" in reading.flags and intent in (Intent.SPEC_LOOKUP, Intent.SIZING) and not slots.metric:
        return "metric" if gpu else "task"
    if intent is Intent.RECOMMEND and not (slots.models or slots.budget or slots.task or gpu):
        return "models"
    return None
