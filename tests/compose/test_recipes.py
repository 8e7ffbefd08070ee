"""The configuration behind an answer is a file that its tool reads."""

import json

import yaml

from bot.answer import Recipe
from bot.compose.recipes import rendered
from bot.folder import data_root
from tests.advise.road import READER, ask, assistant

TEMPLATES = data_root() / "templates"


def recipe_of(message: str) -> tuple[Recipe, str]:
    (recipe,) = ask(message).answer.recipes
    return recipe, rendered(recipe, TEMPLATES)


def test_llama_factory_reads_its_yaml() -> None:
    recipe, text = recipe_of("QLoRA of Llama-3-8B with llama-factory on one A100 80G, 4096 tokens?")
    settings = yaml.safe_load(text)
    assert recipe.kind == "llama-factory"
    assert settings["finetuning_type"] == "lora"
    assert settings["quantization_bit"] == 4
    assert settings["cutoff_len"] == 4096


def test_vllm_gets_the_layout_of_the_answer() -> None:
    _, text = recipe_of("can 4x A100 80G serve Qwen2-72B with vLLM for 20 users?")
    assert "--tensor-parallel-size 4" in text
    assert "--max-num-seqs 20" in text


def test_the_reply_shows_file_and_check() -> None:
    answer = ask("can 4x A100 80G serve Qwen2-72B with vLLM for 20 users?").answer
    reply = assistant().composer.compose_recipe(answer, reader=READER)
    assert reply is not None
    drawn = json.dumps(reply.blocks)
    assert "vllm serve" in drawn
    assert "GPU KV cache size" in drawn


def test_an_answer_without_a_configuration_has_no_such_reply() -> None:
    assert assistant().composer.compose_recipe(ask("cheapest H100 right now").answer, reader=READER) is None
