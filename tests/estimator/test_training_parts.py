"""Parts of the sum that are arithmetic, and the files that realise an answer."""

from __future__ import annotations

import json

import pytest
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bot.estimator import estimate_training, training_recipe
from bot.estimator.training_flops import flops_per_token
from bot.estimator.training_reliability import reliability_of, training_checkpoint_gb
from bot.estimator.training_setup import resolve_training
from bot.estimator.training_states import adapter_parameters
from bot.folder import data_root
from tests.estimator.training_examples import data, training


def setup(*args, **keys):
    return resolve_training(training(*args, **keys), data())


def test_model_flops_of_llama2_7b():
    """6 x 6.61e9 for the matrices, 12 x 32 x 4,096 x 4,096 for attention."""
    assert flops_per_token(setup("Llama-2-7B", seq_len=4096)).model == pytest.approx(46.1e9, rel=0.01)


def test_a_frozen_base_takes_four_flops_a_parameter():
    full, lora = (flops_per_token(setup("Llama-2-7B", method=m, seq_len=512)).model for m in ("full_finetune", "lora"))
    assert lora / full == pytest.approx(4 / 6, rel=0.03)


def test_adapter_parameters_of_q_and_v():
    small = setup("Llama-2-7B", method="lora", lora_rank=8, lora_targets=("q", "v"))
    assert adapter_parameters(small) == 8 * (4096 + 4096) * 2 * 32


def test_a_checkpoint_holds_weights_master_and_moments():
    assert training_checkpoint_gb(setup("Llama-3.3-70B-Instruct", n=16)) == pytest.approx(70.6 * 14, rel=0.02)
    assert training_checkpoint_gb(setup("Llama-3.3-70B-Instruct", method="lora")) < 5


def test_more_cards_are_interrupted_more_often():
    jobs = (setup("GPT-3-175B", n=n, method="pretrain") for n in (256, 4096))
    few, many = (reliability_of(job, data(), wall_hours=720) for job in jobs)
    assert few.interruptions < many.interruptions
    assert few.hours_between > many.hours_between
    assert 0 < few.lost_share < many.lost_share < 0.5


def test_the_sum_shows_the_numbers_of_the_model():
    lines = {line.label.key: line for line in estimate_training(training("Qwen2.5-7B"), data()).sum}
    assert lines["breakdown.weights"].formula == "7.615e9 x 2 B"
    assert lines["breakdown.optimizer"].formula == "7.615e9 x (8 + 4) B"


# framework, method, cards, name of the template, reader that must take it
RECIPES = [
    ("llama-factory", "qlora", 1, "llama-factory", yaml.safe_load),
    ("llama-factory", "full_finetune", 8, "llama-factory", yaml.safe_load),
    ("torchtune", "lora", 8, "torchtune", str),
    ("hf-deepspeed", "full_finetune", 8, "deepspeed", json.loads),
    ("hf-trainer", "lora", 4, "accelerate", yaml.safe_load),
    ("axolotl", "qlora", 2, "axolotl", yaml.safe_load),
    ("megatron-lm", "pretrain", 64, "megatron", str),
    (None, "lora", 1, "llama-factory", yaml.safe_load),
]


@pytest.mark.parametrize(("framework", "method", "n", "kind", "read"), RECIPES)
def test_recipes_are_files_that_their_readers_take(framework, method, n, kind, read):
    job = training("Llama-3.1-8B", n=n, method=method, framework=framework, seq_len=4096, micro_batch=2)
    recipe = training_recipe(job, estimate_training(job, data()))
    environment = Environment(loader=FileSystemLoader(data_root() / "templates/recipe"), undefined=StrictUndefined)
    text = environment.get_template(f"{recipe.kind}.j2").render(**recipe.settings)
    assert recipe.kind == kind
    assert read(text)
    assert "4096" in text or kind == "deepspeed"
    assert recipe.check.values["memory"].best > 0
