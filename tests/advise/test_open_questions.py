"""Questions that leave out the model or the card, because that is what they ask for."""

import pytest

from bot.answer import Cell
from bot.question import Action
from tests.advise.road import Asked, ask


def cells(asked: Asked, column: int) -> list[object]:
    assert asked.answer.table is not None
    return [row[column].value for row in asked.answer.table.rows]


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("我有 4 张 3090，能跑多大的模型", 6),
        ("what is the largest model that fits on two RTX 4090?", 6),
        ("what can I run on a Mac Studio 192G", 3),
        ("largest model I can QLoRA on 24GB", 1),
        ("单卡 A100 80G 最大能 LoRA 微调多大的模型", 1),
    ],
)
def test_what_fits_is_computed(message: str, rows: int) -> None:
    asked = ask(message)
    assert asked.answer.action == Action.ANSWER
    assert asked.answer.question.action == Action.ANSWER
    assert asked.answer.answered_from == "estimator"
    assert len(cells(asked, 1)) == rows
    assert str(cells(asked, 1)[0]) in asked.headline


def test_smaller_weights_hold_larger_models() -> None:
    catalog = {"Qwen2.5-32B": 32, "Mistral-Large-2407": 123}
    names = [str(name) for name in cells(ask("我有 4 张 3090，能跑多大的模型"), 1)]
    assert catalog[names[0]] < catalog[names[2]]


def test_a_card_alone_is_asked_about_with_what_it_holds() -> None:
    asked = ask("A100 能不能跑")
    assert asked.answer.question.action == Action.CLARIFY
    assert asked.headline.startswith("哪个模型？")
    assert asked.answer.table is not None


@pytest.mark.parametrize(
    ("message", "symbol"), [("预算 5 万元能微调 13B 吗", "¥50,000"), ("I have $500, can I fine-tune a 7B?", "$500")]
)
def test_a_budget_without_a_card_buys_the_cards_that_train_most(message: str, symbol: str) -> None:
    asked = ask(message)
    assert asked.answer.action == Action.ANSWER
    assert symbol in asked.headline
    assert len(cells(asked, 0)) == 3
    assert all(isinstance(value, float) and value > 0 for value in cells(asked, 4))
    assert asked.answer.sources


def test_more_money_buys_more_tokens() -> None:
    few, many = (cells(ask(f"I have ${money}, can I fine-tune a 7B?"), 4) for money in (500, 5000))
    assert all(isinstance(a, float) and isinstance(b, float) and 9 < b / a < 11 for a, b in zip(few, many, strict=True))


def test_without_a_card_or_a_model_there_is_only_a_question_back() -> None:
    assert ask("how many GPUs do I need?").answer.action == Action.CLARIFY
    assert not isinstance(ask("how many GPUs do I need?").answer.table, Cell)


def test_a_budget_for_pretraining_buys_tokens() -> None:
    asked = ask("budget $20k, pretrain a 1B model, how many tokens can I afford?")
    assert "$20,000" in asked.headline
    assert "tokens" in asked.headline


def test_a_monthly_budget_for_a_service_is_held_against_its_plan() -> None:
    asked = ask("一个月 500 美元够不够跑 7B 推理")
    assert "在每月 $500 的预算之内" in asked.headline
