"""A speed beyond bandwidth or peak is denied with the sum; one that is doubted is judged by the estimate."""

import pytest

from tests.advise.road import ask


@pytest.mark.parametrize(
    ("message", "begins", "said"),
    [
        ("85 tok/s for llama-2-70b fp16 on one H100, is that real?", "No:", "at most 24 tokens/s"),
        ("有人说单卡 H100 跑 Llama-2-70B fp16 能到 85 tokens/s，真的吗", "不可能：", "上限 24 tokens/s"),
        ("I get 300 tokens/s with Llama-3-8B bf16 on a 4090, plausible?", "No:", "1 TB"),
        ("单张 4090 跑 Llama-3-8B bf16 每秒 300 个 token，靠谱吗", "不可能：", "TB"),
        ("can 8 A100 train a 7B at 60000 tokens/s per gpu?", "No:", "TFLOPS"),
        ("MFU 120% on H100, possible?", "No:", "120 %"),
        ("H100 上 MFU 130% 正常吗", "不可能：", "130%"),
        ("17 tok/s for Qwen2-72B bf16 on two A100 80G, is that normal?", "Yes, plausible", "ceiling"),
    ],
)
def test_claims(message: str, begins: str, said: str) -> None:
    asked = ask(message)
    assert asked.headline.startswith(begins)
    assert said in asked.headline
    assert asked.answer.sources


@pytest.mark.parametrize(
    "message",
    [
        "throughput of Llama-3-8B on one H100, 3000 tok/s total with 64 users, realistic?",
        "how many H100 for 50 tok/s per user on a 70B?",
        "tokens per second of Qwen2.5-7B on one A100 80G with vLLM?",
    ],
)
def test_a_wish_or_a_total_is_no_claim_of_one_stream(message: str) -> None:
    assert not ask(message).headline.startswith(("No: one stream", "Hardly"))
