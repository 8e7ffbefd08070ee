"""To train on a billion tokens and more without naming a method is to pretrain."""

import pytest

from tests.advise.road import ask


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("train a 7B on 1T tokens", "retraining"),
        ("how long to train a 7B on 1T tokens with 64 H100", "pretraining"),
        ("用 32 张 H100 训练 13B 2T token 要多少钱", "预训练"),
    ],
)
def test_very_many_tokens(message: str, word: str) -> None:
    asked = ask(message)
    assert word in asked.headline
    assert "LoRA" not in asked.words


@pytest.mark.parametrize(
    "message", ["how long to train a 7B on 10M tokens with 8 H100", "full fine-tune a 7B on 2B tokens, 8 H100"]
)
def test_few_tokens_or_a_named_method_are_no_pretraining(message: str) -> None:
    assert "retraining" not in ask(message).headline


@pytest.mark.parametrize(
    "message", ["how much to pretrain a 7B on 1T tokens if an H100 is $2.30/hr?", "用 H100 预训练 7B，1T token 要多少钱"]
)
def test_without_a_count_no_run_of_years_on_the_fewest_cards(message: str) -> None:
    asked = ask(message)
    assert "years" not in asked.headline
    assert "年" not in asked.headline.split("2026")[0]
    assert "30" in asked.words


def test_gpu_hours_are_those_of_a_cluster_not_of_the_fewest_cards() -> None:
    """7.7e22 FLOPs at 200 to 400 TFLOPs a card: 50,000 to 110,000 hours; the 16 cards that just hold it take twice that."""
    asked = ask("Mixtral 8x7B pretraining on 1T tokens: how many GPU hours on H100?")
    assert asked.answer.main is not None
    assert 50_000 <= asked.answer.main.estimate.gpu_hours.best <= 160_000  # type: ignore[union-attr]
    assert asked.assumed["gpus[0].count"] == 256


def test_two_cards_are_compared_on_as_many() -> None:
    asked = ask("A100 or H100 for pretraining a 7B on 1T tokens, which is cheaper?")
    assert "256 × H100" in asked.headline
    assert "256 × A100" in asked.headline
