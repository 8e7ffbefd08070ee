"""`ask("8卡A100能微调70B吗")`: the whole road up to data and words, for tests that read like a conversation."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from bot.answer import Answer
from bot.assistant import Assistant
from bot.compose.terminal import render_page
from bot.question import Reader, Thread
from bot.settings import Settings
from bot.wiring import build_assistant

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
READER = Reader()


@lru_cache(maxsize=1)
def assistant() -> Assistant:
    return build_assistant(Settings(_env_file=None))  # type: ignore[call-arg]


@dataclass(frozen=True)
class Asked:
    """One answer, and its words as a person reads them."""

    answer: Answer
    thread: Thread

    @property
    def headline(self) -> str:
        return assistant().reply(self.answer, reader=READER).headline

    @property
    def words(self) -> str:
        return render_page(assistant().composer.page(self.answer, reader=READER), colour=False)

    @property
    def unfolded(self) -> str:
        """The same without folded lines."""
        return render_page(assistant().composer.page(self.answer, reader=READER), width=10_000, colour=False)

    @property
    def assumed(self) -> dict[str, object]:
        return {item.slot: item.value for item in self.answer.assumptions}

    def then(self, message: str) -> "Asked":
        """The next turn of the same thread."""
        return ask(message, self.thread)


def ask(message: str, thread: Thread | None = None) -> Asked:
    before = thread or Thread()
    answer = assistant().answer(message, before, now=NOW, reader=READER)
    return Asked(answer, assistant().remember(before, answer, now=NOW))
