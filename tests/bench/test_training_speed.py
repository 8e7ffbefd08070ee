"""One estimate in 200 microseconds, a planner search in 10 milliseconds (best of several, on one core)."""

from __future__ import annotations

from time import perf_counter

from bot.estimator import estimate_training, plan_training, smallest_training
from tests.estimator.training_examples import data, training


def best_of(runs: int, call) -> float:
    times = []
    for _ in range(runs):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times)


def test_one_estimate_takes_200_microseconds():
    job = training("Llama-3.3-70B-Instruct", n=16, layout={"zero_stage": 3})
    assert best_of(500, lambda: estimate_training(job, data())) <= 200e-6


def test_a_planner_search_takes_10_milliseconds():
    job = training("Llama-3.3-70B-Instruct", n=None)
    assert best_of(10, lambda: plan_training(job, data())) <= 10e-3
    assert best_of(10, lambda: smallest_training(job, data())) <= 10e-3
