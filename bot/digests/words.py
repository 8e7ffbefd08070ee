"""The words of the digest commands, from `knowledge/digests.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast
from zoneinfo import available_timezones

from bot.errors import KnowledgeError
from bot.folder import Folder

Verb = Literal["help", "why", "subscribe", "unsubscribe", "show"]

_FILE = "digests.yaml"
_KEYS = ("verbs", "topics", "daily", "weekly", "weekdays", "before_noon", "after_noon", "calls", "idle", "zones")


@dataclass(frozen=True)
class DigestWords:
    """Each word with what it means. `meanings` holds all that may follow `subscribe`, the longest words first."""

    verbs: Mapping[str, Verb]
    meanings: tuple[tuple[str, str, object], ...]  # (word, kind, value)


def load_digest_words(folder: Folder) -> DigestWords:
    document = folder.yaml(_FILE)
    missing = [key for key in _KEYS if not document.get(key)]
    if missing:
        raise KnowledgeError([f"knowledge/{_FILE}: {', '.join(missing)} is missing"])
    meanings = sorted(_meanings(document), key=lambda meaning: -len(meaning[0]))
    verbs = {word: cast(Verb, verb) for verb, words in document["verbs"].items() for word in words}
    return DigestWords(verbs, tuple(meanings))


@lru_cache(maxsize=1)
def zone_names() -> Mapping[str, str]:
    """Lower case -> the zone's own spelling, for all zones of this machine."""
    return {name.lower(): name for name in available_timezones()}


def _meanings(document: Mapping[str, Any]) -> Iterable[tuple[str, str, object]]:
    for kind, key in (("topic", "topics"), ("weekday", "weekdays"), ("zone", "zones")):
        for value, words in document[key].items():
            yield from ((word, kind, value) for word in words)
    for kind, key, value in (
        ("daily", "daily", True),
        ("weekly", "weekly", True),
        ("half", "before_noon", "am"),
        ("half", "after_noon", "pm"),
        ("call", "calls", True),
        ("idle", "idle", None),
    ):
        yield from ((word, kind, value) for word in document[key])
