"""Layers of a model between card and host, as llama.cpp splits them: what stays on the cards, and at what speed."""

from __future__ import annotations

from dataclasses import dataclass

from bot.catalog.records import GB, GIB
from bot.estimator.data import EstimatorData
from bot.estimator.serving_memory import activation_bytes, overhead_gib, sequence_bytes
from bot.estimator.serving_rates import machine_of
from bot.estimator.serving_setup import serving_setup
from bot.estimator.serving_speed import step_s
from bot.estimator.workload import ServingWorkload

_HOST_SHARE = 0.7  # of the host's memory bandwidth that CPU layers reach


@dataclass(frozen=True, slots=True)
class OffloadSplit:
    """`gpu_layers` is llama.cpp's -ngl; speed is of one stream, None for a card without published rates."""

    gpu_layers: int
    layers: int
    gpu_gib: float
    host_gib: float
    tokens_per_s: float | None


def offload_split(workload: ServingWorkload, data: EstimatorData, *, host: str = "desktop_ddr5") -> OffloadSplit | None:
    """None where the card's memory is not known.

    Each layer takes its weights and its share of the cache. A token passes the card's layers at the card's speed and the
    host's at the host's memory bandwidth: Llama-3-70B Q4_K_M on one RTX 3090: 45 of 80 layers, about 2.7 tokens/s.
    """
    setup = serving_setup(workload, data)
    if setup.usable_gib is None:
        return None
    table, layers = data.serving["memory"], setup.arch.layers
    requests = setup.concurrency or 1
    cache = requests * sequence_bytes(setup, setup.request_tokens, table)
    body = setup.weights.attention + setup.weights.mlp + setup.weights.experts
    each = (body + cache) / layers
    fixed = (
        overhead_gib(setup, table) * GIB
        + activation_bytes(setup, requests * max(setup.input_len, 1), table)
        + setup.weights.head
    )
    room = setup.cards * (setup.usable_gib * GIB - fixed)
    on_card = max(0, min(layers, int(room / each)))
    host_bytes = (layers - on_card) * each + setup.weights.embedding
    return OffloadSplit(
        gpu_layers=on_card,
        layers=layers,
        gpu_gib=(on_card * each + setup.cards * fixed) / GIB,
        host_gib=host_bytes / GIB,
        tokens_per_s=_speed(workload, data, on_card / layers, (layers - on_card) * each, host),
    )


def _speed(workload: ServingWorkload, data: EstimatorData, share: float, host_bytes: float, host: str) -> float | None:
    setup = serving_setup(workload, data)
    machine = machine_of(setup, data)
    if machine is None:
        return None
    card_s = share * step_s(setup, machine, 1, setup.input_len + setup.output_len / 2)
    visited = setup.arch.active / setup.arch.total  # of a mixture, only the experts visited are read
    host_s = host_bytes * visited / (float(data.engines["host_gbs"][host]) * GB * _HOST_SHARE)
    return 1 / (card_s + host_s)
