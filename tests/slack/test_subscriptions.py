"""Digest commands on every surface."""

from __future__ import annotations

from datetime import time

import pytest

from tests.slack.conftest import OURS, Workbench


@pytest.mark.parametrize(
    ("text", "zone", "words"),
    [
        ("subscribe prices weekly mon 09:00 America/New_York", "America/New_York", "every Monday at 09:00"),
        ("subscribe prices weekly on mon at 09:00", "Asia/Shanghai", "every Monday at 09:00"),
        ("订阅 价格 每周一 09:00 上海时间", "Asia/Shanghai", "每周一 09:00"),
    ],
)
async def test_a_command_subscribes_the_channel(bench: Workbench, text: str, zone: str, words: str) -> None:
    await bench.command(text)
    (held,) = bench.desk.subscriptions(OURS).of_channel("C1")
    assert (held.timezone, held.weekday, held.at, held.created_by) == (zone, 0, time(9), "U1")
    assert words in bench.slack.of("chat.postEphemeral")[0]["text"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("subscribe prices weekly mon 09:00 Asia/Shangai", "Did you mean Asia/Shanghai"),
        ("subscribe prices weekly mon 09:00 Mars/Base", "time zone “mars/base”"),
        ("subscribe prices weekly mon 25:00", "not a time of day"),
        ("subscribe weather", "“weather”"),
        ("subscribe <!channel>", "“@channel”"),
    ],
)
async def test_a_wish_that_makes_no_sense_is_explained_and_not_stored(bench: Workbench, text: str, words: str) -> None:
    await bench.command(text)
    assert words in bench.slack.of("chat.postEphemeral")[0]["text"]
    assert bench.desk.subscriptions(OURS).of_channel("C1") == ()


async def test_a_subscription_where_the_bot_may_not_post_is_not_kept(bench: Workbench) -> None:
    bench.slack.refuse("chat.postEphemeral", "not_in_channel")
    await bench.command("subscribe prices weekly mon 09:00")
    assert "/invite @suanli" in bench.slack.of("respond")[0]["text"]
    assert bench.desk.subscriptions(OURS).of_channel("C1") == ()


async def test_show_and_unsubscribe(bench: Workbench) -> None:
    for text in ("show", "subscribe prices daily 18:00 UTC", "show", "unsubscribe", "退订"):
        await bench.command(text)
    told = [call["text"] for call in bench.slack.of("respond")]
    assert "no subscription" in told[0]
    assert "every day at 18:00 (UTC); next on 2026-11-30 18:00" in told[1]
    assert "no more digests" in told[2]
    assert "没有订阅" in told[3]


async def test_a_mention_and_a_direct_message_take_the_same_commands(bench: Workbench) -> None:
    await bench.mention("订阅 价格 每天 18:00")
    await bench.message("subscribe prices", ts="1.1", channel="D1")
    assert len(bench.desk.subscriptions(OURS).of_channel("C1")) == 1
    assert len(bench.desk.subscriptions(OURS).of_channel("D1")) == 1
    assert "每天 18:00" in bench.slack.of("chat.postEphemeral")[0]["text"]
    assert "Subscribed" in bench.slack.posted[0]["text"]
