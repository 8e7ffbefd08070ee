"""What holds for every text: it is read without an error, in bounded time, and names read back as themselves."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.question import Question
from bot.understand.lexicon import Mention, longest
from bot.understand.normalise import normalise
from tests.understand.reading import read, specs, understanding

FRAMES = (
    "can {} fine-tune a 13B model?",
    "how many {} to serve 70B",
    "what about {}?",
    "8x {} enough for 7B LoRA",
    "price of {} on aws",
    "{} 能跑 13B 吗",
    "8卡{}微调7B够不够",
    "用两张{}部署，显存够吗",
    "{}多少钱一小时",
    "换成{}呢",
)
MODEL_FRAMES = (
    "can one A100 run {}?",
    "how much VRAM for {} in fp16",
    "lora on {} with 4x L40S",
    "serve {} with 8k context",
    "cost of pretraining {} on 1T tokens",
    "A100 能跑 {} 吗",
    "微调{}需要多少显存",
    "部署{}要几张4090",
    "用8卡H100训练{}要多久",
    "{}推理速度怎么样",
)
SOUP = """
    can I 8 A100 80G fine-tune 70B 微调 部署 两台 8卡 显存 够吗 qwen2.5 72b awq 4bit
    多少钱 how many 4*4090 24G -3 0B 1e9 $2/hr 预算 2w 千亿
    * ` <!here> & ( ) : / 32k tokens OOM 为什么 每周一 vs 还是
    H1OO sxm pcie p4d.24xlarge us-east-1 并发 50 bs=4 zero3 {" 。 ， ? 😀 ８卡 訓練 İ
"""
WORDS = st.sampled_from(SOUP.split())
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(WORDS, max_size=25).map(" ".join), st.lists(WORDS, max_size=25).map("".join)
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(TEXTS, TEXTS)
def test_nothing_makes_it_raise(first: str, second: str) -> None:
    question = read(second, read(first))
    assert isinstance(question, Question)
    assert 0 <= question.confidence <= 1


@settings(max_examples=200, derandomize=True, deadline=None)
@given(TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=12))
def test_kept_mentions_never_overlap(places: list[tuple[int, int]]) -> None:
    kept = longest(Mention(start, start + size, "gpu", "x") for start, size in places)
    assert all(left.end <= right.start for left, right in pairwise(kept))


def gpu_spellings() -> list[tuple[str, str]]:
    """(spelling, base name): all names, titles and aliases, but those that the lexicon sets aside."""
    words = understanding().vocabulary.words["gpus"]
    refused = {phrase.strip().lower() for phrase in words["not_names"].split("|")}
    split = understanding().vocabulary.gpus.split
    out = []
    for gpu in (*specs().gpus, *specs().families):
        base = split(gpu.name)[0]
        for spelling in (gpu.name, *gpu.aliases):
            if spelling.lower() not in refused and len(spelling) > 1:
                out.append((spelling, words["read_as"].get(base, base)))
    return out


@pytest.mark.parametrize("number", range(len(FRAMES)))
def test_every_card_reads_back_as_itself(number: int) -> None:
    split = understanding().vocabulary.gpus.split
    wrong = []
    for index, (spelling, base) in enumerate(gpu_spellings()):
        if index % len(FRAMES) in (number, (number + 5) % len(FRAMES)):  # each spelling in one English and one Chinese frame
            gpus = read(FRAMES[number].format(spelling)).slots.gpus
            if [split(gpu.name)[0] for gpu in gpus if gpu.name] != [base]:
                wrong.append((FRAMES[number].format(spelling), gpus))
    assert wrong == []


@pytest.mark.parametrize("number", range(len(MODEL_FRAMES)))
def test_every_model_reads_back_as_itself(number: int) -> None:
    wrong = []
    refused = {word.strip() for word in understanding().vocabulary.words["models"]["not_names"].split("|")}
    names = ((spelling, model) for model in specs().models for spelling in (model.name, *model.aliases))
    spellings = [(spelling, model) for spelling, model in names if spelling.casefold() not in refused]
    for index, (spelling, model) in enumerate(spellings):
        if index % len(MODEL_FRAMES) in (number, (number + 5) % len(MODEL_FRAMES)):
            models = read(MODEL_FRAMES[number].format(spelling)).slots.models
            found = [specs().find_model(slot.name) for slot in models if slot.name]
            if found != [model]:
                wrong.append((MODEL_FRAMES[number].format(spelling), model.name, models))
    assert wrong == []


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("other", ["H100", "RTX4090", "L40S", "MI300X"])
def test_swapping_the_card_swaps_only_the_card(frame: str, other: str) -> None:
    first, second = read(frame.format("A30")), read(frame.format(other))
    assert first.intent == second.intent
    assert first.slots.with_(gpus=()) == second.slots.with_(gpus=())
    assert [g.count for g in first.slots.gpus] == [g.count for g in second.slots.gpus]
