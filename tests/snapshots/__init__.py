"""Whole replies as text files, reviewed in the diff. `SUANLI_UPDATE_SNAPSHOTS=1 pytest …` writes them anew."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent


def assert_snapshot(name: str, text: str) -> None:
    path = FOLDER / f"{name}.txt"
    if os.environ.get("SUANLI_UPDATE_SNAPSHOTS"):
        path.write_text(text + "\n", encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: run with SUANLI_UPDATE_SNAPSHOTS=1 and read it"
    assert text + "\n" == path.read_text(encoding="utf-8"), f"{path.name} differs; if right, SUANLI_UPDATE_SNAPSHOTS=1"
