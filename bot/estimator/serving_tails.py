"""P99 of latencies: said only where a load is given, since a mean alone tells nothing of its tail."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bot.estimator.estimate import ServingEstimate
from bot.estimator.workload import ServingWorkload

# LMDeploy 0.2.0, Llama-2-7B on A100 (docs/en/benchmark/a100_fp16.md): P99 over P50 of a token's time is 1.0 at one request,
# 1.2 to 1.4 at 16, 1.3 to 1.6 at 32, 1.8 at 64, and 4.4 at 64 where the cache is full. There the worst first token came
# after 3 times the mean.
_TOKEN_SPREAD = 0.12  # of the P99 over the P50, for each doubling of the batch
_FULL_TOKEN, _FULL_FIRST = 4.4, 3.0
_QUEUE = 4.6  # P99 over the mean of an exponential wait: -ln 0.01


@dataclass(frozen=True, slots=True)
class Tails:
    ttft_p99_ms: float
    tpot_p99_ms: float


def tails_of(workload: ServingWorkload, estimate: ServingEstimate) -> Tails | None:
    """None without a stated number of requests, or without a speed."""
    users = workload.concurrency
    if not isinstance(users, int) or estimate.ttft_ms is None or estimate.tpot_ms is None:
        return None
    first, each = estimate.ttft_ms.best, estimate.tpot_ms.best
    if estimate.saturated:
        return Tails(first * _FULL_FIRST, each * _FULL_TOKEN)
    alone = first if estimate.prefill_tokens_per_s is None else min(first, _prompt_ms(workload, estimate))
    waiting = max(0.0, first - alone)
    return Tails(alone + _QUEUE * waiting, each * (1 + _TOKEN_SPREAD * math.log2(users)))


def _prompt_ms(workload: ServingWorkload, estimate: ServingEstimate) -> float:
    assumed = {item.slot: item.value for item in estimate.assumptions}
    prompt = workload.input_len or assumed.get("input_len")
    rate = estimate.prefill_tokens_per_s
    return 1000 * prompt / rate.best if rate is not None and isinstance(prompt, int) else math.inf
