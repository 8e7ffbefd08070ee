"""Serving over the whole catalog of cards: never faster than memory can be read, and doubt where no run is known."""

from __future__ import annotations

import pytest

from bot.estimator.serving_setup import serving_setup
from tests.estimator.serving_desk import data, serve, specs, workload

CARDS = [gpu.name for gpu in specs().gpus if gpu.bandwidth_gbs and gpu.usable_gib > 7]
ENGINES = (
    "vllm",
    "sglang",
    "tensorrt-llm",
    "lmdeploy",
    "transformers",
    "llama.cpp",
    "tgi",
    "mlc-llm",
    "exllama",
    "nim",
    "new",
)


@pytest.mark.parametrize("card", CARDS)
def test_no_stream_is_faster_than_the_weights_are_read(card: str) -> None:
    gpu = specs().gpu(card)
    for engine in ("vllm", "llama.cpp"):
        asked = workload("Llama-3.2-3B", card, engine=engine, weights_format="fp16", input_len=200, output_len=200)
        estimate = serve("Llama-3.2-3B", card, engine=engine, weights_format="fp16", input_len=200, output_len=200)
        if estimate.decode_tokens_per_s_per_request is None:
            continue
        reads = serving_setup(asked, data()).weights.dense_read
        roof = (gpu.bandwidth_gbs or 0) * 1e9 / reads
        assert 0.1 * roof < estimate.decode_tokens_per_s_per_request.best < 0.97 * roof


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_answers_in_sane_times(engine: str) -> None:
    estimate = serve("Llama-3.1-8B", engine=engine, input_len=1000, output_len=200)
    assert estimate.fits == "yes"
    assert estimate.ttft_ms is not None
    assert estimate.tpot_ms is not None
    assert 20 < estimate.ttft_ms.best < 2000
    assert 7 < estimate.tpot_ms.best < 60


@pytest.mark.parametrize("card", ["MI300X", "Ascend910B-64G", "TPUv5p", "V100-32G-SXM"])
def test_cards_without_published_runs_have_wider_bands(card: str) -> None:
    known, other = (serve("Llama-3.1-8B", name).tpot_ms for name in ("A100-80G-SXM", card))
    assert known is not None
    assert other is not None
    assert other.high / other.best > 1.05 * known.high / known.best
