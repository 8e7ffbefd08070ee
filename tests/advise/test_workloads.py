"""Slots become workloads: words of the question in, keys of the estimator out, and nothing that was not said."""

from dataclasses import replace

import pytest

from bot.advise.context import AdviceContext
from bot.advise.setup import cards_in, gpu_label, subjects_in
from bot.advise.workloads import methods_of, serving_workload, training_workload, weights_format
from bot.question import GpuSlot, Intent, ModelConfig, ModelSlot, Question, Slots, Task
from tests.advise.road import NOW, assistant

A100 = GpuSlot("A100-80G", 80)


def context():  # type: ignore[no-untyped-def]
    from bot.advise.context import AdviceContext

    return AdviceContext(assistant().advisor.library, NOW)


def asked(text: str = "", **slots: object) -> Question:
    return Question(text, Intent.FEASIBILITY, Slots(**slots))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slots", "text", "expected"),
    [
        ({"precision": "int4", "quant": "awq"}, "", "awq_int4"),
        ({"quant": "gptq", "precision": "int8"}, "", "gptq_int8"),
        ({"quant": "bnb", "precision": "int4"}, "", "nf4"),
        ({"quant": "gguf", "precision": "int4"}, "Qwen3.6-27B Q4_K_M", "gguf_q4_k_m"),
        ({"precision": "int4"}, "llama Q5_K_S", "gguf_q5_k_s"),
        ({"precision": "int4", "engine": "ollama"}, "", "gguf_q4_k_m"),
        ({"precision": "int4"}, "", "int4"),
        ({"precision": "int8"}, "", "int8_w8a8"),
        ({"precision": "fp8"}, "", "fp8"),
        ({"precision": "bf16"}, "", "bf16"),
        ({}, "", None),
    ],
)
def test_weights_format(slots: dict[str, object], text: str, expected: str | None) -> None:
    assert weights_format(asked(text, **slots)) == expected


@pytest.mark.parametrize(
    ("task", "methods"),
    [
        (Task.FINETUNE, ("qlora", "lora", "full_finetune")),
        (Task.TRAIN, ("full_finetune", "lora", "qlora")),
        (Task.LORA, ("lora",)),
        (Task.RLHF, ("full_finetune",)),
        (Task.INFERENCE, ()),
        (None, ()),
    ],
)
def test_methods_of(task: Task | None, methods: tuple[str, ...]) -> None:
    assert methods_of(task) == methods


def test_what_is_not_said_stays_unknown() -> None:
    question = asked(gpus=(A100,), models=(ModelSlot(None, 70),), task=Task.LORA)
    (subject,), (cards,) = subjects_in(question, context()), cards_in(question, context())
    workload = training_workload("lora", question, subject, cards, 1)
    assert (workload.seq_len, workload.micro_batch, workload.optimizer, workload.framework) == (None,) * 4
    serving = serving_workload(question, subject, cards, 2)
    assert (serving.weights_format, serving.engine, serving.input_len, serving.concurrency) == (None,) * 4
    assert serving.hardware.n_gpus == 2


@pytest.mark.parametrize(
    ("slots", "lengths"),
    [
        ({"seq_len": 8192}, (8192 - 1000, 1000, 8192)),
        ({"seq_len": 2048}, (1536, 512, 2048)),
        ({"input_len": 2000, "output_len": 500}, (2000, 500, None)),
        ({"input_len": 2000, "seq_len": 16384}, (2000, None, 16384)),
    ],
)
def test_a_context_said_as_one_number_is_filled(slots: dict[str, int], lengths: tuple[int | None, ...]) -> None:
    question = asked(gpus=(A100,), models=(ModelSlot(None, 70),), **slots)
    (subject,), (cards,) = subjects_in(question, context()), cards_in(question, context())
    workload = serving_workload(question, subject, cards, 1)
    assert (workload.input_len, workload.output_len, workload.max_model_len) == lengths


def test_offload_without_saying_what_is_both() -> None:
    question = asked(gpus=(A100,), models=(ModelSlot(None, 70),), offload="unspecified", framework="deepspeed", zero_stage=3)
    (subject,), (cards,) = subjects_in(question, context()), cards_in(question, context())
    workload = training_workload("full_finetune", question, subject, cards, 8)
    assert workload.offload == ("optimizer", "param")
    assert (workload.framework, workload.parallelism.zero_stage) == ("hf-deepspeed", 3)


def test_a_bare_size_stands_for_the_usual_model_and_says_so() -> None:
    (subject,) = subjects_in(asked(models=(ModelSlot(None, 70),)), context())
    assert subject.model.name.startswith("Llama-3.3-70B")
    assert subject.label == "70B"
    assert subject.assumed[0].slot == "models[0].name"


def test_an_unknown_name_gets_the_usual_shape_of_its_size() -> None:
    (subject,) = subjects_in(asked(models=(ModelSlot("Foo-13B", 13),)), context())
    assert not subject.known
    assert not subject.model.shape_known
    assert subject.model.layers


def test_a_name_without_a_size_is_no_subject() -> None:
    assert subjects_in(asked(models=(ModelSlot("Foo", None),)), context()) == ()


def test_a_pasted_config_is_counted() -> None:
    shape = {"layers": 32, "hidden": 4096, "intermediate": 14336, "heads": 32, "kv_heads": 8, "vocab": 128256}
    question = replace(asked(), config=ModelConfig("mine", tuple(shape.items())))
    (subject,) = subjects_in(question, context())
    assert subject.model.params_b == pytest.approx(8.03, rel=0.01)


@pytest.mark.parametrize(
    ("slot", "title", "memory"),
    [
        (GpuSlot("A100"), "A100 SXM4 80GB", None),
        (GpuSlot("A100-40G", 40), "A100 SXM4 40GB", None),
        (GpuSlot("V100", 32), "Tesla V100 SXM2 32GB", None),
        (GpuSlot("RTX4090", 48), "GeForce RTX 4090", 48),
        (GpuSlot(None, 24), None, 24),
    ],
)
def test_cards_resolve_to_a_variant(slot: GpuSlot, title: str | None, memory: float | None) -> None:
    (cards,) = cards_in(asked(gpus=(slot,)), context())
    assert (cards.gpu.title if cards.gpu else None) == title
    assert cards.memory_gb == memory


@pytest.mark.parametrize(
    ("name", "label"),
    [("A100-80G-SXM", "A100 80G SXM"), ("RTX4090", "RTX 4090"), ("RTXA6000", "RTX A6000"), ("L40S", "L40S")],
)
def test_gpu_label(name: str, label: str) -> None:
    assert gpu_label(name) == label


def test_a_number_beyond_every_model_is_no_size() -> None:
    question = Question("4*3090", Intent.FEASIBILITY, Slots(models=(ModelSlot(None, 309_000),)))
    assert subjects_in(question, AdviceContext(assistant().advisor.library, NOW)) == ()
