"""Plans: within the budget, on the card that is named, in the formats that save money, on layouts that make sense."""

import pytest

from tests.advise.road import Asked, ask


def labels(asked: Asked) -> list[str]:
    assert asked.answer.table is not None
    return [line for line in asked.words.splitlines() if "economy" in line or "$" in line]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("我们每月预算 2 万元，推荐什么卡跑 32B", "在每月 ¥20,000 的预算之内"),
        ("recommend a GPU for serving Qwen2.5-72B, budget $1000 a month", "$1,000 a month"),
        ("recommend GPUs for full fine-tuning 7B, budget $3/hour", "within your $3.00 an hour"),
    ],
)
def test_a_budget_is_compared_with_the_plan(message: str, said: str) -> None:
    assert said in ask(message).headline


def test_a_card_that_is_named_restricts_the_plans() -> None:
    asked = ask("recommend a gpu for qwen2.5 72b inference").then("what about H100?")
    assert {way.gpu for way in asked.answer.alternatives} <= {"H100"}
    assert "H100" in asked.headline
    assert "A100" not in asked.headline


@pytest.mark.parametrize("message", ["cheapest way to serve Qwen2.5-72B", "部署 Qwen2.5-72B 最便宜的方案"])
def test_the_cheapest_way_takes_smaller_weights_and_says_what_they_cost(message: str) -> None:
    asked = ask(message)
    assert any(word in asked.headline for word in ("fp8", "AWQ"))
    assert any(word in asked.words for word in ("accuracy", "精度"))
    cost = asked.answer.cost
    assert cost is not None
    assert all(way.cost is None or way.cost.amount.best >= cost.amount.best for way in asked.answer.alternatives)


def test_weights_as_asked_stay_as_asked() -> None:
    assert "int4" not in ask("cheapest way to serve Qwen2.5-72B in bf16").words


@pytest.mark.parametrize("message", ["which GPU should I rent to serve Qwen2.5-72B?", "推荐部署 Llama-3.3-70B 的显卡"])
def test_no_more_loose_cards_than_one_machine_holds(message: str) -> None:
    answer = ask(message).answer
    ways = [(way.gpu, way.n_gpus) for way in answer.alternatives]
    assert not [way for way in ways if way[1] > 8 and way[0].startswith(("L4", "RTX", "A10 "))]


def test_plans_in_different_weights_say_which() -> None:
    words = ask("what's the cheapest way to run DeepSeek-R1 in house?").words
    assert "A100" not in words or "INT8" in words
