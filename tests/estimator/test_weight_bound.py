"""The bound of the weights only spares work: wherever it says no, every layout says so too."""

from __future__ import annotations

import random

import pytest

from bot.errors import InvalidWorkload, UnsupportedWorkload
from bot.estimator import Hardware, ServingWorkload, TrainingWorkload, is_outweighed, plan_serving, plan_training
from tests.estimator.training_examples import data, specs, training

_COUNTS = (1, 2, 4, 8, 16, 24)
_METHODS = ("qlora", "lora", "full_finetune", "galore", "lisa", "pretrain", "llamapro")
_FORMATS = (None, "fp8", "awq_int4", "nf4", "gguf_q4_k_m", "gguf_q2_k")


@pytest.mark.parametrize(
    ("method", "n_gpus", "outweighed"),
    [("lora", 1, True), ("lora", 2, False), ("qlora", 1, False), ("full_finetune", 2, True)],
)
def test_seventy_billion_on_cards_of_80_gb(method, n_gpus, outweighed):
    job = training("Llama-3.3-70B-Instruct", method=method, n=None)
    assert is_outweighed(job, n_gpus, data()) is outweighed


def test_what_is_offloaded_weighs_nothing():
    job = training("Llama-3.3-70B-Instruct", method="lora", n=None, offload=("param",))
    assert not is_outweighed(job, 1, data())


def test_outweighed_fits_in_no_layout():
    draw = random.Random(7)
    outweighed = [pair for pair in (_drawn(draw) for _ in range(1000)) if is_outweighed(*pair, data())]
    assert len(outweighed) > 100
    assert not [pair for pair in outweighed if _plans(*pair)]


def _drawn(draw: random.Random) -> tuple[TrainingWorkload | ServingWorkload, int]:
    model, hardware = draw.choice(specs().models), Hardware(gpu=draw.choice(specs().gpus))
    if draw.random() < 0.5:
        return TrainingWorkload(model, hardware, method=draw.choice(_METHODS)), draw.choice(_COUNTS)
    return ServingWorkload(model, hardware, weights_format=draw.choice(_FORMATS)), draw.choice(_COUNTS)


def _plans(job: TrainingWorkload | ServingWorkload, n_gpus: int):
    try:
        plan = plan_training if isinstance(job, TrainingWorkload) else plan_serving
        return plan(job, data(), counts=(n_gpus,))
    except (InvalidWorkload, UnsupportedWorkload):
        return ()
