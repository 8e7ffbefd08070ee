"""Comparisons: the counts that are told, the figure that is asked for, the load that was taken."""

import pytest

from tests.advise.road import ask


@pytest.mark.parametrize(
    "message",
    ["compare 8xH100 vs 4xA100 for full fine-tuning llama 3 8b", "8 张 H100 和 4 张 A100 全参微调 Llama-3-8B 哪个划算"],
)
def test_the_counts_that_are_told_are_compared(message: str) -> None:
    counts = {scenario.n_gpus for scenario in ask(message).answer.scenarios}
    assert counts == {8, 4}


@pytest.mark.parametrize(
    ("message", "leads"),
    [
        ("8xH100 vs 4xA100 cost per million tokens llama 70b", "per million output tokens"),
        ("A100 vs H100 cost per million tokens for llama 3 70b", "per million output tokens"),
        ("8 张 H100 对比 4 张 A100，Llama-3-70B 推理的 token 成本", "每百万输出 token"),
    ],
)
def test_cost_per_token_leads_where_it_is_asked_for(message: str, leads: str) -> None:
    asked = ask(message)
    assert leads in asked.headline
    assert "$" in asked.headline
    assert "per run" not in asked.headline
    assert asked.assumed["concurrency"] == 16
