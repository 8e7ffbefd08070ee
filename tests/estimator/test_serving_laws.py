"""Laws of serving: what must hold whatever the numbers are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import InvalidWorkload
from bot.estimator import (
    Hardware,
    ServingEstimate,
    ServingWorkload,
    cost_per_mtok,
    estimate_serving,
    load_serving_measurements,
)
from bot.estimator.serving_scores import serving_scores
from bot.folder import Folder
from tests.estimator.serving_desk import data, serve, specs, workload

MODELS = st.sampled_from(
    ["Llama-3.1-8B", "Qwen2-72B", "Mixtral-8x7B", "DeepSeek-V3", "Gemma-2-9b", "Qwen3.5-27B", "gpt-oss-20b"]
)
CARDS = st.sampled_from(["A100-80G-SXM", "H100-SXM", "L40S", "RTX4090", "B200", "MI300X", "H20"])
ENGINES = st.sampled_from(["vllm", "sglang", "tensorrt-llm", "transformers", "lmdeploy"])
FORMATS = st.sampled_from(["bf16", "gptq_int4", "awq_int4"])
LAWS = settings(derandomize=True, max_examples=60, deadline=None)


@LAWS
@given(model=MODELS, card=CARDS, engine=ENGINES, tokens=st.integers(100, 3000), more=st.integers(1, 4000))
def test_more_context_never_needs_less(model: str, card: str, engine: str, tokens: int, more: int) -> None:
    short = workload(model, card, engine=engine, weights_format="bf16", input_len=tokens, output_len=100)
    long = replace(short, input_len=tokens + more)
    assert _need(long) >= _need(short) * 0.9999


@LAWS
@given(model=MODELS, card=CARDS, engine=ENGINES, users=st.integers(1, 200))
def test_more_users_never_need_less_and_each_is_no_faster(model: str, card: str, engine: str, users: int) -> None:
    one = workload(model, card, engine=engine, weights_format="bf16", input_len=500, output_len=200, concurrency=users)
    more = replace(one, concurrency=users + 5)
    first, second = estimate_serving(one, data()), estimate_serving(more, data())
    assert second.memory_gib_per_gpu.best >= first.memory_gib_per_gpu.best * 0.9999
    if first.tpot_ms and second.tpot_ms:
        assert second.tpot_ms.best >= first.tpot_ms.best * 0.9999


@LAWS
@given(model=MODELS, card=CARDS, users=st.integers(1, 64))
def test_more_cards_never_need_more_each(model: str, card: str, users: int) -> None:
    counts = [1, 2, 4, 8]
    needs = [_need(workload(model, card, n, tp=n, weights_format="bf16", concurrency=users)) for n in counts]
    # The first step adds buffers to exchange through; beyond it the share of each card only shrinks.
    assert all(after <= before + 0.5 for before, after in pairwise(needs))
    assert needs[-1] < needs[0]


@LAWS
@given(model=MODELS, card=CARDS, weights=FORMATS)
def test_memory_holds_the_weights_and_the_sum_adds_up(model: str, card: str, weights: str) -> None:
    estimate = serve(model, card, weights_format=weights)
    assert estimate.memory_gib_per_gpu.best > estimate.weights_gib_per_gpu
    assert abs(sum(estimate.memory_breakdown_gib.values()) - estimate.memory_gib_per_gpu.best) < 1e-6
    assert abs(sum(line.value for line in estimate.sum) - estimate.memory_gib_per_gpu.best) < 1e-6


@LAWS
@given(model=MODELS, card=CARDS)
def test_fewer_bits_are_smaller(model: str, card: str) -> None:
    sizes = [serve(model, card, weights_format=name).weights_gib for name in ("fp32", "bf16", "gptq_int8", "awq_int4")]
    assert sizes == sorted(sizes, reverse=True)


@LAWS
@given(model=MODELS, card=CARDS, engine=ENGINES, users=st.integers(1, 100), output=st.integers(16, 2000))
def test_rates_agree_with_each_other(model: str, card: str, engine: str, users: int, output: int) -> None:
    estimate = serve(model, card, engine=engine, weights_format="awq_int4", concurrency=users, output_len=output)
    if estimate.tpot_ms is None or estimate.throughput_tokens_per_s is None:
        return
    each, total = estimate.decode_tokens_per_s_per_request, estimate.decode_tokens_per_s_total
    assert each is not None
    assert total is not None
    assert abs(each.best * estimate.tpot_ms.best / 1000 - 1) < 1e-9
    assert estimate.throughput_tokens_per_s.best <= total.best * 1.05


@LAWS
@given(model=MODELS, card=CARDS, speed=st.floats(0.01, 100))
def test_cost_is_price_times_cards_over_tokens(model: str, card: str, speed: float) -> None:
    estimate = serve(model, card, 8, tp=8, weights_format="awq_int4", concurrency=8)
    once = cost_per_mtok(estimate, price_per_gpu_hour=speed, n_gpus=8)
    twice = cost_per_mtok(estimate, price_per_gpu_hour=2 * speed, n_gpus=8)
    if once.output and twice.output:
        assert abs(twice.output.best / once.output.best - 2) < 1e-9


ANY_WORKLOAD = st.builds(
    ServingWorkload,
    model=st.sampled_from(specs().models),
    hardware=st.builds(
        Hardware, gpu=st.sampled_from([*specs().gpus, None]), memory_gb=st.none() | st.just(24.0), n_gpus=st.integers(1, 16)
    ),
    weights_format=st.sampled_from([None, "bf16", "fp8", "nvfp4", "gguf_q4_k_m", "gguf_iq2_xs", "int3"]),
    engine=st.sampled_from([None, "vllm", "sglang", "llama.cpp", "ollama", "transformers", "weird"]),
    engine_version=st.sampled_from([None, "0.5.4", "2024-05", "torch 2.0", "build 1786", "?"]),
    input_len=st.integers(0, 50_000),
    output_len=st.integers(1, 5000),
    concurrency=st.sampled_from([1, 33, 1000, "max"]),
)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(asked=ANY_WORKLOAD)
def test_every_workload_is_answered_or_refused_by_field(asked: ServingWorkload) -> None:
    try:
        estimate = estimate_serving(asked, data())
    except InvalidWorkload:
        return
    assert estimate.memory_gib_per_gpu.low > 0
    known = asked.hardware.gpu is not None or asked.hardware.memory_gb is not None
    assert estimate.fits in (("yes", "tight", "no") if known else (None,))


def test_published_runs_are_met() -> None:
    """The bars of the calibration: what was measured lies within these errors, by quantity."""
    scores = {s.quantity: s for s in serving_scores(load_serving_measurements(Folder.knowledge(), specs()), data())}
    bars = {
        "memory_gib_total": 0.03,
        "weights_gib_per_gpu": 0.01,
        "kv_bytes_per_token": 0.002,
        "file_size_gib": 0.01,
        "kv_pool_tokens": 0.12,
        "throughput_tokens_per_s": 0.10,
        "decode_tokens_per_s": 0.09,
        "request_tokens_per_s": 0.08,
        "ttft_ms": 0.14,
    }
    assert {name: scores[name].row_median for name, bar in bars.items() if scores[name].row_median > bar} == {}
    assert all(scores[name].answered == 1 for name in bars)


def _need(asked: object) -> float:
    estimate: ServingEstimate = estimate_serving(asked, data())  # type: ignore[arg-type]
    return estimate.memory_gib_per_gpu.best
