"""Names of cards and models: spellings, memory and form, families, versions, sizes."""

from __future__ import annotations

import pytest

from bot.question import GpuSlot, ModelSlot
from tests.understand.reading import read, understanding

CARDS = [
    ("A100 80G", GpuSlot("A100-80G", 80, None, None)),
    ("a100(80g)", GpuSlot("A100-80G", 80, None, None)),
    ("80g a100", GpuSlot("A100-80G", 80, None, None)),
    ("A100-SXM4-80GB", GpuSlot("A100-80G-SXM", 80, None, "SXM")),
    ("A100 PCIE 40G", GpuSlot("A100-40G-PCIe", 40, None, "PCIe")),
    ("H100 SXM5", GpuSlot("H100-SXM", 80, None, "SXM")),
    ("h100 nvl", GpuSlot("H100-NVL", 94, None, "NVL")),
    ("Tesla V100 32G", GpuSlot("V100-32G", 32, None, None)),
    ("24G的4090ti", GpuSlot("RTX4090Ti", 24, None, None)),
    ("2080Ti 22g", GpuSlot("RTX2080Ti", 22, None, None)),
    ("H20 98G", GpuSlot("H20", 98, None, None)),
    ("H20 141G", GpuSlot("H20-141G", 141, None, None)),
    ("昇腾910B", GpuSlot("Ascend910B", None, None, None)),
    ("L40s", GpuSlot("L40S", 48, None, None)),
    ("4*4090", GpuSlot("RTX4090", 24, 4, None)),
    ("3090s", GpuSlot("RTX3090", 24, None, None)),
    ("8xA100-80g", GpuSlot("A100-80G", 80, 8, None)),
    ("V100 32g x4", GpuSlot("V100-32G", 32, 4, None)),
    ("单卡4090", GpuSlot("RTX4090", 24, 1, None)),
    ("双卡 A4000", GpuSlot("RTXA4000", 16, 2, None)),
    ("H1OO 8卡", GpuSlot("H100", 80, 8, None)),
    ("4张V100一共128G", GpuSlot("V100-32G", 32, 4, None)),
    ("8张80G的卡", GpuSlot(None, 80, 8, None)),
    ("Mac Studio 192G", GpuSlot("MacStudio", 192, None, None)),
    ("a 24GB card", GpuSlot(None, 24, 1, None)),
]
MODELS = [
    ("llama3-70b-instruct", ModelSlot("Llama-3-70B-Instruct", 70, None)),
    ("LLaMA 2 (70B)", ModelSlot("Llama-2-70B", 70, None)),
    ("llama 3.3", ModelSlot("Llama-3.3-70B", 70, None)),
    ("405B", ModelSlot("Llama-3.1-405B", 405, None)),
    ("qwen2.5 32b awq", ModelSlot("Qwen2.5-32B", 32, None)),
    ("千问2-72B", ModelSlot("Qwen2-72B", 72, None)),
    ("qwen2vl-72B", ModelSlot("Qwen2-VL-72B", 72, None)),
    ("qwen3-8b-vl", ModelSlot("Qwen3-VL-8B", 8, None)),
    ("72B qwen", ModelSlot("Qwen-72B", 72, None)),
    ("Qwen3-VL-30B", ModelSlot("Qwen3-VL-30B-A3B", 30, 3)),
    ("满血r1", ModelSlot("DeepSeek-R1", 671, 37)),
    ("deepseek-r1:671b", ModelSlot("DeepSeek-R1", 671, 37)),
    ("DeepSeek R1-70B", ModelSlot("DeepSeek-R1-Distill-Llama-70B", 70, None)),
    ("R1-Distill-Qwen-14B", ModelSlot("DeepSeek-R1-Distill-Qwen-14B", 14, None)),
    ("mixtral8*7B", ModelSlot("Mixtral-8x7B", 46.7, 12.9)),
    ("8x22b", ModelSlot("Mixtral-8x22B", 141, 39)),
    ("glm2", ModelSlot("ChatGLM2-6B", 6, None)),
    ("gpt-oss 120b", ModelSlot("gpt-oss-120B", 120, 5.1)),
    ("Hunyuan-A13B", ModelSlot("Hunyuan-A13B", 80, 13)),
    ("720亿参数", ModelSlot(None, 72, None)),
    ("千亿模型", ModelSlot(None, 100, None)),
    ("Llama 3.2 Vision 11B", ModelSlot("Llama-3.2-11B-Vision", 11, None)),
    ("llma2 7b", ModelSlot("Llama-2-7B", 7, None)),
    ("deepseak v3", ModelSlot("DeepSeek-V3", 671, 37)),
]


@pytest.mark.parametrize(("words", "card"), CARDS, ids=[words for words, _ in CARDS])
def test_a_card_is_named(words: str, card: GpuSlot) -> None:
    assert read(f"{words} 能微调 7B 吗").slots.gpus == (card,)


@pytest.mark.parametrize(("words", "model"), MODELS, ids=[words for words, _ in MODELS])
def test_a_model_is_named(words: str, model: ModelSlot) -> None:
    assert read(f"how much VRAM for {words}").slots.models == (model,)


@pytest.mark.parametrize("words", ["4090 tokens", "max len 3090", "第4090步", "$4090", "3090条数据"])
def test_a_plain_number_is_no_card(words: str) -> None:
    assert read(f"7B {words}").slots.gpus == ()


@pytest.mark.parametrize("words", ["supported", "explorations", "h2o cache", "cocktail"])
def test_words_inside_words_are_not_read(words: str) -> None:
    assert read(f"is it {words}").slots.stated() == ()


def test_real_families_one_letter_apart_are_not_corrected() -> None:
    correct = understanding().vocabulary.model_names.spelling.correct
    assert [correct(word) for word in ("mistral", "mixtral", "internlm", "internvl")] == [None] * 4
    slips = {"llmaa": "llama", "deepseak": "deepseek", "baichun": "baichuan", "qwne": "qwen", "train": None}
    assert {word: correct(word) for word in slips} == slips


def test_a_second_model_inherits_family_and_size() -> None:
    assert [m.name for m in read("llama 7/13/70b").slots.models] == ["Llama-7B", "Llama-13B", "Llama-70B"]
    assert [m.name for m in read("InternVL2-26B / 40B").slots.models] == ["InternVL2-26B", "InternVL2-40B"]
    assert [m.name for m in read("qwen-72b-chat or qwen1.5").slots.models] == ["Qwen-72B-Chat", "Qwen1.5-72B-Chat"]
