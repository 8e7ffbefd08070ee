"""Parameter counts against published sizes: the kinds whose shape keys do not tell everything."""

from __future__ import annotations

import pytest

from bot.catalog.records import ModelSpec
from bot.estimator import architecture_of, with_usual_shape
from tests.estimator.serving_desk import specs


def test_every_known_shape_agrees_with_the_published_size() -> None:
    wrong = {
        model.name: architecture_of(model).total / 1e9
        for model in specs().models
        if model.shape_known and model.layers and abs(architecture_of(model).total / 1e9 / model.params_b - 1) > 0.03
    }
    assert wrong == {}


KINDS = [
    ("Qwen3.5-27B", 26.9),  # 48 gated delta-rule layers of 115.9 M beside 16 of attention
    ("Qwen2-57B-A14B", 57.4),  # its shared expert is eight times as wide as a routed one
    ("Gemma-3n-E4B", 6.9),  # per-layer embeddings
    ("Qwen2.5-VL-7B", 8.29),  # vision tower
    ("Falcon-7B", 7.22),  # a head of its own
]


@pytest.mark.parametrize(("name", "size"), KINDS)
def test_kinds_of_layers_and_parts(name: str, size: float) -> None:
    assert architecture_of(specs().model(name)).total / 1e9 == pytest.approx(size, rel=0.01)


def test_a_vision_tower_takes_no_part_in_a_tokens_products() -> None:
    arch = architecture_of(specs().model("Qwen2.5-VL-7B"))
    assert arch.other > 0.5e9
    assert arch.matmul_active < arch.active - arch.other


@pytest.mark.parametrize(("size", "active"), [(8.0, None), (70.0, None), (235.0, 22.0), (1000.0, 32.0), (2800.0, None)])
def test_a_model_known_by_size_only_gets_a_shape_of_that_size(size: float, active: float | None) -> None:
    shaped = with_usual_shape(ModelSpec(name="x", family="x", params_b=size, active_params_b=active, shape_known=False))
    arch = architecture_of(shaped)
    assert not shaped.shape_known
    assert arch.total / 1e9 == pytest.approx(size, rel=0.15)
    if active:
        assert arch.active / 1e9 == pytest.approx(active, rel=0.2)
    assert shaped.is_moe == (active is not None or size > 600)
