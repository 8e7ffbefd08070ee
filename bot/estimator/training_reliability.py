"""What interrupts a long training run and what it costs: failures, the size of checkpoints, the time between them.

The rate is counted per card and week, so that it carries over to any count; it and the speed of storage are defaults of
`knowledge/defaults.yaml` (`topics`).
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.estimator.data import EstimatorData
from bot.estimator.infrastructure import checkpoint_every_h, hours_between
from bot.estimator.training_formats import MASTER_BYTES
from bot.estimator.training_setup import Setup
from bot.estimator.training_states import adapter_parameters, moments_bytes

_RESTART_H = 0.25  # to notice, reschedule and load, where that is automatic


@dataclass(frozen=True, slots=True)
class Reliability:
    """Of one run on its cards. `lost_share` is the part of the wall-clock time that interruptions and checkpoints take."""

    interruptions: float
    hours_between: float
    checkpoint_gb: float
    write_s: float
    checkpoint_every_h: float
    lost_share: float


def reliability_of(setup: Setup, data: EstimatorData, *, wall_hours: float) -> Reliability:
    """Expected interruptions in `wall_hours`, and the interval between checkpoints that loses least.

    GPT-3 on 1,024 cards for 34 days: 16 interruptions, one in 50 hours; 2.4 TB every half hour from 128 nodes lose 1.5 %.
    """
    topics = data.defaults["topics"]
    between = hours_between(setup.layout.n_gpus, float(topics["interruptions_per_gpu_week"]["value"]))
    size = training_checkpoint_gb(setup)
    write_h = size / (float(topics["disk_gb_s"]["value"]) * setup.layout.nodes) / 3600
    every = checkpoint_every_h(write_h, between)
    lost = write_h / every + (every / 2 + _RESTART_H) / between
    return Reliability(wall_hours / between, between, size, write_h * 3600, every, min(lost, 1.0))


def training_checkpoint_gb(setup: Setup) -> float:
    """GB that a run resumes from: weights, master and moments; adapters alone where the base is frozen.

    A 70B in mixed precision: 70.6e9 x (2 + 4 + 8) = 988 GB.
    """
    if setup.kind == "adapter":
        return adapter_parameters(setup) * 3 * setup.framework.adapter / 1e9
    weights = 4 if setup.states == "fp32" else 2
    master = MASTER_BYTES if setup.states == "master" else 0
    return setup.architecture.total * (weights + master + moments_bytes(setup)) / 1e9
