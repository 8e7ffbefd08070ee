"""A ratchet: what the corpus of real questions is read right at. The rates may only rise."""

from __future__ import annotations

import pytest

from tests.understand.corpus import oddity_rate, question_rates, thread_rates

FLOORS = {"intent": 0.99, "gpus": 0.99, "models": 0.99, "task": 0.99, "whole": 0.975}
THREAD_FLOORS = {"state": 0.99, "act": 0.99, "whole": 0.96}


@pytest.mark.parametrize("name", ["questions", "composed-questions", "composed-real"])
def test_questions_are_read_as_well_as_before(name: str) -> None:
    rates = question_rates(name)
    assert {name: rate for name, rate in rates.items() if rate < FLOORS[name]} == {}


@pytest.mark.parametrize("name", ["threads", "composed-threads"])
def test_threads_are_followed_as_well_as_before(name: str) -> None:
    rates = thread_rates(name)
    assert {name: rate for name, rate in rates.items() if rate < THREAD_FLOORS[name]} == {}


@pytest.mark.parametrize("name", ["adversarial", "composed-adversarial"])
def test_every_oddity_gets_its_action(name: str) -> None:
    assert oddity_rate(name) == 1
