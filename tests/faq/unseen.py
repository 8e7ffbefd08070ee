"""Questions that the index does not hold, for honest measures of the search and of the answers."""

from __future__ import annotations

from pathlib import Path


def unseen(file: str) -> list[tuple[str, str]]:
    """(entry, question) of a list beside this file: a line `== F-id`, then questions that it should be found by."""
    found: list[tuple[str, str]] = []
    entry = ""
    for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            entry = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            found.append((entry, line))
    return found
