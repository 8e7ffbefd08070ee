"""What engines do by default, by version."""

from __future__ import annotations

import pytest

from bot.estimator.engines import engine_of, is_before
from tests.estimator.serving_desk import data

LATENT = [
    ("vllm", "0.5.4", False),
    ("vllm", "0.7.1", True),
    ("vllm", "2024-05", False),  # a date: before the release that brought it
    ("vllm", "2026-08", True),
    ("vllm", None, True),  # unknown: the newest
    ("sglang", "0.4.6.post1", True),
    ("transformers", "4.51", False),
]


@pytest.mark.parametrize(("engine", "version", "expected"), LATENT)
def test_which_versions_keep_the_latent_cache(engine: str, version: str | None, *, expected: bool) -> None:
    assert engine_of(engine, version, data()).latent is expected


def test_prompt_tokens_of_a_step_follow_the_version() -> None:
    assert engine_of("vllm", "0.6.x", data()).batched_tokens is None
    assert engine_of("vllm", "0.7", data()).batched_tokens == 2048
    assert engine_of("vllm", "0.7 V1", data()).batched_tokens == 8192


BEFORE = [
    ("0.4.2", "0.5", True),
    ("0.6.3", "0.5", False),
    ("2023", "0.4", True),
    ("May 2024", "2025-01", True),
    ("build 1786", "2025-01", True),
    ("build 6000", "2025-01", False),
    ("Docker", "2025-01", False),
    (None, "0.5", False),
]


@pytest.mark.parametrize(("version", "until", "expected"), BEFORE)
def test_versions_dates_and_builds_are_compared(version: str | None, until: str, *, expected: bool) -> None:
    assert is_before(version, until, data()) is expected


def test_an_unknown_engine_takes_the_defaults() -> None:
    engine = engine_of("brand-new", None, data())
    assert not engine.known
    assert engine.loads_format("awq_int4")
    assert engine.utilisation == 0.9
