"""The one function that turns an answer into a reply."""

from __future__ import annotations

from bot.answer import Answer
from bot.compose.reply import BlockProfile, Reply
from bot.question import Reader


class Composer:
    def compose(self, answer: Answer, *, profile: BlockProfile = "rich", reader: Reader) -> Reply:
        raise NotImplementedError
