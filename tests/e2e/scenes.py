"""What a person does in Slack, and the words that they read. Run by `test_browser.py`, inside its own network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.e2e.lab import Lab, running

THREAD = ".thread-pane .thread-body"
PRICE_HEAD = "provider,gpu,currency,price_per_gpu_hour,read_on,source"
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
    lab.picture("channel")
    lab.portrait("first-answer", f"asked: {QUESTION}")


def test_a_follow_up_in_english_changes_the_method(lab: Lab) -> None:
    lab.open_thread(f"asked: {QUESTION}")
    lab.reply("and with LoRA?")
    lab.sees(re.compile("fine-tuning → LoRA"), where=THREAD)
    lab.picture("follow-up-lora")


def test_a_follow_up_in_chinese_changes_the_cards(lab: Lab) -> None:
    lab.reply("换成 8 张 H100 呢")
    lab.sees(re.compile("8 张 H100.*70B.*LoRA"), where=THREAD)
    lab.picture("follow-up-h100")


def test_the_sum_unfolds_in_the_thread(lab: Lab) -> None:
    lab.press("看计算过程")
    lab.sees("每张卡的显存是这样算出来的", where=THREAD)
    lab.picture("sum")


def test_the_configuration_unfolds_in_the_thread(lab: Lab) -> None:
    lab.press("配置文件")
    lab.sees("对应的配置", where=THREAD)
    lab.picture("configuration")


def test_assumptions_are_adjusted_in_a_form(lab: Lab) -> None:
    lab.press("调整…")
    count = lab.page.locator(".modal .bk-input", has_text="GPU 总数").locator("input")
    count.fill("four")
    lab.press("重新计算", where=".modal")
    lab.sees("请填 1 到 100,000 之间的整数。", where=".modal")
    lab.picture("adjust")
    count.fill("4")
    lab.press("重新计算", where=".modal")
    lab.sees("调整了：4 张卡", where=THREAD)
    lab.picture("adjusted")
    lab.sees(re.compile("4 张 H100.*70B.*LoRA"), where=THREAD)
    lab.picture("adjusted")
    lab.close_thread()


def test_a_chinese_mention_is_answered_in_chinese_in_its_thread(lab: Lab) -> None:
    lab.say("<@U0BOT> 8 卡 A100 能微调 70B 吗")
    lab.page.locator(".msg", has_text="能微调 70B 吗").locator(".thread-summary").wait_for()
    lab.open_thread("能微调 70B 吗")
    lab.sees(re.compile("8 张 A100.*LoRA"), where=THREAD)
    lab.sees("假设", where=THREAD)
    lab.picture("mention-chinese")


def test_an_edited_question_gets_its_answer_updated(lab: Lab) -> None:
    lab.edit("能微调 70B 吗", "<@U0BOT> 8 卡 A100 能微调 7B 吗")
    lab.sees(re.compile("全参微调.*可以|可以.*全参微调"), where=THREAD)
    assert lab.page.locator(".thread-pane .msg").count() == 2  # the question and its one answer
    lab.picture("edited")
    lab.close_thread()


def test_help_is_for_the_asker_alone(lab: Lab) -> None:
    lab.say("/gpu help")
    lab.sees("I answer questions about GPUs")
    lab.picture("help")


def test_a_subscription_is_confirmed_and_its_digest_comes_once(lab: Lab) -> None:
    lab.open_channel("price-digest")
    lab.say("/gpu subscribe prices weekly mon 09:00 Asia/Shanghai")
    lab.sees("every Monday at 09:00 (Asia/Shanghai)")
    lab.picture("subscription")
    for _ in range(2):
        assert lab.suanli("digest", "run-due", "--now", in_days(8)).strip().endswith("posted")
    lab.sees(re.compile("GPU prices, .* changes"))
    lab.picture("digest")
    assert lab.page.locator("main.main .msg", has_text=re.compile(r"GPU prices, \d")).count() == 1


def test_an_imported_price_list_brings_the_next_digest(lab: Lab) -> None:
    prices = lab.folder / "prices.csv"
    day = datetime.now(UTC).date().isoformat()
    prices.write_text(f"{PRICE_HEAD}\nrunpod,h100-sxm,USD,3.49,{day},https://example.org/prices\n")
    assert "written" in lab.suanli("catalog", "import", str(prices))
    assert lab.suanli("digest", "run-due", "--now", in_days(15)).strip().endswith("posted")
    lab.sees(re.compile(r"GPU prices, .* 1 change\. RunPod H100.*\$3\.99 → \$3\.49"))
    assert lab.suanli("digest", "run-due", "--now", in_days(22)).strip().endswith("unchanged")
    lab.picture("digest-after-import")


def in_days(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).isoformat()
