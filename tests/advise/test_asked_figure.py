"""The figure that a question asks for leads the headline."""

import re

import pytest

from tests.advise.road import ask


def first_number(text: str) -> float:
    found = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    assert found
    return float(found[0].replace(",", ""))


@pytest.mark.parametrize(
    ("message", "low", "high"),
    [
        ("how many users can 8xH200 serve DeepSeek-V3 at 4k", 60, 300),
        ("2 张 A100 80G 跑 Qwen2-72B AWQ 能支持多少并发", 40, 160),
        ("8 张 4090 部署 32B 最多多少人同时用", 40, 200),
        ("tokens per second total at 32 concurrency for llama-3-8b on A100", 700, 1200),
        ("max context for Qwen2.5-7B on a 4090?", 60000, 131072),
        ("4 张 A100 80G 跑 Llama-3.1-70B 最长上下文", 100000, 131072),
        ("how much KV cache does Qwen2.5-7B need at 131072 tokens", 7, 7),
        ("Qwen2.5-7B 在 131072 token 时 KV 缓存多大", 131072, 131072),
        ("longest sequence for QLoRA of a 70B on one A100 80G", 15000, 30000),
        ("max batch size for LoRA on Llama-3-8B at 2048 tokens on one A100 80G", 8, 24),
        ("energy to train 7B on 1B tokens with 8xA100", 25, 45),
    ],
)
def test_it_is_the_first_number(message: str, low: float, high: float) -> None:
    assert low <= first_number(ask(message).headline) <= high


@pytest.mark.parametrize(
    "message", ["how much KV cache does Qwen2.5-7B need at 131072 tokens", "Qwen2.5-7B 在 131072 token 时 KV 缓存多大"]
)
def test_a_cache_is_told_in_gib_and_bytes_a_token(message: str) -> None:
    words = ask(message).words
    assert "7.00 GiB" in words
    assert "57,344" in words
    assert "28 layers x 4 KV heads x 128" in words


def test_a_cache_grows_with_the_users() -> None:
    assert "14.00 GiB" in ask("KV cache size of Qwen2.5-7B at 131072 tokens for 2 users").headline


def test_more_users_leave_each_a_shorter_context() -> None:
    table = ask("max context for Qwen2.5-7B on a 4090?").answer.table
    assert table is not None
    lengths = [row[1].value for row in table.rows]
    assert lengths == sorted(lengths, reverse=True)  # type: ignore[type-var]


def test_a_verdict_is_still_a_verdict() -> None:
    assert ask("can one RTX 4090 serve Qwen2.5-7B to 8 users?").headline.startswith(("Yes", "Tight"))


def test_a_length_that_is_told_is_judged_first() -> None:
    asked = ask(
        "DeepSeek-R1-Distill-Qwen-14B bf16, two RTX 4090, max-model-len 131072, does that fit, what is the longest context?"
    )
    assert asked.answer.verdict == "no"
    assert "tokens" in asked.headline


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("max context for Llama-3.1-70B FP8 on 2 H100 with 8 concurrent users?", "each of 8 requests"),
        ("两张 H100 跑 Llama-3.1-70B FP8，8 并发，最长上下文多少", "8 路并发时每个请求"),
    ],
)
def test_the_longest_is_for_the_users_stated(message: str, said: str) -> None:
    """70 GiB of cache over 8 requests of 320 KiB a token: about 30,000 each."""
    asked = ask(message)
    assert said in asked.headline
    assert asked.answer.main is not None
    assert 20_000 <= (asked.answer.main.max_seq_len or 0) <= 36_000


@pytest.mark.parametrize(
    "message", ["TTFT of Qwen2.5-7B on one L4 with 8k prompt", "单张 L4 跑 Qwen2.5-7B，8k 输入首 token 多久"]
)
def test_the_first_token_leads_where_it_is_asked_for(message: str) -> None:
    assert ask(message).headline.startswith(("First token after", "首 token 约"))


@pytest.mark.parametrize("message", ["1000 QPS 7B needs how many L40S", "7B 推理 1000 QPS 要几张 L40S"])
def test_requests_a_second_are_carried_by_replicas(message: str) -> None:
    asked = ask(message)
    assert first_number(asked.headline) > 20 or "1,000" in asked.headline
    assert any(word in asked.headline for word in ("replicas", "副本"))
    assert asked.answer.table is not None
    assert len(asked.answer.table.rows) == 3
