"""Peak memory of the fullest card, by phase: the loss, the backward pass of a layer, the optimizer step.

A training step has three peaks, and the largest is the answer: at the loss all activations and logits are there, in the
backward pass all checkpoints and one layer, in the step all gradients and the optimizer's temporaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.estimator.training_activations import Activations, activations_of
from bot.estimator.training_constants import MemoryConstants
from bot.estimator.training_setup import Setup
from bot.estimator.training_states import Stage, States, stages_of, states_of

GIB = 2**30
_DEEPSPEED_LIVE = 1e9  # stage3_max_live_parameters and sub_group_size, DeepSpeed's defaults
_DEEPSPEED_BUCKETS = 4.5 * 5e8  # values in the buckets of ZeRO-1 and -2 with overlap_comm, DeepSpeed's configuration page


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on the fullest card, as tensors hold them, as the allocator reserves them, and as nvidia-smi shows them."""

    parts: Mapping[str, float]  # weights gradients optimizer activations logits overhead; adds up to `reserved`
    allocated: float
    reserved: float
    device: float
    total: float  # reserved on all cards
    host: float  # host memory of all cards together


def memory_of(setup: Setup, c: MemoryConstants) -> Memory:
    peaks = [_stage_memory(setup, stage, c) for stage in stages_of(setup)]
    fullest = max(peaks, key=lambda m: m.reserved)
    split = setup.layout.layer_split
    return _over_layers(fullest, split, c) if split > 1 else fullest


def _stage_memory(setup: Setup, stage: Stage, c: MemoryConstants) -> Memory:
    states = states_of(setup, stage)
    activations = activations_of(setup, stage, c)
    parts = max(_phases(setup, states, activations, c), key=lambda p: sum(p.values()))
    overhead = _fragmented(setup, parts, c) + c.fixed_gib * GIB
    allocated = sum(parts.values())
    reserved = allocated + overhead
    several = setup.layout.n_gpus > 1
    device = reserved + (c.context_gib + (c.communicator_gib if several else 0.0)) * GIB
    return Memory(
        parts={**parts, "overhead": parts.get("overhead", 0.0) + overhead},
        allocated=allocated,
        reserved=reserved,
        device=device,
        total=reserved * setup.layout.n_gpus,
        host=states.host * setup.layout.n_gpus,
    )


def _phases(setup: Setup, s: States, a: Activations, c: MemoryConstants) -> tuple[dict[str, float], ...]:
    """Bytes by part at each peak. Gradients are there in the forward pass only where they are kept between micro batches."""
    standing = s.gradients if setup.keeps_gradients else 0.0
    gathered, step = _live(setup, s)
    loss = _parts(s, standing, gathered, a.kept, a.logits, 0.0)
    backward = _parts(s, s.gradients + s.gradient_unit, gathered, a.kept + a.working, a.held, 0.0)
    update = _parts(s, s.gradients, 0.0, 0.0, 0.0, step)
    if setup.framework.whole_load and setup.layout.weights_over > 1:
        whole = 2 * setup.architecture.total * (1 + 1 / setup.layout.weights_over)
        return loss, backward, update, {**_parts(s, 0.0, 0.0, 0.0, 0.0, 0.0), "weights": whole, "optimizer": 0.0}
    return loss, backward, update


def _live(setup: Setup, s: States) -> tuple[float, float]:
    """(gathered weights, temporaries of the step), with DeepSpeed's live parameters and sub-groups where it shards."""
    deepspeed = not setup.layout.is_fsdp and not setup.framework.is_megatron_like and setup.layout.zero > 0
    if setup.kind != "full" or not deepspeed:
        return s.gathered, s.step
    if setup.layout.zero < 3:
        return s.gathered + 2 * min(_DEEPSPEED_BUCKETS, float(setup.architecture.total)), s.step
    live = 2 * min(_DEEPSPEED_LIVE, float(setup.architecture.total))
    return max(s.gathered, live), min(s.step, setup.framework.step * _DEEPSPEED_LIVE) + live


def _parts(
    s: States, gradients: float, gathered: float, activations: float, logits: float, extra: float
) -> dict[str, float]:
    return {
        "weights": s.weights + gathered,
        "gradients": gradients,
        "optimizer": s.optimizer + extra,
        "activations": activations,
        "logits": logits,
        "overhead": 0.0,
    }


def _fragmented(setup: Setup, parts: Mapping[str, float], c: MemoryConstants) -> float:
    """Bytes reserved beyond those held, of what comes and goes in each step.

    Samples of any length make every length allocate its own logits, the largest single tensors; how much that costs, and how
    far below the cap the samples stay, is a trait of the framework's data loader (`ragged`).
    """
    even = (c.fragmentation - 1) * (parts["activations"] + parts["logits"])
    return even if setup.workload.packing else even + (setup.framework.ragged - 1) * parts["logits"]


def _over_layers(one: Memory, cards: int, c: MemoryConstants) -> Memory:
    """A job whose layers lie on several cards, one at work: what one card would hold, spread, and a runtime on each."""
    fixed = c.fixed_gib * GIB * (cards - 1)
    total = one.reserved + fixed
    share = total / cards
    parts = {name: value / cards for name, value in one.parts.items()}
    parts["overhead"] += fixed / cards
    return Memory(parts, one.allocated / cards, share, share + c.context_gib * GIB, total, one.host)
