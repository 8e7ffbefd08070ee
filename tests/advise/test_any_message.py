"""Whatever is asked, there is an answer: nothing raises, both languages compose, and the JSON is whole."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli.answers import answer_json
from bot.compose.terminal import render_page
from tests.advise.road import READER, Asked, ask, assistant

CARDS = [
    "A100 80G",
    "H100",
    "2x RTX 4090",
    "8 张 A800",
    "MI300X",
    "T4",
    "V100 32G",
    "4*3090",
    "24G 显存",
    "M2 Ultra",
    "B200",
    "",
]
MODELS = [
    "70B",
    "Llama-3-8B",
    "Qwen2.5-72B",
    "DeepSeek-R1",
    "Mixtral 8x7B",
    "gpt-oss-120b",
    "Foo-13B",
    "0.5B",
    "千亿模型",
    "",
]
TASKS = ["fine-tune", "LoRA", "QLoRA 微调", "full fine-tuning", "预训练", "serve", "推理", "train", "PPO", "跑", ""]
SETTINGS = [
    "fp8",
    "AWQ int4",
    "32k context",
    "20 users",
    "batch 8",
    "zero3 offload",
    "10B tokens",
    "50 QPS",
    "Q4_K_M",
    "vllm",
    "",
]
ASKS = [
    "can it run?", "how many cards?", "要几张卡", "多久", "how much does it cost?", "which is better?", "OOM 怎么办",
    "推荐什么卡", "how fast?", "why?", "cheapest?", "最长多少", "换成 H100 呢", "subscribe weekly", "",
]  # fmt: skip

MESSAGES = st.tuples(*(st.sampled_from(part) for part in (CARDS, MODELS, TASKS, SETTINGS, ASKS))).map(" ".join)


def assert_whole(asked: Asked) -> None:
    answer, road = asked.answer, assistant()
    for profile in ("rich", "plain"):
        reply = road.reply(answer, profile=profile, reader=READER)  # type: ignore[arg-type]
        assert reply.headline
        assert 1 <= len(reply.blocks) <= 50
        json.dumps(answer_json(answer, reply, road.composer.words(answer.language, READER).say), allow_nan=False)
    for page in road.composer.further_pages(answer, reader=READER).values():
        assert page is None or render_page(page)
    assert "None" not in asked.words


@given(MESSAGES)
@settings(max_examples=60, deadline=None)
def test_any_combination_is_answered(message: str) -> None:
    assert_whole(ask(message))


@given(st.lists(MESSAGES, min_size=2, max_size=3))
@settings(max_examples=15, deadline=None)
def test_any_thread_is_answered(messages: list[str]) -> None:
    asked = ask(messages[0])
    for message in messages[1:]:
        asked = asked.then(message)
        assert_whole(asked)


@given(st.text(max_size=300))
@settings(max_examples=30, deadline=None)
def test_any_text_is_answered(message: str) -> None:
    assert_whole(ask(message))
