"""Slips of one letter in family names of models: llma, deepseak, baichun, qwne.

Only after an exact look-up failed, and only for words of five letters or more (of four where two are swapped), because
mistral and mixtral, internlm and internvl are one letter apart and both real.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


class SpellingTable:
    """Words by what is left when one letter is dropped, so that a look-up costs a few dictionary reads."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(w for w in words if len(w) >= 4 and w.isalpha() and w.isascii())
        self._by_rest: dict[str, set[str]] = defaultdict(set)
        for word in self.words:
            for rest in (word, *_rests(word)):
                self._by_rest[rest].add(word)

    def correct(self, token: str) -> str | None:
        """The one word within one insertion, deletion, substitution or swap; None where none or several are."""
        if token in self.words or len(token) < 4:
            return None
        near = {w for rest in (token, *_rests(token)) for w in self._by_rest.get(rest, ())}
        near = {w for w in near if _one_slip(token, w)}
        return near.pop() if len(near) == 1 else None


def _rests(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(len(word))]


def _one_slip(token: str, word: str) -> bool:
    if token[0] != word[0]:
        return False
    swapped = any(token[:i] + token[i + 1] + token[i] + token[i + 2 :] == word for i in range(len(token) - 1))
    if swapped:
        return True
    if min(len(token), len(word)) < 5 and not (len(token) == 4 and len(word) == 5):
        return False
    if len(token) == len(word):
        return sum(a != b for a, b in zip(token, word, strict=True)) == 1
    longer, shorter = (token, word) if len(token) > len(word) else (word, token)
    return len(longer) - len(shorter) == 1 and shorter in _rests(longer)
