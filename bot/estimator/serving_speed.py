"""Speed by a roofline: weights and cache read against products computed, plus what every step and layer costs."""

from __future__ import annotations

from dataclasses import dataclass

from bot.estimator.data import EstimatorData
from bot.estimator.serving_rates import Machine, machine_of
from bot.estimator.serving_setup import ServingSetup

_SMOOTH = 4.0  # reads and products overlap, but not perfectly: (a^4 + b^4)^(1/4)
_BUSY = 0.9  # queueing for the prompt pass is counted up to here; beyond, requests wait for the cache


@dataclass(frozen=True, slots=True)
class Speed:
    """Best values for one replica; seconds and tokens a second."""

    ttft_s: float
    tpot_s: float
    prefill_s: float  # of one prompt alone
    running: float  # requests running at once
    throughput: float  # output tokens a second of the replica
    saturated: bool


def serving_speed(setup: ServingSetup, limit: float, data: EstimatorData) -> Speed | None:
    """Times and rates of the load at hand; `limit`: requests that the cache pool lets run at once.

    A closed loop: in one cycle every running request is read and answered once, prompts between the decode steps.
    Requests beyond the limit wait for one to end: that is saturation, and where time to first token explodes.
    """
    machine = machine_of(setup, data)
    if machine is None:
        return None
    wanted = setup.concurrency
    running = limit if wanted is None else min(float(wanted), limit)
    prompt, output = max(setup.input_len, 1), max(setup.output_len, 1)
    stages = _busy_stages(setup, machine, running)
    alone = prefill_s(setup, machine, prompt)
    step = step_s(setup, machine, running / stages, setup.input_len + output / 2)
    together = prefill_s(setup, machine, prompt, requests=running) / stages if running > 1 else alone
    cycle = output * step + together
    rate = running / cycle  # requests a second
    waiting = max(0.0, (wanted or running) - running) / rate
    if setup.engine.burst:
        first, tpot = together, step
    else:
        busy = min(rate * alone, _BUSY) if running > 1 else 0.0
        first = alone * (1 + busy / (2 * (1 - busy)))
        tpot = step + together * (running - 1) / running / output
    request_s = machine.row.request_ms / 1e3
    return Speed(
        ttft_s=first + waiting + request_s,
        tpot_s=tpot,
        prefill_s=alone,
        running=running,
        throughput=running * output / (cycle + request_s),
        saturated=wanted is None or wanted > limit,
    )


def step_s(setup: ServingSetup, machine: Machine, batch: float, context: float) -> float:
    """One decode step of `batch` sequences, each `context` tokens long."""
    body = _roof(_read_s(setup, machine, batch), _products_s(setup, batch, machine.decode, machine)) / setup.tp
    cached = setup.cache.sequence_bytes(context, setup.kv_value_bytes)
    if setup.engine.repeats_heads:  # keys and values are copied out for every query head
        cached *= setup.arch.heads / setup.arch.kv_heads
    cache = batch * cached / setup.cache_shards / machine.cache + _serial_s(setup, machine, context)
    launch = _launch_s(setup, machine) + batch * machine.sequence_s
    return _joined(setup, launch, body + cache) + _exchange_s(setup, machine, batch)


def prefill_s(setup: ServingSetup, machine: Machine, prompt: float, requests: float = 1) -> float:
    """Reading `requests` prompts together: products of all tokens, attention over each prompt, exchange between cards."""
    tokens = prompt * requests
    body = _roof(_read_s(setup, machine, tokens), _products_s(setup, tokens, machine.prefill, machine)) / setup.tp
    attention = requests * _attention_flops(setup, prompt) / (machine.attention * setup.tp)
    return _joined(setup, _launch_s(setup, machine), body + attention) + _exchange_s(setup, machine, tokens)


def _joined(setup: ServingSetup, launch: float, work: float) -> float:
    """Eager code launches kernels ahead of the card: the slower of the two counts. Others pay the launch besides."""
    return max(launch, work) if setup.engine.cache == "eager" else launch + work


def _launch_s(setup: ServingSetup, machine: Machine) -> float:
    return machine.step_s + setup.arch.layers * machine.layer_s


def _serial_s(setup: ServingSetup, machine: Machine, context: float) -> float:
    cache = setup.cache
    share = cache.growing / max(cache.growing + cache.sliding, 1)
    return context * setup.arch.layers * share * machine.row.serial_ns / 1e9


def _roof(reads: float, products: float) -> float:
    return float((reads**_SMOOTH + products**_SMOOTH) ** (1 / _SMOOTH))


def _read_s(setup: ServingSetup, machine: Machine, tokens: float) -> float:
    """Reading the weights that a pass of `tokens` touches: experts as far as any token visits them."""
    weights, model = setup.weights, setup.model
    dense = weights.dense_read / machine.weights
    if not weights.experts:
        return dense
    share = min(1.0, (model.moe_topk or 1) / (model.moe_experts or 1))
    return float(dense + weights.experts * (1 - (1 - share) ** tokens) / machine.experts)


def _products_s(setup: ServingSetup, tokens: float, rate: float, machine: Machine) -> float:
    """Time of the matrix products, 2 a parameter and token.

    Those of experts reach a share of the rate, and each token is copied to every expert that it visits and back.
    """
    arch = setup.arch
    routed = arch.moe_layers * arch.active_experts_per_layer
    if not routed:
        return 2 * tokens * arch.matmul_active / rate
    copies = tokens * (setup.model.moe_topk or 1) * arch.moe_layers * arch.hidden * machine.row.expert_copy
    products = 2 * tokens * (arch.matmul_active - routed + routed / machine.row.experts) / rate
    return products + copies / machine.bandwidth


def _attention_flops(setup: ServingSetup, prompt: float) -> float:
    """Causal attention: two products over half the square, 2 n^2 x heads x width a layer; windows cut the square."""
    arch, model = setup.arch, setup.model
    sliding = model.sliding_layers or 0
    full = arch.layers - sliding - arch.linear_layers
    window = min(model.sliding_window or prompt, prompt)
    return float(2 * arch.heads * arch.head_dim * (full * prompt**2 + sliding * window * (2 * prompt - window)))


def _exchange_s(setup: ServingSetup, machine: Machine, tokens: float) -> float:
    """Two all-reduces a layer of tokens x hidden x 2 bytes, each 2 (tp - 1) / tp of it over the link; stages hand over."""
    between = (setup.stages - 1) * machine.between_s
    if setup.tp == 1:
        return between
    moved = tokens * setup.arch.hidden * 2 * 2 * (setup.tp - 1) / setup.tp
    return between + 2 * setup.arch.layers * (machine.hop_s + moved / machine.link)


def _busy_stages(setup: ServingSetup, machine: Machine, running: float) -> float:
    """Pipeline stages at work at once, each on its share of the requests."""
    if setup.pp == 1:
        return 1.0
    return max(1.0, min(running, setup.pp) * machine.row.pipeline)
