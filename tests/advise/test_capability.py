"""What a card can do is a yes or no with its reason, not a question back."""

import pytest

from bot.question import Action
from tests.advise.road import ask


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("does the 3090 support fp8", "No: RTX 3090"),
        ("can A100 do BF16?", "Yes: A100"),
        ("V100 能跑 bf16 吗", "不支持：V100"),
        ("4090 支持 fp8 吗", "支持：RTX 4090"),
        ("does RTX 5090 support fp4", "Yes: RTX 5090"),
        ("can P40 run flash attention", "No: P40 (Pascal)"),
        ("T4 能用 flash attention 2 吗", "不行：T4"),
        ("does H100 support flash attention 3", "Yes: H100"),
        ("can A100 run FlashAttention-3?", "No: A100"),
        ("A30 支持 MIG 吗", "支持：A30"),
        ("does the L40S support MIG?", "No: L40S"),
    ],
)
def test_yes_or_no_leads(message: str, begins: str) -> None:
    asked = ask(message)
    assert asked.answer.action == Action.ANSWER
    assert asked.headline.startswith(begins)
    assert asked.answer.sources


@pytest.mark.parametrize("message", ["can V100 run Qwen2.5-7B in bf16?", "我有 4 张 3090，bf16 能跑多大的模型"])
def test_a_model_or_the_largest_is_no_matter_of_capability(message: str) -> None:
    assert ask(message).answer.answered_from == "estimator"
