"""Counts, layouts, limits and savings of training jobs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.estimator import (
    best_plan,
    estimate_training,
    largest_training_batch,
    largest_training_model,
    longest_training_seq,
    plan_training,
    sensible_counts,
    smallest_training,
    training_savings,
    training_within_gpu_hours,
    training_within_hours,
)
from tests.estimator.training_examples import data, training

L70, L8 = "Llama-3.3-70B-Instruct", "Llama-3.1-8B"
FULL = "full_finetune"

# method, fewest cards that are tight or sure, fewest that are sure: Llama-3.3-70B on A100 80G
SMALLEST = [("qlora", 1, 1), ("lora", 2, 4), (FULL, 16, 24)]


@pytest.mark.parametrize(("method", "least", "sure"), SMALLEST)
def test_smallest_counts_of_a_70b(method, least, sure):
    smallest = smallest_training(training(L70, n=None, method=method), data())
    assert (smallest.min_gpus, smallest.min_gpus_yes) == (least, sure)


def test_counts_beyond_a_node_are_whole_nodes():
    counts = sensible_counts(training(L70, n=None))
    assert counts[:6] == (1, 2, 4, 8, 16, 24)
    assert all(n % 8 == 0 for n in counts if n > 8)


def test_a_stated_tensor_size_divides_every_count():
    assert all(n % 4 == 0 for n in sensible_counts(training(L70, n=None, layout={"tp": 4})))


def test_no_count_helps_where_one_sequence_is_too_long():
    smallest = smallest_training(training(L8, "RTX4090", None, method="qlora", seq_len=2_000_000), data())
    assert (smallest.min_gpus, smallest.plan) == (None, None)


def test_plans_fit_and_come_surest_first():
    plans = plan_training(training(L70, n=None, method=FULL), data())
    verdicts = [plan.verdict for plan in plans]
    assert verdicts == sorted(verdicts, key=["yes", "tight"].index)


def test_plans_on_a_stated_count_keep_it():
    assert {plan.n_gpus for plan in plan_training(training(L70, n=32, method=FULL), data())} == {32}


def test_a_deadline_takes_more_cards_and_a_budget_fewer():
    run = training(L8, n=None, method=FULL, tokens_b=1.0)
    slow, quick = (training_within_hours(run, data(), wall_hours=hours) for hours in (48, 6))
    assert slow.n_gpus < quick.n_gpus
    assert quick.estimate.wall_hours.best <= 6
    assert training_within_gpu_hours(run, data(), gpu_hours=1) is None


def test_the_longest_sequence_is_the_last_that_fits():
    run = training(L8, method="qlora")
    longest = longest_training_seq(run, data())
    after = estimate_training(replace(run, seq_len=longest + 256), data())
    assert estimate_training(replace(run, seq_len=longest), data()).fits != "no"
    assert after.fits == "no"


def test_limits_grow_with_the_card():
    small, large = training(L8, "RTX4090", method="qlora"), training(L8, method="qlora")
    for limit in (longest_training_seq, largest_training_batch, largest_training_model):
        assert limit(small, data()) < limit(large, data())


def test_savings_of_a_full_7b_on_one_card():
    """mixed AdamW: about 120 GiB; 8-bit states 77, pure bf16 63, LoRA near 20, a second card about 63 each."""
    steps = {s.change.key.split("_", 1)[1]: s for s in training_savings(training("Qwen2.5-7B", method=FULL), data())}
    assert steps["adamw_8bit"].verdict == "tight"
    assert steps["pure"].left_gib == pytest.approx(63, rel=0.05)
    assert steps["lora"].left_gib == pytest.approx(20, rel=0.15)
    assert steps["cards"].change.values["n"] == 2


def test_savings_add_up_to_the_need_before():
    job = training(L70, n=2, method="lora", layout={"fsdp": "full_shard"})
    need = estimate_training(job, data()).memory_gib_per_gpu.best
    assert all(s.saved_gib + s.left_gib == pytest.approx(need) for s in training_savings(job, data()))


def test_the_plan_for_a_count_is_the_simplest_that_fits():
    assert best_plan(training(L8, n=None, method="qlora"), 8, data()).workload.parallelism.zero_stage == 0
    assert best_plan(training(L70, n=None, method="lora"), 8, data()).workload.parallelism.fsdp == "full_shard"


def test_plans_and_smallest_counts_agree():
    job = training(L70, n=None, method=FULL)
    sure = [plan.n_gpus for plan in plan_training(job, data()) if plan.verdict == "yes"]
    assert min(sure) == smallest_training(job, data()).min_gpus_yes


def test_cards_that_cannot_hold_the_states_are_no_option():
    """Qwen3-235B in full on 40 H100: weights, gradients and optimizer states are 16 x 235e9 B = 87.6 GiB a card."""
    job = training("Qwen3-235B-A22B", "H100-SXM", None, method=FULL)
    smallest = smallest_training(job, data())
    assert smallest.min_gpus >= 235e9 * 16 / (79.1 * 2**30)
    assert best_plan(job, 40, data()).verdict == "no"


@pytest.mark.parametrize("model", [L8, L70, "Mixtral-8x7B"])
@pytest.mark.parametrize("n", [1, 8, 64])
def test_the_low_end_of_the_band_holds_all_states(model, n):
    estimate = estimate_training(training(model, n=n, layout={"fsdp": "full_shard"} if n > 1 else None), data())
    params = training(model).model.params_b * 1e9
    assert estimate.memory_device_gib_per_gpu.low > params * 16 / n / 2**30 * 0.97


# model, tokens in 1e9, card, cards, whole run in 1e6 GPU hours as published (DeepSeek-V3 report, Llama 3 model card)
PUBLISHED = [("DeepSeek-V3", 14_800, "H800-SXM", 2048, 2.664), ("Llama-3-70B", 15_000, "H100-SXM", 8192, 6.4)]


@pytest.mark.parametrize(("model", "tokens_b", "gpu", "n", "hours_m"), PUBLISHED)
def test_published_pretraining_runs_take_what_they_took(model, tokens_b, gpu, n, hours_m):
    run = estimate_training(training(model, gpu, n, method="pretrain", tokens_b=tokens_b), data()).gpu_hours
    assert 0.6 < run.best / 1e6 / hours_m < 1.7


def test_fewer_cards_take_no_other_gpu_hours():
    """A mixture on 256 cards runs at the pace of 2,048, nearly: only memory is scarcer."""
    few, many = (
        estimate_training(training("DeepSeek-V3", "H800-SXM", n, method="pretrain", tokens_b=14_800), data()).gpu_hours.best
        for n in (256, 2048)
    )
    assert few < 1.4 * many


def test_a_deadline_and_a_stated_count_agree_on_pretraining():
    job = training("Mixtral-8x7B", "H100-SXM", None, method="pretrain", tokens_b=1000)
    plan = training_within_hours(job, data(), wall_hours=30 * 24)
    stated = estimate_training(training("Mixtral-8x7B", "H100-SXM", plan.n_gpus, method="pretrain", tokens_b=1000), data())
    assert plan.n_gpus <= 256
    assert stated.wall_hours == plan.estimate.wall_hours


def test_a_deadline_is_met_on_as_many_cards_as_frontier_runs_had():
    job = training("Llama-3-70B", "H100-SXM", None, method="pretrain", tokens_b=15_000)
    plan = training_within_hours(job, data(), wall_hours=60 * 24)
    assert 4096 <= plan.n_gpus <= 8192
