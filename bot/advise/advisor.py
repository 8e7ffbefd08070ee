"""Routes a question to the module of its intent and adds what every answer carries."""

from __future__ import annotations

from datetime import datetime

from bot.answer import Answer
from bot.question import Question, Reader, Thread


class Advisor:
    def advise(self, question: Question, thread: Thread, *, now: datetime, reader: Reader) -> Answer:
        raise NotImplementedError
