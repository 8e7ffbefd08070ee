"""What cards reach in training, over the whole catalog: no share above the datasheet, and doubt where no run is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.estimator import Parallelism, best_plan, estimate_training, smallest_training
from bot.estimator.training_cards import is_measured
from tests.estimator.training_examples import FSDP, data, specs, training

L8, FULL = "Llama-3.1-8B", "full_finetune"
CARDS = [gpu.name for gpu in specs().gpus if gpu.bf16_tflops or gpu.fp16_tflops]
BUSY = {"method": FULL, "seq_len": 4096, "micro_batch": 4, "checkpointing": "none", "framework": "torchtune"}


@pytest.mark.parametrize("card", CARDS)
def test_no_card_reaches_more_than_three_quarters_of_its_peak(card):
    assert 0.02 < estimate_training(training(L8, card, **BUSY), data()).mfu.best < 0.76


@pytest.mark.parametrize(
    ("less", "more"), [("L40S", "L20"), ("H100-SXM", "H20"), ("T4", "V100-32G-SXM"), ("RTX6000Ada", "RTX4090")]
)
def test_a_card_with_fewer_watts_for_each_tflop_reaches_less_of_its_peak(less, more):
    low, high = (estimate_training(training(L8, card, **BUSY), data()).mfu.best for card in (less, more))
    assert low < 0.9 * high


def test_a_lowered_power_limit_slows_a_card():
    full = training(L8, "H100-SXM", **BUSY)
    capped = replace(full, hardware=replace(full.hardware, power_w=400))
    assert _speed(capped) < 0.9 * _speed(full)


@pytest.mark.parametrize("card", ["MI300X", "Ascend910B-64G", "TPUv5p", "Gaudi3"])
def test_cards_without_published_runs_have_wider_bands(card):
    assert not is_measured(specs().gpu(card), data().training_constants)
    known, other = (_band(training(L8, name, method="lora")) for name in ("A100-80G-SXM", card))
    assert other.high / other.best > 1.15 * known.high / known.best


def test_server_cards_share_weights_over_pcie_faster_than_desktop_cards():
    server, desktop = (_speed(training(L8, card, 8, FSDP, method="lora", micro_batch=4)) for card in ("L20", "RTX4090"))
    assert server > 1.5 * desktop


def test_over_a_slow_network_weights_are_better_sharded_inside_each_node():
    run = training(L8, "H100-SXM", 64, method=FULL, seq_len=4096, grad_accum=8)
    slow = replace(run, hardware=replace(run.hardware, internode_gbps=100))
    inside, over_all = (replace(slow, parallelism=Parallelism(fsdp=kind)) for kind in ("hybrid_shard", "full_shard"))
    assert _speed(inside) > 2 * _speed(over_all)
    assert _need(inside) > _need(over_all)


def test_a_large_mixture_is_pretrained_with_its_experts_spread():
    run = training("DeepSeek-V3", "H800", 2048, method="pretrain", seq_len=4096)
    spread, whole = (estimate_training(w, data()) for w in (run, replace(run, parallelism=Parallelism(fsdp="full_shard"))))
    assert spread.fits != "no"
    assert spread.tokens_per_s_per_gpu.best > whole.tokens_per_s_per_gpu.best


@pytest.mark.parametrize("model", ["Qwen2.5-7B", "Qwen2.5-32B", "Yi-34B", "Qwen2.5-72B", "Qwen3-235B-A22B"])
@pytest.mark.parametrize("card", ["T4", "RTX4090", "L40S", "A100-80G-SXM", "H200-SXM"])
@pytest.mark.parametrize("method", ["qlora", "lora", FULL])
def test_a_sure_count_is_near_the_fewest(model, card, method):
    found = smallest_training(training(model, card, None, method=method), data())
    assert found.min_gpus_yes is None or found.min_gpus <= found.min_gpus_yes <= 8 * found.min_gpus


def test_34b_qlora_takes_two_24g_cards():
    found = smallest_training(training("Yi-34B", "RTX3090", None, method="qlora"), data())
    assert (found.min_gpus, found.min_gpus_yes) == (1, 2)
    assert (
        best_plan(training("Yi-34B", "RTX3090", None, method="qlora"), 2, data()).workload.parallelism.fsdp == "full_shard"
    )


def _need(workload):
    return estimate_training(workload, data()).memory_gib_per_gpu.best


def _speed(workload):
    return _band(workload).best


def _band(workload):
    return estimate_training(workload, data()).tokens_per_s_per_gpu
