"""The names of `bot.estimator` are imported when they are first used; all must be there and none hidden by its module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot import estimator


@pytest.mark.parametrize("name", estimator.__all__)
def test_a_name_is_found_and_is_no_module(name: str) -> None:
    assert getattr(estimator, name).__module__.startswith("bot.estimator.")
    assert not (Path(estimator.__file__).parent / f"{name}.py").exists()


def test_all_names_are_offered() -> None:
    assert sorted(estimator._MODULE_OF) == sorted(estimator.__all__)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = estimator.nothing_of_this_name


def test_a_question_about_training_loads_no_serving() -> None:
    code = (
        "import sys; sys.argv = ['suanli', 'ask', 'can A100 80G fine-tune a 70B model?'];"
        "import atexit; atexit.register(lambda: print([m for m in sys.modules if m.startswith('bot.estimator.serving')]));"
        "from bot.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
