"""Everything that `knowledge/lexicon/` holds, compiled once: the trie, the tables and the small patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.catalog.specs import Specs
from bot.folder import Folder
from bot.understand.binding import Binder
from bot.understand.gpus import GpuNames, add_gpus, gpu_names
from bot.understand.intents import IntentRules, load_rules
from bot.understand.lexicon import Lexicon, spellings
from bot.understand.model_names import ModelNames, model_names
from bot.understand.models import ModelFinder
from bot.understand.numbers import NumberTagger
from bot.understand.patterns import Patterns

_FILES = ("numbers", "gpus", "models", "tools", "intents", "dialogue", "patterns")


@dataclass(frozen=True)
class NamedPattern:
    """A region or instance type told by its form, with the provider that it implies."""

    pattern: re.Pattern[str]
    provider: str | None


@dataclass(frozen=True)
class Vocabulary:
    lexicon: Lexicon
    tagger: NumberTagger
    binder: Binder
    models: ModelFinder
    model_names: ModelNames
    gpus: GpuNames
    gpu_spellings: Mapping[str, str]  # plain spellings, for confusable letters
    rules: IntentRules
    patterns: Patterns
    regions: tuple[NamedPattern, ...]
    instances: tuple[NamedPattern, ...]
    never_sold: frozenset[str]
    words: Mapping[str, Any]


def load_vocabulary(folder: Folder, specs: Specs) -> Vocabulary:
    words = {name: folder.yaml(f"lexicon/{name}.yaml") for name in _FILES}
    lexicon = Lexicon()
    patterns = Patterns(words["patterns"], words["gpus"])
    gpus = gpu_names(specs)
    add_gpus(lexicon, specs, gpus, words["gpus"])
    models = model_names(lexicon, specs, words["models"])
    _add_settings(lexicon, words)
    return Vocabulary(
        lexicon=lexicon,
        tagger=_tagger(words["numbers"]),
        binder=Binder(patterns, frozenset(gpu.memory_gb for gpu in specs.gpus), words["gpus"]["boards"]),
        models=ModelFinder(models, patterns),
        model_names=models,
        gpus=gpus,
        gpu_spellings=_plain_gpus(lexicon.root),
        rules=load_rules(words["intents"]),
        patterns=patterns,
        regions=_patterns(words["tools"]["region_patterns"]),
        instances=_patterns(words["tools"]["instance_patterns"]),
        never_sold=frozenset(words["gpus"]["never_sold"]),
        words=words,
    )


def _add_settings(lexicon: Lexicon, words: Mapping[str, Any]) -> None:
    for key, phrases in words["tools"].items():
        if isinstance(phrases, str):
            kind, _, value = key.partition(".")
            lexicon.add(phrases, kind, value)
    for value, phrases in words["numbers"]["labels"].items():
        lexicon.add(phrases, "label", value)
    for value, phrases in words["intents"]["cues"].items():
        lexicon.add(phrases, "cue", value)
    for value, phrases in words["intents"]["metrics"].items():
        lexicon.add(phrases, "metric", value)
    for kind in ("question_words", "heads"):
        for value, phrases in words["intents"][kind].items():
            lexicon.add(phrases, kind, value)
    lexicon.add(words["intents"]["masks"], "mask", "")
    lexicon.add(words["models"]["left_out_before"], "left_out", "before")
    lexicon.add(words["models"]["left_out_after"], "left_out", "after")
    for value, phrases in words["dialogue"]["cues"].items():
        lexicon.add(phrases, "turn", value)


def _tagger(words: Mapping[str, Any]) -> NumberTagger:
    units = {s.strip(): name for name, phrases in words["units"].items() for s in _phrases(phrases)}
    numbers = {s: float(value) for value, phrases in words["words"].items() for s in _phrases(phrases)}
    return NumberTagger(units, numbers)


def _phrases(phrases: str) -> list[str]:
    return [s for phrase in phrases.split("|") for s in spellings(phrase.strip())]


def _patterns(rows: list[Mapping[str, Any]]) -> tuple[NamedPattern, ...]:
    return tuple(
        NamedPattern(re.compile(rf"(?<![a-z0-9.\-])(?:{row['pattern']})(?![a-z0-9])"), row["provider"]) for row in rows
    )


def _plain_gpus(root: Mapping[str, Any]) -> dict[str, str]:
    """Every spelling of a GPU that is one word of letters and digits, with what it stands for."""
    out: dict[str, str] = {}

    def walk(node: Mapping[str, Any], word: str) -> None:
        for char, child in node.items():
            if char == "\0":
                for kind, value in child:
                    if kind == "gpu":
                        out[word] = value
            elif len(word) < 10 and char.isascii() and char.isalnum():
                walk(child, word + char)

    walk(root, "")
    return out
