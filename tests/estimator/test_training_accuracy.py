"""Estimates against the published runs: the accuracy that the README states, by kind and on each ground."""

from __future__ import annotations

from functools import lru_cache

import pytest

from bot.estimator import TrainingMeasurement, estimate_training, load_training_measurements, nearest_training
from bot.estimator.training_scores import TrainingScore, training_scores, verdict_score, weighted_quantile
from bot.folder import Folder
from tests.estimator.training_examples import data, specs, training

# kind, median, ninth decile, share of 80 % bands that hold the truth; a little above what is reached, so that a slip shows
REACHED = [("memory", 0.07, 0.22, 0.75), ("speed", 0.10, 0.29, 0.80), ("gpu_hours", 0.17, 0.53, 0.70)]


@lru_cache(maxsize=1)
def measurements() -> tuple[TrainingMeasurement, ...]:
    return load_training_measurements(Folder.knowledge(), specs())


@lru_cache(maxsize=1)
def scores() -> dict[str, TrainingScore]:
    return {score.kind: score for score in training_scores(measurements(), data())}


@pytest.mark.parametrize(("kind", "median", "ninth", "covered"), REACHED)
def test_accuracy_by_kind(kind, median, ninth, covered):
    score = scores()[kind]
    assert score.median <= median
    assert score.p90 <= ninth
    assert score.coverage >= covered


def test_memory_is_not_biased():
    assert abs(scores()["memory"].signed_median) <= 0.04
    assert scores()["memory"].under_by_10 <= 0.22


def test_no_run_out_of_memory_is_told_yes():
    verdicts = verdict_score(measurements(), data())
    assert verdicts.oom_said_yes == 0
    assert verdicts.accuracy >= 0.98


# ground, measurements on it, median error
GROUNDS = [
    ("one-card LoRA", lambda m: m.workload.method == "lora" and _cards(m) == 1, 0.08),
    ("one-card QLoRA", lambda m: m.workload.method == "qlora" and _cards(m) == 1, 0.12),
    ("one-card full", lambda m: m.workload.method == "full_finetune" and _cards(m) == 1, 0.12),
    ("several cards, data parallel", lambda m: _cards(m) > 1 and not _is_split(m), 0.15),
    ("several cards, TP or PP", lambda m: _cards(m) > 1 and _is_split(m), 0.20),
]


@pytest.mark.parametrize(("on", "bar"), [g[1:] for g in GROUNDS], ids=[g[0] for g in GROUNDS])
def test_memory_on_each_ground(on, bar):
    rows = [m for m in measurements() if m.quantity.startswith("memory") and on(m)]
    errors = [abs(_estimate(m) / m.value - 1) for m in rows]
    assert weighted_quantile(errors, [1.0] * len(errors), 0.5) <= bar


def test_the_nearest_run_is_of_the_same_method_and_near_in_size():
    near = nearest_training(training("Llama-3.1-8B", "RTX4090", method="qlora", framework="torchtune"), measurements())
    assert "Llama-3.1-8B qlora" in near.what
    assert near.source.url.startswith("https://")


def test_nothing_is_near_a_method_that_nobody_measured():
    assert nearest_training(training(3000.0, n=4096, method="ia3"), measurements()) is None


def _cards(m: TrainingMeasurement) -> int:
    return m.workload.hardware.n_gpus or 1


def _is_split(m: TrainingMeasurement) -> bool:
    p = m.workload.parallelism
    return max(p.tp or 1, p.pp or 1) > 1


def _estimate(m: TrainingMeasurement) -> float:
    return getattr(estimate_training(m.workload, data()), m.quantity).best
