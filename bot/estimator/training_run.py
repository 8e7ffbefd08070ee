"""A whole run: its tokens, GPU hours, wall-clock hours and energy."""

from __future__ import annotations

from dataclasses import dataclass

from bot.estimator.infrastructure import GPU_POWER_SHARE, SERVER_OVER_GPU
from bot.estimator.training_constants import SpeedConstants
from bot.estimator.training_setup import Setup
from bot.estimator.training_speed import Speed

_TUNING_SHARE = 0.95  # of the steady speed over a fine-tuning run: loading, evaluation, a checkpoint now and then


@dataclass(frozen=True, slots=True)
class Run:
    gpu_hours: float
    wall_hours: float | None
    gpu_energy_mwh: float | None
    energy_mwh: float | None


def run_tokens(setup: Setup) -> float | None:
    """Tokens of the whole run: as stated, or steps x global batch x length."""
    w = setup.workload
    if w.tokens_b:
        return w.tokens_b * 1e9
    if w.max_steps:
        batch = w.global_batch or setup.micro_batch * (setup.grad_accum or 1) * setup.layout.dp
        return float(w.max_steps * batch * setup.seq_len)
    return None


def run_share(setup: Setup, c: SpeedConstants) -> float:
    """Speed over the whole run, with its restarts, evaluation and checkpoints, over the steady one."""
    return c.run_share if setup.method == "pretrain" else _TUNING_SHARE


def run_of(setup: Setup, speed: Speed | None, c: SpeedConstants) -> Run | None:
    """None where the length of the run or the speed is not known. GPU hours that are given are taken as they are."""
    w = setup.workload
    hours = w.gpu_hours
    if hours is None:
        tokens = run_tokens(setup)
        if tokens is None or speed is None:
            return None
        hours = tokens / speed.tokens_per_s / 3600 / run_share(setup, c)
    gpu = w.hardware.gpu
    watts = min(w.hardware.power_w or gpu.tdp_w, gpu.tdp_w) if gpu and gpu.tdp_w else None
    gpu_mwh = hours * watts * GPU_POWER_SHARE / 1e6 if watts else None
    n = w.hardware.n_gpus
    return Run(hours, hours / n if n else None, gpu_mwh, gpu_mwh * SERVER_OVER_GPU * setup.pue if gpu_mwh else None)
