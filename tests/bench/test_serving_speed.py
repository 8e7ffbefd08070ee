"""How long serving answers may take: an estimate 200 microseconds, a search over all cards and formats 10 milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.estimator import estimate_serving, search_cards
from tests.estimator.serving_desk import data, specs, workload

_FORMATS = (
    "bf16", "fp8", "int8_w8a8", "gptq_int8", "gptq_int4", "awq_int4", "nf4", "mxfp4", "nvfp4", "gguf_q8_0", "gguf_q4_k_m",
)  # fmt: skip


def test_an_estimate() -> None:
    asked = workload("Qwen2-72B", n_gpus=2)
    assert _best_of(50, lambda: estimate_serving(asked, data())) < 200e-6


def test_a_search_over_all_cards_and_formats() -> None:
    asked = workload("Llama-3-70B")
    assert _best_of(10, lambda: search_cards(asked, specs().gpus, data(), formats=_FORMATS)) < 10e-3


def _best_of(times: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest run: the one that nothing else on the machine disturbed."""
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best
