"""Planning: layouts, loads, savings, recipes, and what it takes beside the cards."""

from __future__ import annotations

from itertools import pairwise

import jinja2
import pytest

from bot.estimator import (
    Load,
    cost_per_mtok,
    load_serving_measurements,
    loading_of,
    nearest_serving,
    offload_split,
    plan_service,
    plan_serving,
    prefix_cached_prefill_s,
    search_cards,
    serving_recipe,
    serving_savings,
    smallest_serving,
    speculative_gain,
    tails_of,
)
from bot.folder import Folder, data_root
from tests.estimator.serving_desk import data, serve, specs, workload

LAYOUTS = [
    # model, cards, (tp, pp) of a sensible engineer
    ("Llama-3.1-70B", 8, (8, 1)),
    ("Llama-3.1-70B", 16, (8, 2)),  # TP stays in the node, stages join nodes
    ("Qwen2.5-7B", 8, (4, 1)),  # 28 heads: TP 4, two replicas
    ("Llama-3.1-70B", 3, (1, 3)),  # three divides neither heads nor fits by replicas
]


@pytest.mark.parametrize(("model", "cards", "layout"), LAYOUTS)
def test_layout_where_none_is_said(model: str, cards: int, layout: tuple[int, int]) -> None:
    estimate = serve(model, "A100-80G-SXM", cards)
    tp, pp = layout
    assert estimate.weights_gib_per_gpu == pytest.approx(estimate.weights_gib / (tp * pp), rel=0.06)


def test_plans_are_ranked_by_speed() -> None:
    plans = plan_serving(workload("Llama-3.1-8B", n_gpus=8, concurrency=64, input_len=500, output_len=200), data())
    rates = [p.estimate.throughput_tokens_per_s.best for p in plans if p.estimate.throughput_tokens_per_s]
    assert len(plans) == 4  # TP 8, 4, 2, 1
    assert rates == sorted(rates, reverse=True)


def test_a_model_of_two_nodes_takes_whole_nodes() -> None:
    assert smallest_serving(workload("DeepSeek-V3", "H100-SXM"), data()).min_gpus == 16


def test_three_plans_carry_a_load() -> None:
    load = Load(requests_per_s=5, ttft_ms=2000, tpot_ms=60)
    plans = plan_service(workload("Llama-3.1-8B", "L40S", input_len=1000, output_len=300), load, data())
    assert [plan.name for plan in plans] == ["economy", "recommended", "headroom"]
    assert all(before.n_gpus <= after.n_gpus for before, after in pairwise(plans))
    assert (plans[0].spare, plans[1].spare) == (0, 1)
    for plan in plans:
        assert plan.estimate.ttft_ms is not None
        assert plan.estimate.ttft_ms.best <= 2000
        assert plan.estimate.throughput_tokens_per_s is not None
        assert plan.replicas * plan.estimate.throughput_tokens_per_s.best >= 5 * 300 * 0.99
    assert plans[1].estimate.fits == "yes"


def test_no_plan_where_the_target_cannot_be_met() -> None:
    assert plan_service(workload("Llama-3.1-70B", "L40S"), Load(users=10, tpot_ms=1), data()) == ()


def test_search_finds_the_cheapest_card_that_holds_it() -> None:
    prices = {"h100-sxm": 2.5, "a100-sxm-80": 1.5, "l40s": 0.8}
    found = search_cards(workload("Llama-3-70B"), specs().gpus, data(), formats=("bf16", "awq_int4"), prices=prices)
    first = found[0]
    assert (first.gpu.id, first.weights_format, first.n_gpus) == ("l40s", "awq_int4", 1)
    assert first.estimate is not None
    assert first.estimate.fits == first.verdict
    priced = [option.hourly for option in found if option.hourly is not None]
    assert priced == sorted(priced)


def test_search_leaves_out_formats_that_a_card_cannot_run() -> None:
    found = search_cards(workload("Llama-3-70B"), specs().gpus, data(), formats=("fp8",))
    assert "a100-sxm-80" not in {option.gpu.id for option in found}


def test_savings_name_what_they_leave() -> None:
    savings = serving_savings(workload("Qwen2-72B", n_gpus=2), data())
    first = savings[0]
    assert first.change.values["format"] == "awq_int4"  # type: ignore[union-attr]
    assert first.verdict == "yes"
    assert first.saved_gib > 40
    assert [s.saved_gib for s in savings] == sorted((s.saved_gib for s in savings), reverse=True)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "llama.cpp"])
def test_recipes_render(engine: str) -> None:
    weights = "gguf_q4_k_m" if engine == "llama.cpp" else "awq_int4"
    asked = workload("Llama-3-70B", n_gpus=2, engine=engine, weights_format=weights, concurrency=8)
    recipe = serving_recipe(asked, serve("Llama-3-70B", n_gpus=2, engine=engine, weights_format=weights, concurrency=8))
    source = (data_root() / "templates" / "recipe" / f"{recipe.kind}.j2").read_text(encoding="utf-8")
    text = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False).from_string(source).render(recipe.settings)
    assert recipe.kind == engine
    assert "meta-llama/Meta-Llama-3-70B" in text
    assert recipe.check is not None
    assert not text.rstrip().endswith("\\")


def test_loading_takes_size_over_rate() -> None:
    loading = loading_of(serve("Qwen2-72B", n_gpus=2), data(), n_gpus=2, gb_per_s=3.0)
    assert loading.read_s.low == pytest.approx(145.4 / 3.0, rel=0.01)  # 145.4 GB at the full rate
    assert loading.ready_s.best > loading.read_s.best
    assert loading.vcpus == 16


def test_offload_keeps_what_fits_on_the_card() -> None:
    split = offload_split(workload("Llama-3-70B", "RTX3090", weights_format="gguf_q4_k_m"), data())
    assert split is not None
    assert 35 < split.gpu_layers < 55
    assert split.gpu_gib <= 23.7
    assert split.tokens_per_s == pytest.approx(2.7, rel=0.3)
    whole = offload_split(workload("Llama-3.1-8B", "RTX3090", weights_format="gguf_q4_k_m"), data())
    assert whole is not None
    assert whole.gpu_layers == whole.layers


def test_speculation_gains_least_where_the_batch_is_full() -> None:
    """Published: 1.5 to 2.8 times faster at low load, slower at high."""
    alone, busy = (
        speculative_gain(
            workload("Llama-3-70B", "H100-SXM", 4, input_len=500, output_len=500, concurrency=users),
            data(), drafted=4, accepted=2.0,
        )
        for users in (1, 256)
    )  # fmt: skip
    assert alone is not None
    assert busy is not None
    assert 1.5 < alone < 3
    assert busy < alone


def test_cached_prefixes_are_not_computed_again() -> None:
    asked = workload("Llama-3.1-8B", input_len=8000)
    whole, cached = (prefix_cached_prefill_s(asked, data(), hit_rate=rate) for rate in (0.0, 0.9))
    assert whole is not None
    assert cached is not None
    assert cached < whole / 4


def test_cost_of_a_million_tokens() -> None:
    estimate = serve("Llama-3.1-8B", "H100-SXM", concurrency=64)
    cost = cost_per_mtok(estimate, price_per_gpu_hour=3.0, n_gpus=1)
    assert cost.output is not None
    assert cost.input is not None
    assert estimate.throughput_tokens_per_s is not None
    assert cost.output.best == pytest.approx(3.0 / 3600 / estimate.throughput_tokens_per_s.best * 1e6)
    assert cost.input.best < cost.output.best


def test_the_nearest_measurement_is_of_the_same_model_and_card() -> None:
    measured = load_serving_measurements(Folder.knowledge(), specs())
    found = nearest_serving(workload("Qwen2-72B", n_gpus=2), measured)
    assert found is not None
    assert found.value == pytest.approx(17.68)
    assert found.source.url is not None
    assert nearest_serving(workload("Falcon-40B", "MI300X", 8, weights_format="nf4"), measured[:20]) is None


def test_tails_need_a_load() -> None:
    """LMDeploy, Llama-2-7B on A100: P99 of a token 1.4 times the P50 at 16 requests, alike at one."""
    asked = {
        users: workload("Llama-2-7B", engine="lmdeploy", input_len=128, output_len=512, concurrency=users)
        for users in (1, 16)
    }
    estimates = {
        users: serve("Llama-2-7B", engine="lmdeploy", input_len=128, output_len=512, concurrency=users) for users in asked
    }
    one, many = (tails_of(asked[users], estimates[users]) for users in (1, 16))
    assert one is not None
    assert many is not None
    assert estimates[1].tpot_ms is not None
    assert estimates[16].tpot_ms is not None
    assert one.tpot_p99_ms == pytest.approx(estimates[1].tpot_ms.best)
    assert many.tpot_p99_ms == pytest.approx(1.4 * estimates[16].tpot_ms.best, rel=0.1)
    assert tails_of(workload("Llama-2-7B"), serve("Llama-2-7B")) is None
