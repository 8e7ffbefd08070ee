"""Training estimates: the cases that popular rules get wrong, what must hold of any estimate, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import InvalidWorkload
from bot.estimator import Hardware, Parallelism, TrainingWorkload, estimate_training
from bot.estimator.workload import Method
from tests.estimator.training_examples import A100, FSDP, data, specs, training

L70, L8 = "Llama-3.3-70B-Instruct", "Llama-3.1-8B"
FULL = "full_finetune"

# id, workload, verdicts that are right. Where two are, users report both.
HARD = [
    ("8B full, mixed AdamW, one 80G", training(L8, method=FULL), {"no"}),
    ("8B full, 8-bit beside fp32 masters", training(L8, method=FULL, optimizer="adamw_8bit"), {"tight", "no"}),
    ("8B full, pure bf16, 8-bit AdamW", training(L8, method=FULL, master_weights="none", optimizer="adamw_8bit"), {"yes"}),
    ("8B full, optimizer offloaded", training(L8, method=FULL, offload=("optimizer",)), {"yes"}),
    ("70B full on 8", training(L70, n=8, method=FULL), {"no"}),
    ("70B full on 16", training(L70, n=16, method=FULL), {"tight"}),
    ("70B full on 24", training(L70, n=24, method=FULL), {"yes"}),
    ("70B full on 32", training(L70, n=32, method=FULL), {"yes"}),
    ("70B LoRA on 2", training(L70, n=2, method="lora"), {"tight"}),
    ("70B LoRA on 4", training(L70, n=4, method="lora"), {"yes"}),
    ("70B QLoRA on one 80G", training(L70, method="qlora"), {"yes"}),
    ("70B QLoRA on two 24G", training(L70, "RTX4090", 2, FSDP, method="qlora"), {"no"}),
    ("the same with parameters offloaded", training(L70, "RTX4090", 2, FSDP, method="qlora", offload=("param",)), {"yes"}),
    ("405B QLoRA on 8 x 80G", training("Llama-3.1-405B", n=8, method="qlora"), {"yes"}),
    ("72B full on 16 with ZeRO-3", training("Qwen2-72B", n=16, layout={"zero_stage": 3}, method=FULL), {"tight", "no"}),
    ("7B full on 8 x V100 with ZeRO-2",
     training("Llama-2-7B", "V100-32G", 8, {"zero_stage": 2}, method=FULL, precision="fp16"), {"tight", "no"}),
]  # fmt: skip


@pytest.mark.parametrize(("workload", "right"), [case[1:] for case in HARD], ids=[case[0] for case in HARD])
def test_hard_cases_get_the_right_verdict(workload, right):
    assert estimate_training(workload, data()).fits in right


def test_gpt3_on_a_thousand_a100_takes_about_34_days():
    run = training("GPT-3-175B", n=1024, method="pretrain", tokens_b=300, framework="megatron-lm")
    assert estimate_training(run, data()).wall_hours.best / 24 == pytest.approx(34, rel=0.15)


def test_a_long_run_says_what_interrupts_it():
    run = training("GPT-3-175B", n=1024, method="pretrain", tokens_b=300, framework="megatron-lm")
    estimate = estimate_training(run, data())
    assert estimate.interruptions == pytest.approx(16, rel=0.2)
    assert estimate.checkpoint_gb == pytest.approx(175 * 14, rel=0.02)
    assert 0.1 < estimate.checkpoint_every_h < 2
    assert "run_share" in {item.slot for item in estimate.assumptions}


def test_llama2_70b_takes_about_1_72_million_a100_hours():
    run = training("Llama-2-70B", n=None, method="pretrain", tokens_b=2000)
    assert estimate_training(run, data()).gpu_hours.best == pytest.approx(1.72e6, rel=0.15)


def test_the_405b_run_that_was_measured_is_inside_the_band():
    run = training("Llama-3.1-405B", n=8, layout=FSDP, method="qlora", framework="torchtune", micro_batch=2)
    band = estimate_training(run, data()).memory_gib_per_gpu
    assert band.low <= 44.8e9 / 2**30 <= band.high


METHODS = ("qlora", "lora", FULL)
SIZES = st.sampled_from([1.0, 3.0, 8.0, 14.0, 32.0, 70.0])
LENGTHS = st.sampled_from([512, 2048, 4096, 8192, 32768])


@settings(max_examples=40, derandomize=True, deadline=None)
@given(SIZES, LENGTHS, st.integers(1, 4))
def test_qlora_needs_less_than_lora_and_lora_less_than_full(size, seq_len, micro_batch):
    needs = [_need(training(size, method=m, seq_len=seq_len, micro_batch=micro_batch)) for m in METHODS]
    assert needs == sorted(needs)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(SIZES, st.sampled_from(METHODS), st.sampled_from([2, 4, 8, 16, 24, 32, 64]))
def test_more_cards_never_need_more_each_under_zero_3(size, method, n):
    few, many = (_need(training(size, n=k, layout={"zero_stage": 3}, method=method)) for k in (n, 2 * n))
    assert many <= few * 1.0001


@settings(max_examples=40, derandomize=True, deadline=None)
@given(SIZES, st.sampled_from(METHODS), LENGTHS, st.sampled_from(["none", "selective", "full"]))
def test_longer_sequences_never_need_less(size, method, seq_len, checkpointing):
    short = training(size, method=method, seq_len=seq_len, checkpointing=checkpointing)
    assert _need(replace(short, seq_len=2 * seq_len)) >= _need(short)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(SIZES, st.sampled_from(["lora", FULL]))
def test_weights_are_at_least_parameters_times_bytes(size, method):
    parts = estimate_training(training(size, method=method), data()).memory_breakdown_gib
    assert parts["weights"] >= 0.97 * size * 1e9 * 2 / 2**30


@settings(max_examples=40, derandomize=True, deadline=None)
@given(SIZES, st.sampled_from(METHODS), LENGTHS, st.sampled_from([1, 2, 8]))
def test_parts_add_up_and_bands_hold_their_best(size, method, seq_len, n):
    estimate = estimate_training(training(size, n=n, method=method, seq_len=seq_len), data())
    assert sum(estimate.memory_breakdown_gib.values()) == pytest.approx(estimate.memory_gib_per_gpu.best)
    assert estimate.memory_allocated_gib_per_gpu.best <= estimate.memory_gib_per_gpu.best
    assert estimate.memory_gib_per_gpu.best < estimate.memory_device_gib_per_gpu.best


def test_speed_and_step_agree():
    run = training(L8, n=8, layout=FSDP, method=FULL, micro_batch=1, grad_accum=4, global_batch=32, seq_len=4096)
    estimate = estimate_training(run, data())
    assert estimate.step_s.best * estimate.tokens_per_s_per_gpu.best * 8 == pytest.approx(32 * 4096)


def test_full_checkpointing_saves_memory_and_costs_speed():
    kept, again = (estimate_training(training(L8, method="lora", checkpointing=c), data()) for c in ("none", "full"))
    assert again.memory_gib_per_gpu.best < kept.memory_gib_per_gpu.best
    assert again.tokens_per_s_per_gpu.best < kept.tokens_per_s_per_gpu.best


def test_paged_states_leave_a_small_card():
    paged = {"method": FULL, "framework": "torchtune", "optimizer": "paged_adamw_8bit", "optimizer_in_backward": True}
    small, large = (estimate_training(training(L8, gpu, **paged), data()) for gpu in ("RTX4090", "RTXA6000"))
    assert small.memory_gib_per_gpu.best < 24 < large.memory_gib_per_gpu.best


def test_an_unknown_card_gets_memory_and_no_speed():
    estimate = estimate_training(training(L8, None, method="lora"), data())
    assert (estimate.tokens_per_s_per_gpu, estimate.fits) == (None, None)
    assert estimate.memory_gib_per_gpu.best > 15


def test_offloaded_states_are_counted_in_host_memory():
    estimate = estimate_training(training(L8, method=FULL, offload=("optimizer",)), data())
    assert estimate.host_ram_gib == pytest.approx(8.03e9 * 16 / 2**30, rel=0.05)


def test_loading_takes_host_memory_for_a_copy_or_one_in_each_process():
    one, eight = (estimate_training(training(L70, n=n, layout=FSDP, method="qlora"), data()) for n in (1, 8))
    assert one.loading_ram_gib.best == pytest.approx(70.55e9 * 2 / 2**30 + 3, rel=0.01)
    assert eight.loading_ram_gib.high > 1000 > eight.loading_ram_gib.best
    assert estimate_training(training(L8, method="pretrain"), data()).loading_ram_gib is None


def test_large_samples_limit_the_speed_to_what_storage_reads():
    """Samples of 2 GB from a drive of 2 GB/s: one sample of 2,048 tokens a second for all cards."""
    clips = training(L8, n=8, method="lora", sample_bytes=2e9, seq_len=2048)
    estimate = estimate_training(clips, data())
    assert estimate.tokens_per_s_per_gpu.best == pytest.approx(2048 / 8)
    assert "storage_gb_s" in {item.slot for item in estimate.assumptions}
    assert "GB/s" in estimate.notes[0]
    fast = replace(clips, storage_gb_s=1e6)
    assert estimate_training(fast, data()).tokens_per_s_per_gpu.best > 1000


def test_a_batch_that_does_not_add_up_is_noted():
    odd = training(L8, n=8, layout=FSDP, method=FULL, micro_batch=4, grad_accum=2, global_batch=17)
    assert "64" in estimate_training(odd, data()).notes[0]


# field that the error names, workload
REFUSED = [
    ("parallelism", training(L8, n=8, layout={"tp": 2, "pp": 2, "dp": 4})),
    ("parallelism.tp", training(L8, n=64, layout={"tp": 64})),
    ("parallelism.pp", training(L8, n=64, layout={"pp": 64})),
    ("parallelism.ep", training(L8, n=8, layout={"ep": 8})),
    ("parallelism.ep", training("Mixtral-8x7B", n=10, layout={"ep": 5})),
    ("parallelism.ep", training("Mixtral-8x7B", n=6, layout={"ep": 4})),
    ("n_gpus", training(L8, n=-1)),
    ("parallelism.zero_stage", training(L8, n=8, layout={"zero_stage": 4})),
    ("precision", training(L8, precision="fp8")),
    ("precision", training(L8, "V100-32G", precision="bf16")),
    ("attention", training(L8, "V100-32G", precision="fp16", attention="flash")),
    ("seq_len", training(L8, seq_len=0)),
    ("micro_batch", training(L8, micro_batch=-1)),
    ("lora_rank", training(L8, method="lora", lora_rank=-8)),
    ("method", training(L8, method="prefix")),
    ("optimizer", training(L8, optimizer="adam9")),
    ("quant", training(L8, method="qlora", quant="int3")),
    ("offload", training(L8, offload=("disk",))),
    ("lora_targets", training(L8, method="lora", lora_targets=("q", "bias"))),
    ("seq_len", training(L8, seq_len="2k")),
    ("tokens_b", training(L8, tokens_b=0)),
]


@pytest.mark.parametrize(("field", "workload"), REFUSED)
def test_contradictions_are_refused_with_field_value_and_remedy(field, workload):
    with pytest.raises(InvalidWorkload) as caught:
        estimate_training(workload, data())
    assert caught.value.field == field
    assert caught.value.accepted


def test_a_refusal_names_the_nearest_sizes():
    with pytest.raises(InvalidWorkload) as caught:
        estimate_training(training(L8, n=6, layout={"tp": 3}), data())
    assert caught.value.choices == ("2", "4")


def test_old_cards_keep_no_scores_without_flash_attention():
    assumed = {a.slot: a.value for a in estimate_training(training(L8, "V100-32G", method="lora"), data()).assumptions}
    assert assumed["attention"] == "sdpa"


def test_assumptions_name_what_was_not_said():
    slots = {item.slot for item in estimate_training(training(L8, method=FULL), data()).assumptions}
    assert {"seq_len", "micro_batch", "checkpointing", "attention", "master_weights", "optimizer"} <= slots


def _need(workload) -> float:
    return estimate_training(workload, data()).memory_gib_per_gpu.best


def test_a_row_of_cards_is_one_of_many_layouts():
    named = training(L8, A100, 8, {"tp": 4}, method=FULL)
    assert estimate_training(named, data()).memory_gib_per_gpu.best < _need(training(L8, method=FULL))


LAYOUTS = (
    {},
    {"zero_stage": 2},
    {"fsdp": "full_shard"},
    {"tp": 2},
    {"tp": 2, "pp": 2},
    {"cp": 2},
    {"layer_split": 2},
    {"ep": 8},
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.data())
def test_any_workload_is_answered_or_refused(drawn):
    """Every model of the catalog, card, method, layout and framework: a sound estimate, or an error that names a field."""
    pick = lambda values: drawn.draw(st.sampled_from(values))  # noqa: E731
    job = TrainingWorkload(
        model=pick(specs().models),
        hardware=Hardware(gpu=pick((*specs().gpus, None)), n_gpus=pick((None, 1, 2, 8, 64))),
        parallelism=Parallelism(**pick(LAYOUTS)),
        method=pick(get_args(Method)),
        framework=pick((None, *data().frameworks_by_name)),
        micro_batch=pick((None, 1, 16)),
        seq_len=pick((None, 512, 131072)),
        packing=pick((None, True, False)),
        checkpointing=pick((None, "none", "selective", "full")),
        optimizer=pick((None, "adamw_8bit", "paged_adamw_8bit", "adafactor")),
        offload=pick(((), ("optimizer",), ("optimizer", "param", "activation"))),
        tokens_b=pick((None, 1.0)),
    )
    try:
        estimate = estimate_training(job, data())
    except InvalidWorkload:
        return
    assert all(part >= 0 for part in estimate.memory_breakdown_gib.values())
    assert estimate.mfu is None or 0 < estimate.mfu.best < 1.5
