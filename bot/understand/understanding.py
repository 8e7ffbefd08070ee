"""Reads one message in the light of the question before."""

from __future__ import annotations

from bot.question import Question


class Understanding:
    def read(self, message: str, before: Question | None = None) -> Question:
        raise NotImplementedError
