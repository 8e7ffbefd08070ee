"""The road on one screen: message -> Question -> Answer -> Reply.

Every surface (Slack, the command line, digests) goes through here; nothing else parses, estimates or decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.question import Act, Question, Reader, Thread

if TYPE_CHECKING:
    from bot.advise import Advisor
    from bot.answer import Answer
    from bot.compose import BlockProfile, Composer, Reply
    from bot.understand import Understanding


@dataclass(frozen=True)
class Assistant:
    """Built by `bot.wiring.build_assistant`; holds no state of any conversation."""

    understanding: Understanding
    advisor: Advisor
    composer: Composer

    def read(self, message: str, thread: Thread) -> Question:
        """The message as a question, with what the thread already knows."""
        return self.understanding.read(message, thread.question)

    def answer(self, message: str, thread: Thread, *, now: datetime, reader: Reader) -> Answer:
        """The whole road up to data: what was asked, and what is to be said about it."""
        question = self.read(message, thread)
        if question.act is Act.WHY and thread.answer is None and thread.question is not None:
            thread = replace(thread, answer=self.advise(thread.question, now=now, reader=reader))
        return self.advisor.advise(question, thread, now=now, reader=reader)

    def advise(self, question: Question, before: Question | None = None, *, now: datetime, reader: Reader) -> Answer:
        """The answer to a question that is understood already: one kept in a database, or adjusted in a form."""
        return self.advisor.advise(question, Thread(before), now=now, reader=reader)

    def reply(self, answer: Answer, *, profile: BlockProfile = "rich", reader: Reader) -> Reply:
        """The answer in words: blocks for Slack and the fallback text."""
        return self.composer.compose(answer, profile=profile, reader=reader)

    @staticmethod
    def remember(thread: Thread, answer: Answer, *, now: datetime) -> Thread:
        """The thread after an answer. Courtesies, help, refusals and explanations leave what was known before in place.

        After "why?" the subject is still what was asked before it, so that "and on H100?" goes on from there.
        """
        question = answer.question
        if question.act == "ack" or answer.action in ("ack", "decline", "help"):
            return thread
        if question.act is Act.WHY and thread.question is not None:
            question = replace(thread.question, slots=question.slots)
        return Thread(question, answer, now)
