"""Time, speed, comparison, recommendation and diagnosis: what each answer must say."""

import pytest

from bot.advise.oom_log import read_oom_log
from bot.answer import Band
from tests.advise.road import ask

LOG = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.14 GiB of "
    "which 1.23 GiB is free. Of the allocated memory 60.10 GiB is allocated by PyTorch, and 15.50 GiB is reserved by "
    "PyTorch but unallocated. (llama-factory full sft qwen2-7b 1x A100 80G, what now)"
)


def test_time_of_a_stated_run() -> None:
    asked = ask("how long does LoRA on a 13B take with 100M tokens on 8 A100 80G?")
    main = asked.answer.main
    assert main is not None
    assert main.estimate is not None
    wall, gpu = main.estimate.wall_hours, main.estimate.gpu_hours  # type: ignore[union-attr]
    assert isinstance(wall, Band)
    assert gpu.best == pytest.approx(8 * wall.best)
    assert "100M tokens" in asked.words


def test_time_without_a_length_is_per_example_and_says_so() -> None:
    assert "10M" in ask("how long to fine-tune Llama-3-8B with LoRA on one A100 80G?").words


def test_throughput_shows_several_loads() -> None:
    asked = ask("tokens per second of Qwen2.5-7B on one A100 80G with vLLM?")
    assert asked.answer.table is not None
    assert len(asked.answer.table.rows) >= 4
    assert "tokens/s" in asked.headline


def test_a_rate_that_cannot_be_carried_is_denied() -> None:
    assert "cannot carry 50" in ask("a 34B on one A100-80GB, can it handle 50 QPS?").headline


def test_compare_by_job_names_the_ratio_of_speed_and_price() -> None:
    asked = ask("A100 or H100 for LoRA on 13B, which is cheaper?")
    assert len(asked.answer.scenarios) == 2
    assert "times" in asked.headline
    prices = {row[4].value for row in asked.answer.table.rows}  # type: ignore[union-attr]
    assert all(isinstance(price, float) and price > 0 for price in prices)


def test_compare_without_a_job_shows_the_data() -> None:
    asked = ask("H100 和 A100 哪个好")
    assert asked.answer.answered_from == "catalog"
    assert "2,039" in asked.words


def test_recommend_offers_plans_that_fit() -> None:
    asked = ask("which GPU should I rent to serve Qwen2.5-72B?")
    assert asked.answer.verdict == "yes"
    assert "recommended" in asked.words
    assert all(way.verdict in ("yes", "tight") for way in asked.answer.alternatives)


def test_the_largest_model_for_cards_in_hand() -> None:
    asked = ask("what is the biggest Qwen model I can run on 2 RTX 4090?")
    assert "Qwen" in asked.headline


def test_an_oom_log_is_read_and_shown() -> None:
    asked = ask(LOG)
    assert "79 GiB" in asked.words
    assert "expandable_segments" in asked.words
    assert asked.answer.verdict == "no"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tried to allocate 512.00 MiB", {"tried": 0.5}),
        ("Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; 21.1 GiB already allocated; 0.94 GiB free", {
            "tried": 2.0, "capacity": 23.69, "allocated": 21.1, "free": 0.94}),
        ("no figures here", {}),
    ],
)  # fmt: skip
def test_read_oom_log(text: str, expected: dict[str, float]) -> None:
    assert dict(read_oom_log(text).found) == pytest.approx(expected)


@pytest.mark.parametrize(
    "message",
    ["pretrain 7B on 1T tokens within 30 days, how many H100?", "7B 预训练 1T token，30 天内完成要几张 H100"],
    ids=["en", "zh"],
)
def test_a_deadline_decides_the_count(message: str) -> None:
    asked = ask(message)
    main = asked.answer.main
    assert main is not None
    assert main.estimate is not None
    assert main.n_gpus == main.min_gpus
    assert main.n_gpus is not None
    assert main.n_gpus > 8
    assert main.estimate.wall_hours.best <= 30 * 24  # type: ignore[union-attr]
    assert "H100" in asked.headline


def test_speed_on_the_card_asked_about_in_four_bit_where_sixteen_do_not_fit() -> None:
    headline = ask("how many tokens/s qwen3-30b-a3b on a 5090").headline
    assert "AWQ int4 on one RTX 5090" in headline
    assert "In bf16 it does not fit there" in headline


def test_several_models_get_a_time_each() -> None:
    headline = ask("how long to fine-tune Llama-2-7B and Llama-2-13B with LoRA on one A100 80G, 10M tokens?").headline
    assert "Llama-2-7B" in headline
    assert "Llama-2-13B" in headline


def test_a_price_that_stands_in_is_named() -> None:
    assert "at the price of H100" in ask("how many H800 for LoRA on a 70B?").words


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("how long to full fine-tune 70B on 500M tokens with 32 H100 and what does it cost?", "the run costs about $"),
        ("32 张 H100 全参微调 70B 跑 500M token 要多久", "整个训练约 $"),
    ],
)
def test_a_run_of_known_length_is_priced(message: str, said: str) -> None:
    assert said in ask(message).unfolded
