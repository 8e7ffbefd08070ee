"""Serving cases that are easy to get wrong, each with what is known about it."""

from __future__ import annotations

import pytest

from bot.errors import InvalidWorkload
from bot.estimator import longest_serving_context, most_users, smallest_serving
from tests.estimator.serving_desk import data, serve, workload

VERDICTS = [
    # model, weights, card, count, verdicts that are right
    ("Qwen2-72B", "bf16", "A100-80G-SXM", 2, {"tight"}),  # 135 GiB of weights on 2 x 79: it starts, with little cache
    ("Qwen2-72B", "bf16", "A100-80G-SXM", 4, {"yes"}),
    ("Llama-3-70B", "awq_int4", "A100-40G-SXM", 1, {"no", "tight"}),
    ("Llama-3-70B", "awq_int4", "L40S", 1, {"tight"}),
    ("Llama-3-70B", "awq_int4", "A100-80G-SXM", 1, {"yes"}),
    ("DeepSeek-V3", None, "A100-80G-SXM", 8, {"no"}),  # 640 GiB of fp8 weights on 633, and Ampere has no fp8
    ("DeepSeek-V3", None, "H200-SXM", 8, {"yes"}),
    ("Mixtral-8x7B", "bf16", "A100-80G-SXM", 2, {"yes"}),
    ("gpt-oss-120b", None, "H100-SXM", 1, {"yes", "tight"}),
    ("gpt-oss-120b", None, "A100-80G-SXM", 1, {"yes", "tight"}),
    ("Llama-3-70B", "gguf_q4_k_m", "RTX3090", 2, {"yes", "tight"}),
    ("Llama-3-70B", "gguf_q4_k_m", "RTX3090", 1, {"no"}),
    ("Llama-2-70B", "fp16", "H100-SXM", 1, {"no"}),  # 128 GiB on 79: no speed can be claimed for it
]


@pytest.mark.parametrize(("model", "weights", "gpu", "count", "right"), VERDICTS)
def test_verdicts(model: str, weights: str | None, gpu: str, count: int, right: set[str]) -> None:
    assert serve(model, gpu, count, weights_format=weights).fits in right


def test_a_model_that_does_not_load_has_no_speed() -> None:
    assert serve("Llama-2-70B", "H100-SXM", weights_format="fp16").decode_tokens_per_s_per_request is None


def test_no_count_helps_a_card_without_the_checkpoints_type() -> None:
    assert smallest_serving(workload("DeepSeek-V3"), data()).min_gpus is None


def test_qwen2_72b_speed_on_two_a100() -> None:
    """17.68 tokens/s measured (Qwen documents, vLLM 0.4.2)."""
    speed = serve("Qwen2-72B", n_gpus=2, engine="vllm", engine_version="0.4.2", input_len=1, output_len=2048)
    assert speed.decode_tokens_per_s_per_request is not None
    assert speed.decode_tokens_per_s_per_request.best == pytest.approx(17.7, rel=0.12)


def test_fewest_cards_for_qwen2_72b() -> None:
    found = smallest_serving(workload("Qwen2-72B"), data())
    assert (found.min_gpus, found.min_gpus_yes) == (2, 4)


CACHE_BYTES = [
    ("Qwen2-72B", 327_680),  # GQA: 2 x 80 x 8 x 128 x 2
    ("Qwen1.5-72B-Chat", 2_621_440),  # MHA: 64 heads instead of 8
    ("DeepSeek-V3", 70_272),  # MLA: 61 x 576 x 2, not 128 heads
    ("Qwen2.5-0.5B", 12_288),
    ("Qwen3.5-27B", 65_536),  # 16 of 64 layers grow
    ("gpt-oss-120b", 36_864),  # 18 full layers; the other 18 keep 128 tokens
]


@pytest.mark.parametrize(("model", "expected"), CACHE_BYTES)
def test_cache_bytes_a_token(model: str, expected: int) -> None:
    assert serve(model).kv_bytes_per_token == expected


def test_a_long_context_of_qwen2_5_7b_takes_seven_gib() -> None:
    estimate = serve("Qwen2.5-7B", input_len=130_072, output_len=1000)
    assert estimate.memory_breakdown_gib["kv_cache"] == pytest.approx(7.0, rel=0.001)


def test_engines_without_a_latent_path_cache_whole_heads() -> None:
    """vLLM 0.5 held 13,360 tokens of DeepSeek-V2 on eight cards."""
    old = serve("DeepSeek-V2", "H100-SXM", 8, engine="vllm", engine_version="0.5.4")
    new = serve("DeepSeek-V2", "H100-SXM", 8, engine="vllm", engine_version="0.10")
    assert old.kv_bytes_per_token is not None
    assert new.kv_bytes_per_token is not None
    assert old.kv_bytes_per_token > 50 * new.kv_bytes_per_token


def test_twenty_nine_thousand_is_refused_where_thirty_five_thousand_fits() -> None:
    """vLLM 0.6 read a prompt whole up to 32k and in chunks above, so the longer context left more for the cache."""
    common = {"engine": "vllm", "engine_version": "0.6.x", "tp": 1, "gpu_memory_utilization": 0.9}
    assert serve("Llama-3.1-8B", "RTX3090", max_model_len=29_000, **common).fits == "no"
    assert serve("Llama-3.1-8B", "RTX3090", max_model_len=35_000, **common).fits in ("yes", "tight")


FILE_SIZES = [
    ("Llama-3.1-8B", "gguf_q4_k_m", 4.58),
    ("Llama-3.1-8B", "gguf_q8_0", 7.95),
    ("Llama-3-70B", "gguf_q4_k_m", 39.6),
    ("Llama-3-70B", "gguf_iq2_xs", 19.69),
    ("Llama-3-70B", "gguf_q2_k", 24.56),
]


@pytest.mark.parametrize(("model", "weights", "gib"), FILE_SIZES)
def test_gguf_file_sizes(model: str, weights: str, gib: float) -> None:
    assert serve(model, weights_format=weights).file_size_gib == pytest.approx(gib, rel=0.04)


def test_small_models_keep_their_embedding_at_16_bit() -> None:
    """Qwen2.5-7B in AWQ measures 5.39 GiB, not half a byte for each parameter (3.5)."""
    assert serve("Qwen2.5-7B", weights_format="awq_int4").weights_gib == pytest.approx(5.2, rel=0.03)


REFUSED = [
    ({"weights_format": "fp8"}, "weights_format", "int8_w8a8"),
    ({"n_gpus": 3, "tp": 3}, "tp", "2 or 4"),
    ({"max_model_len": 32_768, "engine": "vllm"}, "max_model_len", "8,192"),
    ({"weights_format": "awq_int4", "engine": "llama.cpp"}, "weights_format", "gguf"),
    ({"weights_format": "int3"}, "weights_format", "awq_int4"),
    ({"kv_dtype": "fp2"}, "kv_dtype", "fp8"),
    ({"n_gpus": 2, "tp": 4}, "tp", "at most"),
    ({"concurrency": 0}, "concurrency", "from 1"),
    ({"concurrency": "many"}, "concurrency", "from 1"),
    ({"n_gpus": 0}, "n_gpus", "above 0"),
    ({"input_len": -5}, "input_len", "above 0"),
    ({"output_len": 0.5}, "output_len", "whole"),
    ({"gpu_memory_utilization": 1.5}, "gpu_memory_utilization", "0.9"),
]


@pytest.mark.parametrize(("wrong", "field", "remedy"), REFUSED)
def test_what_cannot_be_served_is_said_with_what_can(wrong: dict[str, object], field: str, remedy: str) -> None:
    with pytest.raises(InvalidWorkload) as refusal:
        serve("Llama-3-70B", **wrong)  # type: ignore[arg-type]
    assert refusal.value.field == field
    assert remedy in refusal.value.accepted


def test_deepseek_r1_starts_on_eight_h20() -> None:
    """8 x 96 GB hold the 640 GiB of FP8 weights, and 16 users of 4,000 tokens beside them: the usual way to run it there."""
    busy = serve("DeepSeek-R1", "H20", 8, concurrency=16)
    assert busy.fits in ("yes", "tight")
    assert busy.memory_breakdown_gib["activations"] < 5


def test_what_a_card_lacks_is_noted() -> None:
    assert "no fp8" in serve("DeepSeek-V3", "A100-80G-SXM", 8).notes[0]
    assert "as fp16" in serve("Llama-3.1-8B", "V100-32G-SXM").notes[0]
    assert serve("Llama-3.1-8B").notes == ()


def test_older_engines_copy_experts_more_often() -> None:
    old, new = (serve("Qwen3-235B-A22B", "H100-SXM", 4, weights_format="fp8", engine_version=v) for v in ("0.9", "0.24.0"))
    assert old.kv_pool_gib_per_gpu is not None
    assert new.kv_pool_gib_per_gpu is not None
    assert old.kv_pool_gib_per_gpu.best < new.kv_pool_gib_per_gpu.best


def test_an_unknown_card_has_memory_but_no_speed() -> None:
    estimate = serve("Llama-3.1-8B", None, memory_gb=48)
    assert estimate.fits == "yes"
    assert estimate.tpot_ms is None
    assert estimate.throughput_tokens_per_s is None


def test_an_unknown_engine_gets_a_wider_band() -> None:
    known, unknown = serve("Llama-3.1-8B", engine="vllm"), serve("Llama-3.1-8B", engine="brand-new")
    assert known.tpot_ms is not None
    assert unknown.tpot_ms is not None
    assert unknown.tpot_ms.high / unknown.tpot_ms.low > known.tpot_ms.high / known.tpot_ms.low


def test_beyond_the_cache_requests_wait() -> None:
    """Llama-3.3-70B fp8 on 2 x H100, 5,000 in and 500 out: 0.8 s to the first token at 50, 89 s at 250 (NVIDIA NIM)."""
    common = {"weights_format": "fp8", "engine": "nim", "tp": 2, "input_len": 5000, "output_len": 500}
    few = serve("Llama-3.3-70B-Instruct", "H100-SXM", 2, concurrency=50, **common)
    many = serve("Llama-3.3-70B-Instruct", "H100-SXM", 2, concurrency=250, **common)
    assert not few.saturated
    assert many.saturated
    assert few.ttft_ms is not None
    assert many.ttft_ms is not None
    assert few.ttft_ms.best < 1500
    assert many.ttft_ms.best == pytest.approx(88_600, rel=0.25)


def test_users_and_longest_context_of_a_tight_server() -> None:
    tight = workload("Qwen2-72B", n_gpus=2)
    assert most_users(tight, data()) in (1, 2, 3)
    longest = longest_serving_context(tight, data())
    assert longest is not None
    assert 8_000 < longest < 50_000


def test_a_larger_share_of_the_card_starts_what_the_default_refuses() -> None:
    """Qwen1.5-72B with all heads cached started at 0.95 of two 80 GB cards and 2,048 tokens only."""
    assert serve("Qwen1.5-72B-Chat", "A800-80G", 2, engine="vllm", max_model_len=2048).fits == "tight"
    assert serve("Qwen1.5-72B-Chat", "A800-80G", 2, engine="vllm", max_model_len=32_768).fits == "no"


def test_data_parallel_attention_keeps_no_copies_of_a_latent_cache() -> None:
    copied, shared = (
        most_users(workload("DeepSeek-V3", "H200-SXM", 8, engine="sglang", dp_attention=dp), data()) for dp in (None, True)
    )
    assert copied is not None
    assert shared is not None
    assert shared > 5 * copied


def test_flash_attention_leaves_no_scores_in_llama_cpp() -> None:
    """70B Q4_K_M with 32k of 8-bit cache on two RTX 3090: 22.5 GiB a card by nvidia-smi."""
    job = {"weights_format": "gguf_q4_k_m", "input_len": 32_000, "output_len": 768, "engine": "llama.cpp"}
    fused = serve("Llama-3.3-70B-Instruct", "RTX3090", 2, kv_dtype="q8_0", **job)
    assert fused.memory_gib_per_gpu.best == pytest.approx(22.5, rel=0.04)
    assert fused.memory_breakdown_gib["activations"] < 0.2


def test_builds_before_flash_attention_was_the_default_keep_scores_unless_the_cache_is_quantised() -> None:
    """512 tokens x 64 heads x 32,768 x 4 B = 4 GiB of scores."""
    job = {"weights_format": "gguf_q4_k_m", "input_len": 32_000, "output_len": 768, "engine": "llama.cpp"}
    parts = [
        serve(
            "Llama-3.3-70B-Instruct", "RTX3090", 2, engine_version="build 5000", kv_dtype=cache, **job
        ).memory_breakdown_gib
        for cache in (None, "q8_0")
    ]
    assert [round(part["activations"]) for part in parts] == [4, 0]


def test_awq_in_vllm_needs_a_newer_card_than_v100() -> None:
    with pytest.raises(InvalidWorkload, match=r"vLLM.*V100.*gptq_int4") as refused:
        serve("Llama-3.1-8B", "V100-32G-SXM", weights_format="awq_int4", engine="vllm")
    assert refused.value.choices == ("gptq_int4",)
    assert "take gptq_int4" in serve("Llama-3.1-8B", "V100-32G-SXM", weights_format="awq_int4").notes[0]


@pytest.mark.parametrize(("gpu", "engine"), [("V100-32G-SXM", "lmdeploy"), ("T4", "vllm"), ("A100-80G-SXM", "vllm")])
def test_awq_runs_where_an_engine_has_kernels_for_the_card(gpu: str, engine: str) -> None:
    assert serve("Qwen2.5-7B", gpu, weights_format="awq_int4", engine=engine).notes == ()
