"""Weights, gradients and optimizer states on one card, in bytes: the exact part of training memory.

Names of the groups: `block` are the layers of this pipeline stage without experts, `experts` the routed experts,
`ends` embedding and head. TP cuts block and ends, PP cuts layers, EP cuts experts; ZeRO and FSDP cut states over data ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.estimator.architecture import Architecture
from bot.estimator.layouts import Layout
from bot.estimator.training_formats import EIGHT_BIT, MASTER_BYTES, MOMENTS, QUANT_BITS
from bot.estimator.training_setup import Setup


@dataclass(frozen=True, slots=True)
class Stage:
    """Parameter counts on one card of one pipeline stage before any sharding, and what the stage holds at its ends."""

    block: float
    experts: float
    ends: float
    layers: float
    has_head: bool
    is_first: bool

    @property
    def total(self) -> float:
        return self.block + self.experts + self.ends

    @property
    def one_layer(self) -> float:
        return (self.block + self.experts) / max(self.layers, 1)


@dataclass(frozen=True, slots=True)
class States:
    """Bytes on one card. `step` are temporaries of the optimizer step, `gathered` working copies of sharded weights."""

    weights: float
    gradients: float
    optimizer: float
    gathered: float
    step: float
    gradient_unit: float  # gradients of one unit, before they are reduced or consumed
    host: float  # bytes in host memory, of this card's share


def stages_of(setup: Setup) -> tuple[Stage, ...]:
    """The stages that can be the fullest: the first and the last of a pipeline, one where there is none."""
    a, lay = setup.architecture, setup.layout
    layers = -(-a.layers // lay.pp)
    block, experts = _layer_parameters(a, lay)
    ends = (a.embedding / lay.tp, (a.head or a.embedding) / lay.tp)
    if lay.pp == 1:
        return (Stage(block * layers, experts * layers, (a.embedding + a.head) / lay.tp, layers, True, True),)
    return (
        Stage(block * layers, experts * layers, ends[0], layers, False, True),
        Stage(block * layers, experts * layers, ends[1], layers, True, False),
    )


def _layer_parameters(a: Architecture, lay: Layout) -> tuple[float, float]:
    """(block, experts) of a mean layer on one card. Experts are cut by ep, or by tp where there is no ep."""
    dense = a.attention + a.dense_layers * a.dense_mlp_per_layer + a.norms + a.other
    dense += a.moe_layers * (a.shared_per_layer + a.router_per_layer)
    experts = a.moe_layers * a.experts_per_layer / (lay.ep if lay.ep > 1 else lay.tp)
    return dense / a.layers / lay.tp, experts / a.layers


def adapter_parameters(setup: Setup) -> float:
    """Trainable parameters of the adapters, whole model.

    LoRA: rank x (inputs + outputs) of each target. Llama-2-7B, q and v, rank 8: 8 x (4096 + 4096) x 2 x 32 = 4.2 M.
    """
    if setup.workload.trainable_params:
        return float(setup.workload.trainable_params)
    a = setup.architecture
    if setup.method in ("ia3", "prompt_tuning"):
        return float(a.layers * 3 * a.hidden)
    if setup.method == "adapter":
        return float(a.layers * 2 * a.hidden * 128)
    q, k, f = a.heads * a.head_dim, a.kv_heads * a.head_dim, a.intermediate
    shapes = {
        "q": a.hidden + q, "k": a.hidden + k, "v": a.hidden + k, "o": q + a.hidden,
        "gate": a.hidden + f, "up": a.hidden + f, "down": a.hidden + f,
    }  # fmt: skip
    per_layer = sum(shapes[name] for name in setup.targets if name in shapes)
    return float(a.layers * per_layer * setup.lora_rank)


def states_of(setup: Setup, stage: Stage) -> States:
    """Bytes of one stage on one card under the set-up's method, precision and sharding."""
    if setup.kind == "full":
        return _full_states(setup, stage)
    if setup.kind == "partial":
        return _partial_states(setup, stage)
    return _adapter_states(setup, stage)


def _shards(setup: Setup, stage: Stage, over: int) -> float:
    """Parameters of the stage left on one card when cut over `over` data ranks (experts over their own group)."""
    lay = setup.layout
    if over == 1:
        return stage.total
    return (stage.block + stage.ends) / over + stage.experts / (lay.expert_shards if lay.ep > 1 else over)


def moments_bytes(setup: Setup) -> float:
    """Bytes of optimizer states for one parameter, without the master copy. AdamW in fp32: 8; 8-bit: 2.03; Adafactor: 0."""
    name = setup.workload.optimizer or "adamw"
    each = EIGHT_BIT if "8bit" in name else float(setup.moment_bytes)
    return MOMENTS.get(name, 2.0) * each


def _full_states(setup: Setup, stage: Stage) -> States:
    lay, offload = setup.layout, setup.workload.offload
    weight_bytes = 4 if setup.states == "fp32" else 2
    master = MASTER_BYTES if setup.states == "master" else 0
    weights = weight_bytes * _shards(setup, stage, lay.weights_over)
    gradients = setup.gradient_bytes * _shards(setup, stage, lay.gradients_over)
    optimizer = (moments_bytes(setup) * _low_rank_share(setup) + master) * _shards(setup, stage, lay.optimizer_over)
    host = 0.0
    unit = max(2, setup.gradient_bytes) * (
        stage.one_layer + (stage.ends if lay.is_fsdp and setup.framework.root_whole else 0.0)
    )
    if lay.is_fsdp and lay.pp > 1:  # gradients of a stage stay whole over the micro batches, in fp32, and are reduced once
        gradients = 4 * stage.total
    elif lay.is_fsdp and setup.framework.no_sync and (setup.grad_accum or 2) > 1:
        gradients = setup.gradient_bytes * stage.total
    if setup.workload.optimizer_in_backward:
        gradients = unit / lay.gradients_over
    if "optimizer" in offload:
        host += optimizer
        optimizer = 0.0
        if not setup.framework.is_megatron_like:  # ZeRO-Offload and FSDP step on the CPU, so gradients go there too
            host += 4 * _shards(setup, stage, lay.optimizer_over)
            gradients = 0.0
    if "param" in offload:
        host += weights
        weights = 0.0
    return States(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        gathered=_gathered(setup, stage, compute_copies=setup.states == "fp32" and setup.workload.precision != "fp32"),
        step=0.0 if "optimizer" in offload else _step_bytes(setup) * _shards(setup, stage, lay.optimizer_over),
        gradient_unit=unit if lay.gradients_over > 1 else 0.0,
        host=host,
    )


def _step_bytes(setup: Setup) -> float:
    """Bytes a parameter of what the optimizer step makes: fused and 8-bit kernels nothing, the others copies."""
    return setup.framework.step if (setup.workload.optimizer or "adamw") in ("adamw", "lion") else 0.0


def _low_rank_share(setup: Setup) -> float:
    """GaLore keeps moments of gradients projected to rank r: about r / hidden of them (both sides counted)."""
    if setup.method not in ("galore", "q_galore"):
        return 1.0
    rank = setup.workload.galore_rank or 128
    return min(1.0, 2 * rank / setup.architecture.hidden)


def _gathered(setup: Setup, stage: Stage, *, compute_copies: bool) -> float:
    """Whole 16-bit weights that a card holds while it computes: two units of FSDP, or all of a pipeline stage."""
    lay = setup.layout
    if lay.weights_over == 1 and "param" not in setup.workload.offload:
        # Autocast keeps 16-bit copies of fp32 weights through the backward pass.
        return 2 * stage.total if compute_copies else 0.0
    if lay.pp > 1:  # a stage keeps its weights whole over the micro batches, else each would gather them again
        return 2 * stage.total
    bytes_each = quant_bits(setup) / 8 if setup.quant else 2.0
    dequantised = 2 * _largest_linear(setup) if setup.quant else 0.0
    # Where FSDP's root unit is embedding and head, it stays whole through the backward pass.
    root = lay.is_fsdp and setup.framework.root_whole
    ends = 2 * stage.ends if root else max(0.0, stage.ends - 2 * stage.one_layer)
    return 2 * bytes_each * stage.one_layer + ends + dequantised


def _partial_states(setup: Setup, stage: Stage) -> States:
    active = setup.workload.active_layers or (_blocks(setup))
    trained = active * stage.one_layer
    if setup.method == "lisa":
        trained += stage.ends  # LISA always trains embedding and head
    frozen = stage.total
    per = 2 + 2 * setup.moment_bytes if setup.states == "pure" else 2 + 12
    over = setup.layout.optimizer_over
    return States(2 * frozen / setup.layout.weights_over, 2 * trained / setup.layout.gradients_over,
                  (per - 2) * trained / over, _gathered(setup, stage, compute_copies=False), 0.0, 0.0, 0.0)  # fmt: skip


def _blocks(setup: Setup) -> int:
    return 4 if setup.method == "llamapro" else 2


def _adapter_states(setup: Setup, stage: Stage) -> States:
    lay, offload = setup.layout, setup.workload.offload
    base = frozen_bytes(setup, stage)
    share = stage.layers / setup.architecture.layers / lay.tp
    trained = adapter_parameters(setup) * share
    width = setup.framework.adapter if setup.states != "pure" or setup.framework.adapter == 4 else 2
    copies = stage.ends if setup.workload.train_embeddings else 0.0
    weights = base / lay.weights_over
    host = 0.0
    if "param" in offload:
        host += weights
        weights = 0.0
    weights += (width * trained + 2 * copies) / lay.weights_over
    gradients = (width * trained + 2 * copies) / lay.gradients_over
    if lay.is_fsdp and setup.framework.flat_gradients:
        gradients = 2 * stage.total  # one flat tensor a unit: its frozen part has a gradient too, whole under no_sync
    per_moment = EIGHT_BIT if "8bit" in (setup.workload.optimizer or "") else width
    moments = MOMENTS.get(setup.workload.optimizer or "adamw", 2.0)
    optimizer = (moments * per_moment * trained + 8 * copies) / lay.optimizer_over
    if "optimizer" in offload:
        host, optimizer = host + optimizer, 0.0
    gathered = _gathered(setup, stage, compute_copies=setup.workload.param_dtype == "fp32")
    if setup.quant and gathered == 0.0:
        gathered = 2 * _largest_linear(setup)  # one weight dequantised at a time
    return States(weights, gradients, optimizer, gathered, 0.0, 0.0, host)


def frozen_bytes(setup: Setup, stage: Stage) -> float:
    """Bytes of the frozen base of one stage, unsharded: linear layers in their format, the rest in 16 bit or upcast."""
    if setup.quant is None:
        return (4 if setup.states == "fp32" and setup.workload.param_dtype == "fp32" else 2) * stage.total
    bits = quant_bits(setup)
    rest = 4 if setup.framework.upcast else 2
    return (stage.block + stage.experts) * bits / 8 + rest * stage.ends


def quant_bits(setup: Setup) -> float:
    """Bits of a quantised weight with its scales; some frameworks always quantise the scales too."""
    name = "nf4_dq" if setup.quant == "nf4" and setup.framework.double_quant else setup.quant
    return QUANT_BITS.get(name or "nf4", 4.5)


def _largest_linear(setup: Setup) -> float:
    a = setup.architecture
    return float(a.hidden * max(a.intermediate, a.heads * a.head_dim) / setup.layout.tp)
