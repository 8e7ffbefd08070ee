"""Problems of `knowledge/lexicon/`: patterns that do not compile, flags nothing raises, empty phrases, unknown values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.catalog.specs import Specs
from bot.errors import KnowledgeError
from bot.folder import Folder
from bot.question import Intent, Precision, Quant, Task
from bot.understand.flags import FLAGS
from bot.understand.settings import METRICS
from bot.understand.vocabulary import Vocabulary, load_vocabulary

_CLOSED: Mapping[str, frozenset[str]] = {
    "task": frozenset({*(task.value for task in Task), "inference_soft"}),
    "precision": frozenset(Precision.__args__),  # type: ignore[attr-defined]
    "quant": frozenset(Quant.__args__),  # type: ignore[attr-defined]
}


def check_lexicon(folder: Folder, specs: Specs) -> list[str]:
    """Every problem, by file and entry. Raises what the loader raises."""
    vocabulary = load_vocabulary(folder, specs)
    return [*_patterns(vocabulary), *_flags(vocabulary), *_values(vocabulary), *_phrases(vocabulary), *_metrics(vocabulary)]


def _patterns(vocabulary: Vocabulary) -> Iterator[str]:
    for name in vocabulary.patterns:
        try:
            vocabulary.patterns[name]
        except KnowledgeError as exc:
            yield from exc.problems


def _flags(vocabulary: Vocabulary) -> Iterator[str]:
    """A rule that waits for a flag that nothing raises would never fire."""
    known = FLAGS | set(vocabulary.words["intents"]["cues"])
    for rule in vocabulary.rules.rules:
        for flag in sorted((rule.all | rule.any | rule.none) - known):
            yield f"knowledge/lexicon/intents.yaml rules {rule.id}: no cue raises {flag!r}"
    named = {rule.id for rule in vocabulary.rules.rules}
    if len(named) < len(vocabulary.rules.rules):
        yield "knowledge/lexicon/intents.yaml rules: an id is used twice"
    for intent in Intent:
        if intent not in vocabulary.rules.order:
            yield f"knowledge/lexicon/intents.yaml order: {intent.value} is missing"


def _values(vocabulary: Vocabulary) -> Iterator[str]:
    for key in vocabulary.words["tools"]:
        kind, _, value = str(key).partition(".")
        if kind in _CLOSED and value not in _CLOSED[kind]:
            yield f"knowledge/lexicon/tools.yaml {key}: {value!r} is no {kind}"


def _metrics(vocabulary: Vocabulary) -> Iterator[str]:
    for name in sorted(set(vocabulary.words["intents"]["metrics"]) - METRICS):
        yield f"knowledge/lexicon/intents.yaml metrics {name}: no such attribute"


def _phrases(vocabulary: Vocabulary) -> Iterator[str]:
    for file, groups in (
        ("intents", ("cues", "metrics")),
        ("numbers", ("units", "labels", "words")),
        ("dialogue", ("cues",)),
    ):
        for group in groups:
            for name, phrases in vocabulary.words[file][group].items():
                if any(not phrase.strip() for phrase in str(phrases).split("|")):
                    yield f"knowledge/lexicon/{file}.yaml {group}.{name}: a phrase is empty"
