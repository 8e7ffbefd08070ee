"""Follow-ups change one thing and say what they kept."""

import pytest

from bot.question import Action
from tests.advise.road import READER, ask, assistant


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


@pytest.mark.parametrize(
    "message",
    [
        "can A100 80G fine-tune a 70B model?",
        "A100 80G 能微调 70B 模型吗",
        "can 2x A100 80G serve Qwen2-72B for 20 users?",
        "H100 和 A100 哪个好",
        "help",
        "帮助",
        "can A100 run it",
        "A100 能不能跑",
        "cheapest H100 right now",
    ],
)
def test_every_button_stands_for_a_message_that_is_answered(message: str) -> None:
    first = ask(message)
    say = assistant().composer.words(first.answer.language, READER).say
    assert first.answer.choices
    for choice in first.answer.choices:
        pressed = first.then(say(choice.message))
        assert pressed.answer.action == Action.ANSWER, (say(choice.message), pressed.headline)
        assert pressed.answer.language == first.answer.language
