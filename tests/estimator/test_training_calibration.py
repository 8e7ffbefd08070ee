"""The fit of training constants: it starts from the priors of the file and answers for groups that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest

from bot.estimator import load_training_measurements
from bot.estimator.calibration.training_fit import cross_validated, fit, log_ratios, rows_of
from bot.folder import Folder
from tests.estimator.training_examples import data, specs

ENTRIES = Folder.knowledge().yaml("calibration/training.yaml")
FEW = ("logits_whole", "working_layer")


def rows(part):
    measurements = load_training_measurements(Folder.knowledge(), specs())
    return [row for row in rows_of(part, measurements, data()) if "fsdp_qlora" in row.group or "Qwen-7B" in row.group]


def only(names):
    return {name: {**entry, "fitted": "rows"} for name, entry in ENTRIES["memory"].items() if name in names}


@pytest.fixture(scope="module")
def memory_rows():
    return rows("memory")


def test_a_fit_moves_only_what_is_fitted(memory_rows):
    before = data().training_constants
    after = fit("memory", memory_rows, before, only(FEW))
    changed = {name for name in ENTRIES["memory"] if getattr(before.memory, name) != getattr(after.memory, name)}
    assert changed <= set(FEW)
    assert after.speed == before.speed


def test_a_fit_is_no_worse_than_the_priors(memory_rows):
    constants = data().training_constants
    fitted = fit("memory", memory_rows, constants, only(FEW))
    assert np.median(abs(log_ratios("memory", memory_rows, fitted))) < 0.12


def test_groups_left_out_are_answered_by_the_others(memory_rows):
    left_out = cross_validated("memory", memory_rows, data().training_constants, only(FEW), folds=2)
    assert len(left_out) == len(memory_rows)
    assert np.median(abs(left_out)) < 0.15


def test_every_fitted_constant_has_prior_unit_and_meaning():
    for part in ("memory", "speed"):
        for name, entry in ENTRIES[part].items():
            assert entry["unit"], name
            assert entry["meaning"], name
            assert entry["fitted"] in ("rows", "published"), name
            assert entry["fitted"] == "published" or entry["prior"] > 0, name
