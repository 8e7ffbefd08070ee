"""What a person does in Slack, and the words that they read. Run by `test_browser.py`, inside its own network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.e2e.lab import Lab, running

QUESTION = "can A100 80G fine-tune a 70B model?"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running(tmp_path_factory.mktemp("lab")) as running_lab:
        yield running_lab


def test_the_slash_command_is_answered_in_the_channel(lab: Lab) -> None:
    lab.say(f"/gpu {QUESTION}")
    lab.sees(f"asked: {QUESTION}")
    lab.sees(re.compile("QLoRA .*A100"))
    lab.sees("Reply in this thread to go on")
    lab.picture("first-answer")


def test_a_follow_up_in_english_changes_the_method(lab: Lab) -> None:
    lab.open_thread(f"asked: {QUESTION}")
    lab.reply("and with LoRA?")
    lab.sees(re.compile("LoRA"), where=".thread-pane .thread-body")
    lab.picture("follow-up-lora")


def test_a_follow_up_in_chinese_changes_the_cards(lab: Lab) -> None:
    lab.reply("换成 8 张 H100 呢")
    lab.sees(re.compile("8 .*H100"), where=".thread-pane .thread-body")
    assert "70B" in lab.thread_text()
    lab.picture("follow-up-h100")
    lab.page.locator(".thread-pane .thread-x").click()


def test_a_chinese_mention_is_answered_in_chinese_in_its_thread(lab: Lab) -> None:
    lab.say("<@U0BOT> 8 卡 A100 能微调 70B 吗")
    lab.page.locator(".thread-summary").last.click()
    lab.sees(re.compile("显存|微调"), where=".thread-pane .thread-body")
    assert "假设" in lab.thread_text()
    lab.picture("mention-chinese")
    lab.page.locator(".thread-pane .thread-x").click()


def test_help_is_for_the_asker_alone(lab: Lab) -> None:
    lab.say("/gpu help")
    lab.sees("I answer questions about GPUs")
    lab.picture("help")


def test_a_subscription_is_confirmed_and_its_digest_comes_once(lab: Lab) -> None:
    lab.open_channel("price-digest")
    lab.say("/gpu subscribe prices weekly mon 09:00 Asia/Shanghai")
    lab.sees("every Monday at 09:00 (Asia/Shanghai)")
    lab.picture("subscription")
    next_week = (datetime.now(UTC) + timedelta(days=8)).isoformat()
    assert lab.suanli("digest", "run-due", "--now", next_week).strip().endswith("posted")
    lab.sees(re.compile("GPU prices, .* changes"))
    lab.picture("digest")
    lab.suanli("digest", "run-due", "--now", next_week)
    assert lab.page.locator("main.main").get_by_text(re.compile("^GPU prices, .* changes")).count() == 1
