"""Named regular expressions of `knowledge/lexicon/patterns.yaml`, each compiled when it is first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bot.errors import KnowledgeError
from bot.understand.lexicon import spellings

_LIST = re.compile(r"<(\w+)>")


class Patterns(Mapping[str, re.Pattern[str]]):
    """`patterns["need_left"].search(low)`; `<need>` in a pattern stands for the phrases of that list."""

    def __init__(self, texts: Mapping[str, str | list[str]], lists: Mapping[str, object]) -> None:
        self._texts = {name: text if isinstance(text, str) else "".join(text) for name, text in texts.items()}
        self._lists = lists
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        found = self._compiled.get(name)
        if found is None:
            found = self._compiled[name] = self._compile(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def _compile(self, name: str) -> re.Pattern[str]:
        try:
            return re.compile(_LIST.sub(lambda m: alternation(str(self._lists[m.group(1)])), self._texts[name]))
        except (KeyError, re.error) as exc:
            raise KnowledgeError([f"knowledge/lexicon/patterns.yaml {name}: {exc}"]) from exc


def alternation(phrases: str) -> str:
    """`no | not` as `not|no`: the longest first, blanks as any white space."""
    words = {s for phrase in phrases.split("|") for s in spellings(phrase.strip().strip('"').lower()) if s}
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in sorted(words, key=lambda w: (-len(w), w)))
