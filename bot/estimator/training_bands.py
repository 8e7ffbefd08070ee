"""80 % intervals of training figures, from the errors on groups of runs that the fit did not see."""

from __future__ import annotations

from dataclasses import replace

from bot.answer import Band
from bot.estimator.training_cards import is_measured
from bot.estimator.training_constants import BandConstants, TrainingConstants
from bot.estimator.training_memory import GIB, Memory
from bot.estimator.training_setup import Setup


def memory_band(bytes_: float, memory: Memory, setup: Setup, b: BandConstants) -> Band:
    """States are counted almost exactly; what passes through in a step is not, so its doubt is larger.

    The low end never falls below weights, gradients and optimizer states: no framework runs without what was stated.
    """
    states = 1 - (memory.parts["activations"] + memory.parts["logits"]) / memory.reserved
    unknown = b.unknown if setup.framework.name == "default" or not setup.workload.model.shape_known else 0.0
    down = b.states_down * states + b.passing_down * (1 - states) + unknown
    up = b.states_up * states + b.passing_up * (1 - states) + unknown
    band = Band.around(bytes_ / GIB, down, up)
    return replace(band, low=max(band.low, band.best * memory.certain / memory.reserved))


def pace_share(setup: Setup, constants: TrainingConstants) -> float:
    """Half-width of a speed: wider for mixtures of experts and for cards of which no run is known."""
    b, gpu = constants.bands, setup.workload.hardware.gpu
    share = b.speed + (b.experts if setup.architecture.moe_layers else 0.0)
    return share + (0.0 if gpu is None or is_measured(gpu, constants) else b.unmeasured)


def times_band(value: float | None, share: float) -> Band | None:
    """As far down as up in ratio: a speed may be half or double."""
    return None if value is None else Band(value / (1 + share), value, value * (1 + share))
