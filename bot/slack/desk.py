"""The assistant with its memory, as the listeners use it: a message and what its thread knows in, a message out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.answer import Answer, say
from bot.assistant import Assistant
from bot.compose import BlockProfile, Reply
from bot.compose.escape import slack_text
from bot.digests import DigestWords
from bot.question import Act, Action, Intent, Language, Question, Reader, Thread
from bot.slack.place import Place
from bot.slack.posting import Blocks, Message
from bot.storage import Database, SeenEvents, Subscriptions, Turn, Turns, Workspace, thread_of

DIRECT_MEMORY = timedelta(minutes=30)  # a direct message within this time continues the last question


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer ready to be posted, and what its thread will know once it is."""

    message: Message
    private: bool
    answer: Answer
    before: Question | None
    after: Question | None


class Desk:
    """Sync throughout; the listeners call it in a thread. Holds no conversation itself."""

    def __init__(
        self,
        assistant: Assistant,
        database: Database,
        words: DigestWords,
        *,
        profile: BlockProfile = "rich",
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.assistant, self.database, self.digest_words = assistant, database, words
        self.profile, self.clock = profile, clock

    def turns(self, workspace: Workspace) -> Turns:
        return Turns(self.database, workspace)

    def subscriptions(self, workspace: Workspace) -> Subscriptions:
        return Subscriptions(self.database, workspace)

    def is_first_delivery(self, workspace: Workspace, event_id: str) -> bool:
        return SeenEvents(self.database, workspace).is_first(event_id, now=self.clock())

    def known(self, place: Place) -> Thread:
        """What the conversation at this place knows: its thread, or in direct messages the last half hour."""
        turns = self.turns(place.workspace)
        if place.thread_ts:
            return thread_of(self._turn_of_thread(turns, place.channel, place.thread_ts))
        if place.is_direct:
            return thread_of(turns.last_of_channel(place.channel, since=self.clock() - DIRECT_MEMORY))
        return Thread()

    def answer(self, text: str, thread: Thread, reader: Reader) -> Draft:
        """The answer to a message in the light of its thread."""
        now = self.clock()
        answer = self.assistant.answer(text, thread, now=now, reader=reader)
        after = self.assistant.remember(thread, answer, now=now)
        return self._draft(answer, thread.question, after.question, reader)

    def answer_if_meant(self, text: str, thread: Thread, reader: Reader) -> Draft | None:
        """The answer to a reply that nobody addressed to the bot; None unless it is a question or a follow-up."""
        return self.answer(text, thread, reader) if _is_meant(self.assistant.read(text, thread)) else None

    def answer_again(self, question: Question, before: Question | None, reader: Reader) -> Draft:
        """The answer to a question that is already understood: one whose assumptions were adjusted."""
        answer = self.assistant.advise(question, before, now=self.clock(), reader=reader)
        return self._draft(answer, before, answer.question, reader)

    def sum_of(self, question: Question, reader: Reader) -> Message | None:
        """How the main figure of that question's answer adds up; None where there is nothing to add up."""
        return self._part(self.assistant.composer.compose_sum, question, reader)

    def recipe_of(self, question: Question, reader: Reader) -> Message | None:
        """The configuration that realises that question's answer; None where it has none."""
        return self._part(self.assistant.composer.compose_recipe, question, reader)

    def _part(self, compose: Callable[..., Reply | None], question: Question, reader: Reader) -> Message | None:
        answer = self.assistant.advise(question, now=self.clock(), reader=reader)
        reply = compose(answer, profile=self.profile, reader=reader)
        if reply is None:
            return None
        return _message(reply, lambda: _blocks(compose(answer, profile="plain", reader=reader)))

    def keep(self, draft: Draft, place: Place, *, reply_ts: str, asked_ts: str | None) -> None:
        """Remember the turn under the message that answered it."""
        thread_ts = place.answer_thread or ("" if place.is_direct else reply_ts)
        self.turns(place.workspace).save(
            Turn(
                channel=place.channel,
                reply_ts=reply_ts,
                thread_ts=thread_ts,
                asker=place.user,
                at=self.clock(),
                asked_ts=asked_ts,
                question=draft.after,
                before=draft.before,
            )
        )

    def words(self, language: Language, key: str, **values: object) -> str:
        """A sentence of `templates/texts/`, as internal text."""
        return self.assistant.composer.words(language, Reader()).say(say(key, **values))

    def notice(self, language: Language, key: str, **values: object) -> Message:
        """A sentence as a message of its own."""
        return Message(slack_text(self.words(language, key, **values)))

    def _draft(self, answer: Answer, before: Question | None, after: Question | None, reader: Reader) -> Draft:
        compose = partial(self.assistant.reply, answer, reader=reader)
        reply = compose(profile=self.profile)
        message = _message(reply, lambda: _blocks(compose(profile="plain")))
        return Draft(message, reply.private, answer, before, after)

    @staticmethod
    def _turn_of_thread(turns: Turns, channel: str, thread_ts: str) -> Turn | None:
        """The thread's last turn; a thread may also hang on an unthreaded answer or on the message it answered."""
        return (
            turns.last_of_thread(channel, thread_ts)
            or turns.of_reply(channel, thread_ts)
            or turns.of_asked(channel, thread_ts)
        )


def _is_meant(question: Question) -> bool:
    if question.act is Act.NEW:
        return question.intent is not Intent.OUT_OF_SCOPE and question.action in (Action.ANSWER, Action.REJECT_INVALID)
    return question.act is not Act.ACK and question.action not in (Action.ACK, Action.DECLINE)


def _message(reply: Reply, plain: Callable[[], Blocks]) -> Message:
    return Message(reply.text, reply.blocks, plain)


def _blocks(reply: Reply | None) -> Blocks:
    return reply.blocks if reply else ()
