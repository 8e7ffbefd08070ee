"""What interrupts a long run and what it costs: failures, checkpoints, and the time between them.

Rates are counted per card and week, so that they carry over to any count. Llama 3 (arXiv 2407.21783, table 5): 419
unexpected interruptions in 54 days on 16,384 cards, 0.0033 a card and week.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from bot.estimator.training_formats import MASTER_BYTES
from bot.estimator.training_setup import Setup
from bot.estimator.training_states import adapter_parameters, moments_bytes

INTERRUPTIONS_PER_GPU_WEEK = 419 / 54 * 7 / 16384
RESTART_HOURS = 0.25  # to notice, reschedule and load, with automation; hours without
STORAGE_GBS = 2.0  # written by one node to shared storage
_WEEK_H = 168.0


@dataclass(frozen=True, slots=True)
class Reliability:
    """Of one run on its cards. `lost_share` is the part of the wall-clock time that interruptions and checkpoints take."""

    interruptions: float
    hours_between: float
    checkpoint_gb: float
    write_s: float
    checkpoint_every_h: float
    lost_share: float


def checkpoint_gb(setup: Setup) -> float:
    """GB of a checkpoint that a run resumes from: weights, master and moments; adapters alone where the base is frozen.

    A 70B in mixed precision: 70.6e9 x (2 + 4 + 8) = 988 GB.
    """
    if setup.kind == "adapter":
        return adapter_parameters(setup) * 3 * setup.framework.adapter / 1e9
    weights = 4 if setup.states == "fp32" else 2
    master = MASTER_BYTES if setup.states == "master" else 0
    return setup.architecture.total * (weights + master + moments_bytes(setup)) / 1e9


def reliability_of(setup: Setup, wall_hours: float) -> Reliability:
    """Expected interruptions in `wall_hours`, and the interval between checkpoints that loses least (Young's formula).

    GPT-3 on 1,024 cards for 34 days: 16 interruptions, one in 49 hours; 2.4 TB every half hour from 128 nodes lose 1.5 %.
    """
    rate = INTERRUPTIONS_PER_GPU_WEEK * setup.layout.n_gpus / _WEEK_H
    size = checkpoint_gb(setup)
    write_s = size / (STORAGE_GBS * setup.layout.nodes)
    every = sqrt(2 * (write_s / 3600) / rate)
    lost = write_s / 3600 / every + rate * (every / 2 + RESTART_HOURS)
    return Reliability(rate * wall_hours, 1 / rate, size, write_s, every, min(lost, 1.0))
