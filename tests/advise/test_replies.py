"""Whole replies of the whole road, word for word. Figures are masked, since they move with calibrations and prices."""

import re

import pytest

from tests.advise.road import ask
from tests.snapshots import assert_snapshot

MESSAGES = {
    "flagship_en": "can A100 80G fine-tune a 70B model?",
    "flagship_zh": "A100 80G 能微调 70B 模型吗",
    "serve_en": "can 2x A100 80G serve Qwen2-72B for 20 users?",
    "serve_zh": "2 张 A100 80G 能给 20 个用户部署 Qwen2-72B 吗",
    "compare_en": "A100 or H100 for LoRA on 13B, which is cheaper?",
    "compare_zh": "13B 做 LoRA，A100 和 H100 哪个更划算",
    "oom_en": "llama-factory full sft qwen2-7b 1x A100 80G OOM, what now",
    "oom_zh": "单卡 A100 80G 全参微调 qwen2-7b 爆显存怎么办",
    "how_many_en": "how many A100 80G for LoRA on a 70B?",
    "how_many_zh": "70B 做 LoRA 要几张 A100 80G",
    "in_all_en": "how much GPU memory does a 7B need?",
    "in_all_zh": "7B 模型要多少显存",
    "recommend_en": "which GPU should I rent for QLoRA of a 13B?",
    "recommend_zh": "13B 做 QLoRA 租什么卡好",
    "help_en": "help",
    "help_zh": "帮助",
    "ask_back_en": "can A100 run it",
    "ask_back_zh": "A100 能不能跑",
    "decline_en": "what's for lunch",
    "decline_zh": "中午吃什么",
}


def masked(words: str) -> str:
    """Figures as #, but for those of names (A100, 70B, Qwen2-7B); addresses and the spacing of columns are left out."""
    without_addresses = re.sub(r"https?://[^\s）)]+", "…", words)
    dates = re.sub(r"\d{4}-\d\d-\d\d", "#", without_addresses)
    figures = re.sub(r"(?<![A-Za-z\d.-])\d[\d,.]*\d(?![A-Za-z\d-])|(?<![A-Za-z\d.-])\d(?![A-Za-z\d.,-])", "#", dates)
    return re.sub(r"─+", "─", re.sub(r"[ \t]+", " ", figures))


@pytest.mark.parametrize("name", MESSAGES)
def test_reply(name: str) -> None:
    assert_snapshot(f"road_{name}", masked(ask(MESSAGES[name]).unfolded))


@pytest.mark.parametrize(
    "name", [name for name in MESSAGES if name.startswith(("flagship", "how_many", "in_all", "compare"))]
)
def test_both_languages_tell_the_same_figures(name: str) -> None:
    other = name[:-2] + ("zh" if name.endswith("en") else "en")
    first, second = (ask(MESSAGES[key]).answer for key in (name, other))
    assert first.table is not None
    assert second.table is not None
    assert [[cell.value for cell in row if isinstance(cell.value, int | float)] for row in first.table.rows] == [
        [cell.value for cell in row if isinstance(cell.value, int | float)] for row in second.table.rows
    ]
