"""A ratchet: what the corpus of real questions is read right at. The rates may only rise."""

from __future__ import annotations

from tests.understand.corpus import oddity_rate, question_rates, thread_rates

FLOORS = {"intent": 0.99, "gpus": 0.99, "models": 0.99, "task": 0.99, "whole": 0.975}
THREAD_FLOORS = {"state": 0.99, "act": 0.99, "whole": 0.96}


def test_questions_are_read_as_well_as_before() -> None:
    rates = question_rates()
    assert {name: rate for name, rate in rates.items() if rate < FLOORS[name]} == {}


def test_threads_are_followed_as_well_as_before() -> None:
    rates = thread_rates()
    assert {name: rate for name, rate in rates.items() if rate < THREAD_FLOORS[name]} == {}


def test_every_oddity_gets_its_action() -> None:
    assert oddity_rate() == 1
