"""Words of catalog questions, as data: `knowledge/catalog_words.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from bot.folder import Folder


def says(kind: str, text: str, folder: Folder) -> bool:
    """Whether the message has a word of that kind: `at_least`, `at_most`, `history`."""
    low = text.casefold()
    return any(word in low for word in _words(folder)[kind])


@lru_cache(maxsize=4)
def _words(folder: Folder) -> Mapping[str, list[str]]:
    words: Mapping[str, list[str]] = folder.yaml("catalog_words.yaml")
    return words
