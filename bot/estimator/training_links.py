"""Bytes that cards exchange in training, and the seconds this takes on their links.

A collective inside the NVLink domain runs on NVLink; beyond it every node's share passes the network. Volumes: arXiv
1910.02054 for ZeRO, 2205.05198 for tensor parallel with sequence parallel.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.catalog.records import GpuSpec
from bot.estimator.cards import pcie_gbs
from bot.estimator.training_constants import SpeedConstants
from bot.estimator.training_setup import Setup

# Of one card: DGX-1 (4 x 100 for 8), DGX A100 (8 x 200), DGX H100 and GB200 NVL72 (400 each); other servers 100.
_NETWORK_GBPS_A_CARD = {"Volta": 50.0, "Ampere": 200.0, "Hopper": 400.0, "Grace Hopper": 400.0, "Blackwell": 400.0,
                        "Blackwell Ultra": 800.0}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Traffic:
    """Seconds of one card: per micro batch what can hide behind compute, what cannot, and once per optimizer step."""

    hidden_per_micro: float
    exposed_per_micro: float
    per_step: float


def traffic_of(setup: Setup, c: SpeedConstants) -> Traffic:
    return Traffic(
        hidden_per_micro=_weight_gathers(setup, c),
        exposed_per_micro=_tensor(setup, c) + _context(setup, c) + _experts(setup, c) + _parameter_copies(setup, c),
        per_step=_gradients(setup, c) + _optimizer_copies(setup, c),
    )


def _gbs(setup: Setup, cards: int, c: SpeedConstants) -> float:
    """GB/s of one direction that a collective over `cards` gets on one card."""
    lay, hardware = setup.layout, setup.workload.hardware
    gpu = hardware.gpu
    assert gpu is not None
    if cards <= lay.link_domain and gpu.link_gbs:
        return gpu.link_gbs / 2 * c.link_share
    local = _pcie_gbs(setup, c)
    if lay.n_gpus <= lay.gpus_per_node and lay.link_domain == 1:
        return local
    inside = gpu.link_gbs / 2 * c.link_share if gpu.link_gbs and lay.link_domain > 1 else local
    network = (hardware.internode_gbps or _node_gbps(setup, gpu)) / 8 * c.network_share
    # A ring enters a node once, so all the cards of a node share its network, and no card is faster than inside the node.
    return min(inside, network) if cards > lay.gpus_per_node else local


def _node_gbps(setup: Setup, gpu: GpuSpec) -> float:
    """Gbit/s of a node where it is not said: what the reference systems of the card's generation have."""
    return setup.layout.gpus_per_node * _NETWORK_GBPS_A_CARD.get(gpu.arch, 100.0)


def _pcie_gbs(setup: Setup, c: SpeedConstants) -> float:
    """Server cards read each other's memory through the switches; desktop cards go through the host's."""
    gpu = setup.workload.hardware.gpu
    return pcie_gbs(gpu) * (c.pcie_server_share if gpu and gpu.datacenter else c.pcie_share)


def _stage_parameters(setup: Setup) -> float:
    a, lay = setup.architecture, setup.layout
    experts = a.moe_layers * a.experts_per_layer
    return (a.total - experts) / (lay.tp * lay.pp) + experts / (lay.pp * max(lay.ep, 1))


def _weight_gathers(setup: Setup, c: SpeedConstants) -> float:
    """ZeRO-3 and FSDP: weights gathered for forward and backward, gradients reduced, for each micro batch."""
    lay = setup.layout
    if lay.weights_over == 1:
        return 0.0
    bytes_each = 2.0 if setup.quant is None else 0.6
    collectives = 3.0 if setup.kind == "full" else 2.0
    if lay.pp > 1:
        collectives /= max(1, setup.grad_accum or lay.pp)  # gathered once a step
    share = (lay.shard_size - 1) / lay.shard_size
    return collectives * bytes_each * _stage_parameters(setup) * share / (_gbs(setup, lay.shard_size, c) * 1e9)


def _tensor(setup: Setup, c: SpeedConstants) -> float:
    """Two all-reduces a layer in each direction, the forward ones again under recomputation; nothing hides them."""
    lay, a = setup.layout, setup.architecture
    if lay.tp == 1:
        return 0.0
    count = 6 if setup.checkpointing == "full" else 4
    volume = 2 * 2.0 * a.hidden * setup.tokens * (lay.tp - 1) / lay.tp
    return count * a.layers / lay.pp * volume / (_gbs(setup, lay.tp, c) * 1e9)


def _context(setup: Setup, c: SpeedConstants) -> float:
    """Keys and values pass round the ring, forward and backward."""
    lay, a = setup.layout, setup.architecture
    if lay.cp == 1:
        return 0.0
    volume = 2 * 2.0 * a.kv_heads * a.head_dim * setup.tokens * (lay.cp - 1) / lay.tp
    return 3 * a.layers / lay.pp * volume / (_gbs(setup, lay.cp * lay.tp, c) * 1e9)


def _experts(setup: Setup, c: SpeedConstants) -> float:
    """Tokens to their experts and back, forward and backward: four all-to-alls a MoE layer."""
    lay, a = setup.layout, setup.architecture
    if lay.ep == 1 or not a.moe_layers:
        return 0.0
    topk = setup.workload.model.moe_topk or 1
    volume = 2.0 * a.hidden * topk * setup.tokens / lay.tp * (lay.ep - 1) / lay.ep
    return 4 * a.moe_layers / lay.pp * volume / (_gbs(setup, lay.ep, c) * 1e9)


def _parameter_copies(setup: Setup, c: SpeedConstants) -> float:
    if "param" not in setup.workload.offload:
        return 0.0
    bytes_each = 2.0 if setup.quant is None else 0.55
    return 2 * bytes_each * _stage_parameters(setup) / setup.layout.weights_over / (_pcie_gbs(setup, c) * 1e9)


def _optimizer_copies(setup: Setup, c: SpeedConstants) -> float:
    """Gradients down and weights up; the CPU's step moves 28 bytes a parameter through its memory, 50 GB/s a card."""
    if "optimizer" not in setup.workload.offload or setup.kind == "adapter":
        return 0.0
    shard = _stage_parameters(setup) / setup.layout.optimizer_over
    return shard * (4.0 / (_pcie_gbs(setup, c) * 1e9) + 28.0 / 50e9)


def _gradients(setup: Setup, c: SpeedConstants) -> float:
    """Data parallel, ZeRO-1 and -2, and copies of sharded groups: gradients reduced and weights spread once a step."""
    lay = setup.layout
    copies = lay.dp * lay.cp / lay.weights_over
    if copies <= 1 or setup.kind == "adapter":
        return 0.0
    bytes_each = 2.0 + setup.gradient_bytes  # of a node's copy where the weights are sharded inside it
    return bytes_each * _stage_parameters(setup) / (_gbs(setup, lay.n_gpus, c) * 1e9)
