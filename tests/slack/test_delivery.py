"""What Slack and the network do to requests: forged, late, delivered twice, refused, rate limited, and our own faults."""

from __future__ import annotations

import json
import logging
from time import time

import pytest

from tests.slack.conftest import Workbench

MENTION = {"type": "app_mention", "channel": "C1", "user": "U1", "text": "<@U0BOT> A100 70B", "ts": "10.1"}


async def test_a_forged_signature_is_refused(bench: Workbench) -> None:
    response = await bench.event(MENTION, secret="guessed")
    assert response.status == 401
    assert bench.slack.calls == []


async def test_a_signature_six_minutes_old_is_refused(bench: Workbench) -> None:
    response = await bench.event(MENTION, at=time() - 360)
    assert response.status == 401
    assert bench.slack.calls == []


async def test_an_event_delivered_twice_is_answered_once(bench: Workbench) -> None:
    first = await bench.event(MENTION, event_id="Ev-same")
    second = await bench.event(MENTION, event_id="Ev-same")
    assert (first.status, second.status) == (200, 200)
    assert len(bench.slack.posted) == 1


@pytest.mark.parametrize("error", ["invalid_blocks", "invalid_blocks_format"])
async def test_refused_blocks_go_out_once_more_in_plain(bench: Workbench, error: str) -> None:
    bench.slack.refuse("chat.postMessage", error)
    await bench.mention("A100 70B")
    first, second = bench.slack.posted
    assert first["text"] == second["text"]
    assert "context_actions" in json.dumps(first["blocks"])
    assert "context_actions" not in json.dumps(second["blocks"])


async def test_blocks_refused_twice_become_an_apology(bench: Workbench) -> None:
    bench.slack.refuse("chat.postMessage", "invalid_blocks", times=2)
    await bench.mention("A100 70B")
    assert "on my side" in bench.slack.of("chat.postEphemeral")[0]["text"]


async def test_refused_blocks_of_a_response_go_out_once_more_in_plain(bench: Workbench) -> None:
    bench.slack.refuse("chat.postMessage", "not_in_channel")
    bench.slack.refuse("respond", "invalid_blocks")
    await bench.command("A100 70B")
    assert len(bench.slack.of("respond")) == 2


async def test_a_rate_limit_is_waited_out(bench: Workbench) -> None:
    bench.slack.refuse("chat.postMessage", "ratelimited")
    await bench.mention("A100 70B")
    assert len(bench.slack.posted) == 2


async def test_a_fault_of_ours_gets_a_number_and_no_stack_trace(bench: Workbench, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "bot.slack.app"):
        response = await bench.mention("boom")
    told = bench.slack.of("chat.postEphemeral")[0]["text"]
    incident = told.split("`")[1]
    assert response.status == 200
    assert incident in caplog.text
    assert "RuntimeError" in caplog.text
    assert "Runtime" not in told


@pytest.mark.parametrize("surface", ["command", "direct"])
async def test_a_fault_is_told_on_every_surface(bench: Workbench, surface: str) -> None:
    if surface == "command":
        await bench.command("boom 崩了")
        assert "编号" in bench.slack.of("respond")[0]["text"]
    else:
        await bench.message("boom", ts="1.1", channel="D1")
        assert "on my side" in bench.slack.posted[0]["text"]


async def test_a_profile_that_cannot_be_read_costs_nothing(bench: Workbench) -> None:
    bench.slack.refuse("users.info", "missing_scope")
    await bench.mention("A100 70B")
    assert len(bench.slack.posted) == 1


async def test_a_profile_is_asked_once_an_hour(bench: Workbench) -> None:
    for number in range(3):
        await bench.mention("A100 70B", ts=f"10.{number}")
    assert len(bench.slack.of("users.info")) == 1
    bench.clock.pass_by(minutes=61)
    await bench.mention("A100 70B", ts="11.1")
    assert len(bench.slack.of("users.info")) == 2


async def test_an_unknown_event_is_acknowledged(bench: Workbench) -> None:
    response = await bench.message("hello", ts="1.0", channel="C7")
    assert response.status == 200


async def test_a_workspace_that_leaves_is_forgotten(bench: Workbench) -> None:
    await bench.mention("A100 70B")
    await bench.event({"type": "tokens_revoked", "tokens": {"oauth": ["U1"]}})
    with bench.desk.database.engine.connect() as connection:
        assert connection.exec_driver_sql("select count(*) from turns").scalar() == 1
    await bench.event({"type": "app_uninstalled"})
    with bench.desk.database.engine.connect() as connection:
        assert connection.exec_driver_sql("select count(*) from turns").scalar() == 0
