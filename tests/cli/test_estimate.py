"""`suanli estimate`: keys that the commands add to the estimator's own."""

from __future__ import annotations

from bot.cli.workloads import estimate_item
from bot.wiring import build_estimator, load_specs_once

JOB = {"kind": "training", "model": "Llama-3.1-8B", "gpu": "A100-80G-SXM", "n_gpus": 1, "method": "lora"}


def answer(**keys: object) -> dict[str, object]:
    return estimate_item({**JOB, **keys}, load_specs_once(), build_estimator())


def test_the_longest_sequence_is_answered_where_the_card_is_known():
    longest = answer()["max_seq_len"]
    assert isinstance(longest, int)
    assert longest > 8192
    assert answer(seq_len=longest)["fits"] in ("yes", "tight")
    assert answer(seq_len=2 * longest)["fits"] == "no"


def test_without_a_card_it_is_left_out():
    assert "max_seq_len" not in answer(gpu=None)
