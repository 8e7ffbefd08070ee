"""Questions by command, mention, direct message and thread reply: where the answer goes and what it remembers."""

from __future__ import annotations

import json

import pytest

from tests.slack.conftest import OURS, Workbench

SHOWN = "Fits: 70B on A100."


async def test_a_mention_is_answered_in_its_thread(bench: Workbench) -> None:
    await bench.mention("can A100 fine-tune 70B?")
    (posted,) = bench.slack.posted
    assert (posted["channel"], posted["thread_ts"], posted["text"]) == ("C1", "10.1", SHOWN)
    assert posted["blocks"]


async def test_a_command_is_answered_in_the_channel_with_the_question_quoted(bench: Workbench) -> None:
    response = await bench.command("A100 70B <!channel> *now* &amp; then")
    (posted,) = bench.slack.posted
    first, last = posted["blocks"][0], posted["blocks"][-1]
    assert response.status == 200
    assert "thread_ts" not in posted
    assert first["elements"][0]["text"] == "<@U1> asked: A100 70B @channel now then"
    assert "Reply in this thread" in last["elements"][0]["text"]


async def test_follow_ups_reach_the_thread_of_a_command(bench: Workbench) -> None:
    await bench.command("A100 70B")
    root = bench.desk.turns(OURS).last_of_channel("C1")
    assert root is not None
    await bench.message("and with lora?", ts="20.1", thread_ts=root.reply_ts)
    assert bench.slack.posted[-1]["text"] == "Fits: 70B on A100 with LoRA."
    assert bench.slack.posted[-1]["thread_ts"] == root.reply_ts


async def test_a_chinese_mention_is_answered_in_chinese(bench: Workbench) -> None:
    await bench.mention("A100 能微调 70B 吗")
    assert bench.slack.posted[0]["text"].startswith("可以")


@pytest.mark.parametrize("text", ["see you at lunch", "thanks!", "<@U2> have you seen H100?"])
async def test_unaddressed_chatter_in_a_thread_stays_unanswered(bench: Workbench, text: str) -> None:
    await bench.mention("A100 70B")
    await bench.message(text, ts="10.5", thread_ts="10.1", user="U2")
    assert len(bench.slack.posted) == 1


async def test_a_reply_in_a_foreign_thread_stays_unanswered(bench: Workbench) -> None:
    await bench.message("A100 70B", ts="30.2", thread_ts="30.1")
    await bench.message("A100 70B", ts="31.1")
    assert bench.slack.posted == []


async def test_a_mention_comes_as_two_events_and_is_answered_once(bench: Workbench) -> None:
    await bench.mention("A100 70B", ts="10.3", thread_ts="10.1")
    await bench.message("<@U0BOT> A100 70B", ts="10.3", thread_ts="10.1")
    assert len(bench.slack.posted) == 1


async def test_why_in_a_thread_knows_the_answer_before(bench: Workbench) -> None:
    await bench.mention("A100 70B")
    await bench.message("why?", ts="10.5", thread_ts="10.1")
    assert bench.slack.posted[-1]["text"] == "Fits: because 70B on A100."


async def test_a_direct_message_continues_for_half_an_hour(bench: Workbench) -> None:
    await bench.message("A100 70B", ts="1.1", channel="D1")
    bench.clock.pass_by(minutes=29)
    await bench.message("with lora", ts="1.2", channel="D1")
    assert bench.slack.posted[-1]["text"] == "Fits: 70B on A100 with LoRA."
    assert "thread_ts" not in bench.slack.posted[-1]
    bench.clock.pass_by(minutes=31)
    await bench.message("with lora", ts="1.3", channel="D1")
    assert bench.slack.posted[-1]["text"] == "Fits: ? on ? with LoRA."


async def test_a_thread_under_a_direct_answer_continues_it(bench: Workbench) -> None:
    await bench.message("A100 70B", ts="1.1", channel="D1")
    bench.clock.pass_by(days=3)
    turn = bench.desk.turns(OURS).last_of_channel("D1")
    assert turn is not None
    await bench.message("with lora", ts="1.2", channel="D1", thread_ts=turn.reply_ts)
    assert bench.slack.posted[-1]["text"] == "Fits: 70B on A100 with LoRA."
    assert bench.slack.posted[-1]["thread_ts"] == turn.reply_ts


async def test_an_edited_question_updates_its_answer(bench: Workbench) -> None:
    await bench.mention("A100 70B")
    edited = {"user": "U1", "ts": "10.1", "text": "<@U0BOT> H100 13B"}
    event = {"type": "message", "subtype": "message_changed", "channel": "C1", "channel_type": "channel", "ts": "11.0"}
    await bench.event({**event, "message": edited, "previous_message": {"text": "<@U0BOT> A100 70B"}})
    (update,) = bench.slack.of("chat.update")
    turn = bench.desk.turns(OURS).of_asked("C1", "10.1")
    assert turn is not None
    assert (update["ts"], update["text"]) == (turn.reply_ts, "Fits: 13B on H100.")
    await bench.event({**event, "message": edited, "previous_message": {"text": edited["text"]}})
    assert len(bench.slack.of("chat.update")) == 1


@pytest.mark.parametrize(
    "event",
    [
        {"user": "U0BOT", "text": "A100 70B", "bot_id": "B0BOT"},
        {"user": "U9", "text": "A100 70B", "bot_id": "B9"},
        {"subtype": "bot_message", "text": "A100 70B"},
        {"subtype": "channel_join", "user": "U1", "text": "A100 70B"},
    ],
)
async def test_bots_and_notices_are_not_answered(bench: Workbench, event: dict[str, str]) -> None:
    response = await bench.event({"type": "message", "channel": "D1", "channel_type": "im", "ts": "1.1", **event})
    assert response.status == 200
    assert bench.slack.posted == []


@pytest.mark.parametrize("text", ["", "help", "帮助"])
async def test_help_is_for_the_asker_alone(bench: Workbench, text: str) -> None:
    await bench.command(text)
    (told,) = bench.slack.of("respond")
    assert told["response_type"] == "ephemeral"
    assert bench.slack.posted == []


async def test_help_is_in_the_language_of_the_asker(bench: Workbench) -> None:
    await bench.command("帮助")
    bench.slack.profile["locale"] = "zh-CN"
    await bench.command("", user="U2")
    await bench.command("help", user="U3")
    assert [told["text"].startswith("可以") for told in bench.slack.of("respond")] == [True, True, True]


async def test_a_mention_without_a_question_gets_help_quietly(bench: Workbench) -> None:
    await bench.mention("")
    (told,) = bench.slack.of("chat.postEphemeral")
    assert (told["channel"], told["user"]) == ("C1", "U1")


@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found"])
async def test_where_the_bot_is_no_member_the_asker_is_told_how_to_invite_it(bench: Workbench, error: str) -> None:
    bench.slack.refuse("chat.postMessage", error)
    await bench.command("A100 70B")
    (told,) = bench.slack.of("respond")
    assert told["response_type"] == "ephemeral"
    assert told["text"] == SHOWN
    assert "/invite @suanli" in json.dumps(told["blocks"])


async def test_why_by_command_explains_the_askers_last_answer(bench: Workbench) -> None:
    await bench.command("why")
    assert "not answered anything" in bench.slack.of("respond")[0]["text"]
    await bench.command("A100 70B")
    await bench.command("H100 13B", user="U02LI")
    await bench.command("why")
    assert "because 70B on A100" in bench.slack.of("respond")[1]["text"]


async def test_no_word_of_a_message_reaches_the_database(bench: Workbench) -> None:
    await bench.mention("A100 70B for my secret project")
    with bench.desk.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("select question, before from turns").fetchall()
    assert rows
    assert "secret" not in str(rows)
