"""Buttons under an answer and the Adjust… form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.slack.conftest import OURS, Workbench


async def answered(bench: Workbench, text: str = "A100 70B") -> str:
    """Ask by mention; the `ts` of the answer."""
    await bench.mention(text)
    turn = bench.desk.turns(OURS).of_asked("C1", "10.1")
    assert turn is not None
    return turn.reply_ts


async def test_show_the_sum_unfolds_it_in_the_thread(bench: Workbench) -> None:
    ts = await answered(bench)
    await bench.press("show_sum", ts=ts, thread_ts="10.1")
    assert bench.slack.posted[-1]["thread_ts"] == "10.1"
    assert "adds up" in bench.slack.posted[-1]["text"]


async def test_an_answer_without_a_sum_says_so(bench: Workbench) -> None:
    ts = await answered(bench, "A100 1B")
    await bench.press("show_sum", ts=ts, thread_ts="10.1")
    assert "nothing more to unfold" in bench.slack.of("respond")[0]["text"]


async def test_a_button_that_stands_for_a_message_is_answered_like_it(bench: Workbench) -> None:
    ts = await answered(bench)
    await bench.press("ask_0", ts=ts, value="compare with H100", thread_ts="10.1")
    assert bench.slack.posted[-1]["text"] == "Fits: 70B on H100."
    assert bench.slack.posted[-1]["thread_ts"] == "10.1"


async def test_a_button_that_only_the_asker_sees_is_answered_in_the_channel(bench: Workbench) -> None:
    await bench.press("ask_0", ts="5.5", value="A100 70B", subtype="ephemeral")
    (posted,) = bench.slack.posted
    assert "thread_ts" not in posted
    assert posted["blocks"][0]["elements"][0]["text"] == "<@U1> asked: A100 70B"


@pytest.mark.parametrize("action", ["show_sum", "show_recipe", "adjust"])
async def test_a_button_whose_question_is_gone_says_so(bench: Workbench, action: str) -> None:
    await bench.press(action, ts="99.9")
    assert "no longer know" in bench.slack.of("respond")[0]["text"]


@pytest.mark.parametrize(("value", "words"), [("good", "Thank you, noted."), ("bad", "Adjust…")])
async def test_feedback_is_kept_and_thanked_for(bench: Workbench, value: str, words: str) -> None:
    ts = await answered(bench)
    await bench.press("feedback", ts=ts, value=value, thread_ts="10.1")
    assert words in bench.slack.of("chat.postEphemeral")[0]["text"]
    with bench.desk.database.engine.connect() as connection:
        assert connection.exec_driver_sql("select helpful from feedback").scalar() == (value == "good")


def typed(**fields: str) -> dict[str, Any]:
    """The state of the form, text fields and selections alike."""
    return {
        name: {
            name: {"type": "static_select", "selected_option": {"value": value}}
            if name in ("task", "precision")
            else {"type": "plain_text_input", "value": value or None}
        }
        for name, value in fields.items()
    }


async def opened(bench: Workbench) -> dict[str, Any]:
    ts = await answered(bench)
    await bench.press("adjust", ts=ts, thread_ts="10.1")
    (call,) = bench.slack.of("views.open")
    view: dict[str, Any] = call["view"]
    return view


async def test_the_form_shows_what_was_understood(bench: Workbench) -> None:
    view = await opened(bench)
    shown = {block["block_id"]: block["element"].get("initial_value") for block in view["blocks"]}
    assert (shown["gpu"], shown["model"], shown["count"]) == ("A100", "70B", None)
    assert all(len(json.dumps(view[part])) < 100 for part in ("title", "submit", "close"))


async def test_adjusted_values_give_a_new_answer_in_the_thread(bench: Workbench) -> None:
    view = await opened(bench)
    response = await bench.submit(view, typed(gpu="H100", model="13B", count="8", task="lora", precision="any", seq_len=""))
    posted = bench.slack.posted[-1]
    assert response.status == 200
    assert posted["text"] == "Fits: 13B on H100 with LoRA."
    assert posted["thread_ts"] == "10.1"
    assert posted["blocks"][0]["elements"][0]["text"] == "<@U1> adjusted: H100, 13B, 8 GPUs, LoRA fine-tuning"
    turn = bench.desk.turns(OURS).last_of_thread("C1", "10.1")
    assert turn is not None
    assert turn.question is not None
    assert turn.question.slots.gpus[0].count == 8


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("count", "four", "whole number"),
        ("count", "-3", "whole number"),
        ("count", "1000000000", "whole number"),
        ("seq_len", "0", "whole number"),
        ("gpu", "H1OO", "no such GPU"),
        ("model", "lunch", "no model"),
    ],
)
async def test_a_wrong_value_is_told_beside_its_field(bench: Workbench, field: str, value: str, words: str) -> None:
    view = await opened(bench)
    response = await bench.submit(view, typed(**{"gpu": "A100", "model": "70B", field: value}))
    answer = json.loads(response.body)
    assert answer["response_action"] == "errors"
    assert words in answer["errors"][field]
    assert len(bench.slack.posted) == 1


async def test_a_selection_that_was_not_touched_stays(bench: Workbench) -> None:
    ts = await answered(bench, "A100 70B lora")
    await bench.press("adjust", ts=ts, thread_ts="10.1")
    view = bench.slack.of("views.open")[0]["view"]
    untouched = {"task": {"task": {"type": "static_select", "selected_option": None}}}
    await bench.submit(view, typed(gpu="H100", model="70B") | untouched)
    assert bench.slack.posted[-1]["text"] == "Fits: 70B on H100 with LoRA."


async def test_a_form_left_as_it_was_changes_nothing(bench: Workbench) -> None:
    view = await opened(bench)
    await bench.submit(view, typed(gpu="A100", model="", count="", task="any", precision="any", seq_len=""))
    assert len(bench.slack.posted) == 1
    assert "Nothing was changed" in bench.slack.of("chat.postEphemeral")[0]["text"]


async def test_a_fault_behind_the_form_is_told_to_the_person(bench: Workbench) -> None:
    view = await opened(bench)
    response = await bench.submit(view, typed(model="boom"))
    assert response.status == 200
    assert bench.slack.posted[-1]["channel"] == "U1"
    assert "on my side" in bench.slack.posted[-1]["text"]
