"""What is stored comes back, for its own workspace only."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest

from bot.errors import StorageError
from bot.question import GpuSlot, Intent, ModelSlot, Problem, Question, Slots, Task, Trace
from bot.storage import (
    Database,
    Feedback,
    Post,
    SeenEvents,
    Subscription,
    Subscriptions,
    Turn,
    Turns,
    Workspace,
    complete_post,
    every_subscription,
    find_subscription,
    forget_workspace,
    intend_post,
    last_snapshot,
    save_feedback,
    thread_of,
)
from bot.storage.questions import dump_question, load_question

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
OURS, THEIRS = Workspace("T1"), Workspace("T2")
QUESTION = Question(
    "8x A100 微调 70B?",
    Intent.FEASIBILITY,
    Slots(gpus=(GpuSlot("A100-80G", 80, 8),), models=(ModelSlot(None, 70.0),), task=Task.LORA, seq_len=4096),
    language="zh",
    changed=("task",),
)
TURN = Turn("C1", "100.2", "100.1", "U1", NOW, asked_ts="100.1", question=QUESTION)
WEEKLY = Subscription(OURS, "C1", "prices", time(9), "Asia/Shanghai", weekday=0, created_by="U1", created_at=NOW)


def test_a_turn_comes_back_without_the_text_of_the_message(database: Database) -> None:
    turns = Turns(database, OURS)
    turns.save(TURN)
    assert turns.of_reply("C1", "100.2") == replace(TURN, question=replace(QUESTION, text=""))


def test_no_word_of_the_message_is_stored() -> None:
    told = replace(QUESTION, problems=(Problem("gpus", "secret", "unknown_gpu"),), trace=(Trace("secret", "x", "y"),))
    stored = dump_question(replace(told, text="secret")) or ""
    assert "secret" not in stored


def test_a_question_of_an_unknown_shape_starts_the_thread_anew() -> None:
    assert load_question('{"intent": "astrology"}') is None


def test_the_newest_turn_speaks_for_the_thread(database: Database) -> None:
    turns = Turns(database, OURS)
    later = replace(
        TURN, reply_ts="100.4", at=NOW + timedelta(minutes=1), question=replace(QUESTION, text="", language="en")
    )
    turns.save(TURN)
    turns.save(later)
    assert thread_of(turns.last_of_thread("C1", "100.1")).question == later.question
    assert thread_of(turns.last_of_thread("C1", "nowhere")).question is None


def test_a_turn_is_found_by_the_message_that_it_answered(database: Database) -> None:
    turns = Turns(database, OURS)
    turns.save(TURN)
    found = turns.of_asked("C1", "100.1")
    assert found is not None
    assert found.reply_ts == "100.2"


def test_an_old_turn_is_not_recent(database: Database) -> None:
    turns = Turns(database, OURS)
    turns.save(TURN)
    assert turns.last_of_channel("C1", since=NOW - timedelta(minutes=30)) is not None
    assert turns.last_of_channel("C1", since=NOW + timedelta(seconds=1)) is None


def test_another_workspace_sees_nothing(database: Database) -> None:
    Turns(database, OURS).save(TURN)
    Subscriptions(database, OURS).put(WEEKLY)
    assert Turns(database, THEIRS).of_reply("C1", "100.2") is None
    assert Subscriptions(database, THEIRS).of_channel("C1") == ()


def test_an_event_is_first_only_once(database: Database) -> None:
    events = SeenEvents(database, OURS)
    assert [events.is_first("Ev1", now=NOW), events.is_first("Ev1", now=NOW), events.is_first("Ev2", now=NOW)] == [
        True,
        False,
        True,
    ]
    assert SeenEvents(database, THEIRS).is_first("Ev1", now=NOW)


def test_events_are_forgotten_after_the_last_retry(database: Database) -> None:
    events = SeenEvents(database, OURS)
    events.is_first("Ev1", now=NOW)
    assert events.is_first("Ev1", now=NOW + timedelta(hours=3))


def test_a_second_subscription_replaces_the_first(database: Database) -> None:
    subscriptions = Subscriptions(database, OURS)
    first = subscriptions.put(WEEKLY)
    second = subscriptions.put(replace(WEEKLY, weekday=4))
    assert first.id == second.id
    assert subscriptions.of_channel("C1") == (second,)
    assert every_subscription(database) == (second,)
    assert find_subscription(database, second.id or 0) == second


def test_unsubscribing_counts_what_went(database: Database) -> None:
    subscriptions = Subscriptions(database, OURS)
    subscriptions.put(WEEKLY)
    assert subscriptions.remove("C1", "prices") == 1
    assert subscriptions.remove("C1") == 0


def test_an_intention_is_written_once_and_completed(database: Database) -> None:
    post = Post("digest:1:2026-11-30", OURS, "C1", 1, date(2026, 11, 29), NOW)
    assert intend_post(database, post) == post
    assert last_snapshot(database, 1) is None
    complete_post(database, post.id, "200.1")
    again = intend_post(database, replace(post, intended_at=NOW + timedelta(hours=1)))
    assert again == replace(post, ts="200.1")
    assert last_snapshot(database, 1) == date(2026, 11, 29)


def test_completing_an_unknown_post_is_refused(database: Database) -> None:
    with pytest.raises(StorageError, match="never intended"):
        complete_post(database, "digest:9:2026-11-30", "1.0")


def test_the_last_mark_of_a_reader_counts_and_leaves_with_the_workspace(database: Database) -> None:
    for helpful in (True, False):
        save_feedback(database, OURS, Feedback("C1", "100.2", "U1", helpful, NOW))
    Turns(database, OURS).save(TURN)
    Turns(database, THEIRS).save(TURN)
    assert forget_workspace(database, OURS) == 2
    assert Turns(database, OURS).of_reply("C1", "100.2") is None
    assert Turns(database, THEIRS).of_reply("C1", "100.2") is not None


def test_a_database_out_of_reach_is_a_storage_error(tmp_path: object) -> None:
    database = Database("postgresql://nobody:geheim@127.0.0.1:9/none")
    with pytest.raises(StorageError) as caught:
        Turns(database, OURS).of_reply("C1", "1")
    assert "geheim" not in str(caught.value)
    assert not database.is_ready()
