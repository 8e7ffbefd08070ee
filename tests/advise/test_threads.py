"""Follow-ups change one thing and say what they kept."""

import pytest

from tests.advise.road import ask


def test_a_follow_up_says_what_it_kept_and_changed() -> None:
    first = ask("can A100 80G fine-tune a 70B model?")
    second = first.then("and with LoRA?")
    assert second.answer.main is not None
    assert second.answer.main.task == "lora"
    assert "Kept" in second.words
    assert "LoRA" in second.words
    third = second.then("on 8 H100?")
    assert third.answer.main is not None
    assert (third.answer.main.task, third.answer.main.n_gpus) == ("lora", 8)
    assert "H100 × 8" in third.words


def test_the_same_in_chinese() -> None:
    second = ask("A100 80G 能微调 70B 模型吗").then("换成 8 张 H100 呢")
    assert second.answer.main is not None
    assert second.answer.main.n_gpus == 8
    assert "沿用" in second.words
    assert "改为" in second.words


def test_money_asked_later_reuses_the_whole_state() -> None:
    third = ask("how long is LoRA on 13B with 50M tokens on 8 A100 80G?").then("and how much would that cost?")
    assert third.answer.cost is not None
    assert third.answer.cost.amount.best > 0


@pytest.mark.parametrize("courtesy", ["thanks", "谢谢"])
def test_a_courtesy_leaves_the_thread_as_it_was(courtesy: str) -> None:
    first = ask("can A100 80G fine-tune a 70B model?")
    assert first.then(courtesy).thread == first.thread
