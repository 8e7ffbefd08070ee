"""A question as JSON for the database: enough for follow-ups and "why", without any word of the message."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pydantic import TypeAdapter, ValidationError

from bot.question import Question


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Question]:
    return TypeAdapter(Question)


def dump_question(question: Question | None) -> str | None:
    """Slots, intent, language and act; the text, the quoted words and the trace stay behind."""
    if question is None:
        return None
    bare = replace(question, text="", trace=(), problems=(), stated=())
    return _adapter().dump_json(bare, exclude_defaults=True).decode()


def load_question(stored: str | None) -> Question | None:
    """The question again; None when an older release wrote something that no longer reads, so that threads start anew."""
    if stored is None:
        return None
    try:
        return _adapter().validate_json(stored)
    except ValidationError:
        return None
