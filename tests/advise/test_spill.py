"""Serving with part of the model in host memory, and weights of a stated number of bits."""

import pytest

from tests.advise.road import ask


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Llama 3 70B Q4_K_M 3090 24GB + 64GB RAM partial offload works?", "tight"),
        ("DeepSeek-R1 Q4 ktransformers 单卡 4090 + 512G 内存 能跑吗", "tight"),
        ("DeepSeek-R1 Q4 ktransformers 单卡 4090 + 256G 内存 能跑吗", "no"),
        ("run Mixtral 8x7B with a 24GB card and 32GB of system RAM", "tight"),
        ("can one RTX 3090 run Llama-3-70B in Q4_K_M?", "no"),  # nobody spoke of the host
        ("8 H100 80G with 2TB RAM, DeepSeek-R1 in FP8?", "no"),  # a server, not a desktop
        ("Llama-3-8B on one RTX 4090 and 64GB RAM?", "yes"),
    ],
)
def test_host_memory_helps_where_it_is_spoken_of(text: str, verdict: str) -> None:
    assert ask(text).answer.verdict == verdict


def test_the_split_is_said() -> None:
    asked = ask("Llama 3 70B Q4_K_M 3090 24GB + 64GB RAM partial offload works?")
    assert "of 80 layers" in asked.headline
    assert asked.answer.main is not None
    assert asked.answer.main.min_gpus == 1
    assert "放主机内存" in ask("Llama-3-70B Q4_K_M 一张 3090，内存 64G，部分 offload 能跑吗").headline


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Llama-3-70B exl2 2.4bpw on one 4090?", 18, 22),
        ("exllamav2 Llama-3-70B 4.0bpw on 2x 3090", 31, 36),
        ("Llama-3-70B 3-bit on one A100 40G", 25, 30),
        ("DeepSeek-R1 1.58bit 量化 8 张 4090 能跑吗", 110, 150),
    ],
)
def test_bits_a_weight_are_weighed(text: str, low: float, high: float) -> None:
    main = ask(text).answer.main
    assert main is not None
    assert low <= main.estimate.weights_gib <= high  # type: ignore[union-attr]


def test_the_type_of_those_bits_is_an_assumption() -> None:
    assert ask("Llama-3-70B exl2 2.4bpw on one 4090?").assumed["weights_format"] == "gguf_iq2_xs"


@pytest.mark.parametrize(
    "text", ["5 位用户同时用 Llama-3-8B，4090 够吗", "Llama-3-8B in 16-bit on a 4090", "Llama-3-8B 8bit on a 4090"]
)
def test_other_numbers_are_no_bits(text: str) -> None:
    assert ask(text).answer.question.setup.weights_format is None
