"""Which figure a question wants first, by its words (`knowledge/asked.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from bot.advise.context import AdviceContext
from bot.advise.vocabulary import says_in
from bot.folder import Folder
from bot.question import Question


def asks(question: Question, figure: str, context: AdviceContext) -> bool:
    """`asks(question, "users", context)`: whether any phrase for that figure occurs in the message."""
    return says_in(question.text)(*_phrases(context.folder)[figure])


@lru_cache(maxsize=4)
def _phrases(folder: Folder) -> Mapping[str, Sequence[str]]:
    phrases: Mapping[str, Sequence[str]] = folder.yaml("asked.yaml")["asked"]
    return phrases
