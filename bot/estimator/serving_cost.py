"""Money for a million tokens: a pure function of the price, so that the price's date and seller stay with the asker."""

from __future__ import annotations

from dataclasses import dataclass

from bot.answer import Band
from bot.estimator.estimate import ServingEstimate

_MILLION = 1e6
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class TokenCost:
    """For 1e6 tokens, in the currency of the price. `output` carries the whole request at the stated lengths."""

    input: Band | None  # prompt tokens alone
    output: Band | None  # output tokens, with their prompts


def cost_per_mtok(
    estimate: ServingEstimate, *, price_per_gpu_hour: float, n_gpus: int, replicas: int = 1, busy: float = 1.0
) -> TokenCost:
    """Price x cards / tokens an hour, over the share of time that the cards are `busy` (fleets: 0.3 to 0.6 of the peak).

    8 cards at 2 USD that make 5,000 output tokens a second, always busy: 16 / (5,000 x 3,600) x 1e6 = 0.89 USD.
    """
    hourly = price_per_gpu_hour * n_gpus
    prefill = estimate.prefill_tokens_per_s
    return TokenCost(
        input=_cost(hourly, prefill.times(replicas) if prefill else None, busy),
        output=_cost(hourly, estimate.throughput_tokens_per_s, busy),
    )


def _cost(hourly: float, tokens_per_s: Band | None, busy: float) -> Band | None:
    if tokens_per_s is None or tokens_per_s.low <= 0 or busy <= 0:
        return None
    low, best, high = (
        hourly / (rate * busy * _HOUR_S) * _MILLION for rate in (tokens_per_s.high, tokens_per_s.best, tokens_per_s.low)
    )
    return Band(low, best, high)
