"""Peak memory of the fullest card, by phase: the loss, the backward pass of a layer, the optimizer step.

A training step has three peaks, and the largest is the answer: at the loss all activations and logits are there, in the
backward pass all checkpoints and one layer, in the step all gradients and the optimizer's temporaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.estimator.cards import usable_gib
from bot.estimator.training_activations import Activations, activations_of
from bot.estimator.training_constants import MemoryConstants
from bot.estimator.training_setup import Setup
from bot.estimator.training_states import Stage, States, stages_of, states_of

GIB = 2**30
_FULL = 0.97  # of the card, from which the allocator gives cached blocks back instead of failing
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
    certain: float  # of `reserved`: weights, gradients and optimizer states, which are arithmetic
    host: float  # host memory of all cards together


def memory_of(setup: Setup, c: MemoryConstants) -> Memory:
    peaks = [_stage_memory(setup, stage, c) for stage in stages_of(setup)]
    fullest = max(peaks, key=lambda m: m.reserved)
    split = setup.layout.layer_split
    return _over_layers(fullest, split, c) if split > 1 else fullest


def _stage_memory(setup: Setup, stage: Stage, c: MemoryConstants) -> Memory:
    states = states_of(setup, stage)
    activations = activations_of(setup, stage, c)
    outside = (c.context_gib + (c.communicator_gib if setup.layout.n_gpus > 1 else 0.0)) * GIB
    usable = usable_gib(setup.workload.hardware)
    room = usable * GIB - outside if usable else None
    parts = _peak(setup, states, activations)
    if room is not None and setup.is_paged and sum(parts.values()) + c.fixed_gib * GIB > room:
        states = replace(states, optimizer=0.0)  # paged states wait in host memory
        parts = _peak(setup, states, activations)
    allocated = sum(parts.values())
    overhead = c.fixed_gib * GIB + _fragmented(setup, parts, allocated, c, room)
    reserved = allocated + overhead
    return Memory(
        parts={**parts, "overhead": overhead},
        certain=_standing(states),
        allocated=allocated,
        reserved=reserved,
        device=reserved + outside,
        total=reserved * setup.layout.n_gpus,
        host=states.host * setup.layout.n_gpus,
    )


def _peak(setup: Setup, states: States, activations: Activations) -> dict[str, float]:
    return max(_phases(setup, states, activations), key=lambda parts: sum(parts.values()))


def _standing(s: States) -> float:
    """Bytes there at once when the first layer's gradients are ready, whatever passed through before.

    Of gathered weights one unit of the two: no layer computes on a shard.
    """
    return s.weights + s.gathered / 2 + s.optimizer + s.gradients


def _phases(setup: Setup, s: States, a: Activations) -> tuple[dict[str, float], ...]:
    """Bytes by part at each peak. Gradients are there in the forward pass only where they are kept between micro batches."""
    gathered, step = _live(setup, s)
    at_work = {"weights": s.weights + gathered, "optimizer": s.optimizer}
    standing = s.gradients if setup.keeps_gradients else 0.0
    loss = {**at_work, "gradients": standing, "activations": a.kept, "logits": a.logits}
    reached = s.gradients + s.gradient_unit
    backward = {**at_work, "gradients": reached, "activations": a.kept + a.working, "logits": a.held}
    quiet = {"activations": 0.0, "logits": 0.0}
    update = {**quiet, "weights": s.weights, "optimizer": s.optimizer + step, "gradients": s.gradients}
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


def _fragmented(setup: Setup, parts: Mapping[str, float], allocated: float, c: MemoryConstants, room: float | None) -> float:
    """Bytes reserved beyond those held, of what comes and goes in each step.

    Samples of any length make every length allocate its own logits, the largest single tensors; how much that costs is a
    trait of the framework's loss and loader (`ragged`). A full card gives them back.
    """
    even = (c.fragmentation - 1) * (parts["activations"] + parts["logits"])
    if setup.workload.packing:
        return even
    ragged = even + (setup.framework.ragged - 1) * parts["logits"]
    if room is None or ragged <= even:
        return ragged
    return max(even, min(ragged, _FULL * room - allocated - c.fixed_gib * GIB))


def _over_layers(one: Memory, cards: int, c: MemoryConstants) -> Memory:
    """A job whose layers lie on several cards, one at work: what one card would hold, spread, and a runtime on each."""
    fixed = c.fixed_gib * GIB * (cards - 1)
    total = one.reserved + fixed
    share = total / cards
    parts = {name: value / cards for name, value in one.parts.items()}
    parts["overhead"] += fixed / cards
    return Memory(parts, one.allocated / cards, share, share + c.context_gib * GIB, total, one.certain / cards, one.host)
