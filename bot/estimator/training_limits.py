"""The other way round: the longest sequence, the largest micro batch, the largest model that still fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.catalog.records import ModelSpec
from bot.estimator.data import EstimatorData
from bot.estimator.training import verdict_of, with_layout
from bot.estimator.workload import TrainingWorkload

_SEQ_STEP = 256  # lengths are answered in whole blocks
_SEQ_MOST = 2**21
_FINE = 64  # limits are told to one part in so many, finer than any estimate is


def longest_training_seq(workload: TrainingWorkload, data: EstimatorData) -> int | None:
    """Longest sequence with verdict yes or tight, all else unchanged; None where 256 tokens do not fit.

    A layout that is not said may change with the length, but for pretraining, where it is tuned to the stated one.
    """
    job = with_layout(workload, data) if workload.method == "pretrain" else workload
    found = _largest(lambda k: _runs(replace(job, seq_len=k * _SEQ_STEP), data), _SEQ_MOST // _SEQ_STEP)
    return found * _SEQ_STEP if found else None


def largest_training_batch(workload: TrainingWorkload, data: EstimatorData) -> int | None:
    """Most sequences in one micro batch with verdict yes or tight."""
    return _largest(lambda k: _runs(replace(workload, micro_batch=k, grad_accum=None, global_batch=None), data), 4096)


def largest_training_model(workload: TrainingWorkload, data: EstimatorData) -> float | None:
    """Largest dense model of the usual shape, in 1e9 parameters, with verdict yes or tight."""
    found = _largest(lambda k: _runs(replace(workload, model=_usual(k / 2)), data), 4000)
    return found / 2 if found else None


def _usual(params_b: float) -> ModelSpec:
    return ModelSpec(name=f"{params_b:g}B", family="usual", params_b=params_b, shape_known=False)


def _runs(workload: TrainingWorkload, data: EstimatorData) -> bool:
    return verdict_of(with_layout(workload, data), data) in ("yes", "tight")


def _largest(holds: Callable[[int], bool], most: int) -> int | None:
    """Largest k up to `most`, to 1 in 64, for which `holds`, true below some point and false above. None if not for 1."""
    if not holds(1):
        return None
    low, high = 1, 2
    while high <= most and holds(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > max(1, low // _FINE):
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
