"""The repository speaks of the project only, and nothing in it needs more than the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REGISTRIES = re.compile(r"pypi\.org|pythonhosted|registry\.npmjs|files\.pythonhosted|deb\.debian|--index-url", re.IGNORECASE)
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")
SECRETS = re.compile(r"xox[bp]-\d{6,}|xapp-\d-|-----BEGIN [A-Z ]*PRIVATE KEY")


def tracked_texts() -> list[tuple[str, str]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = [name for name in listed.stdout.decode().split("\0") if name and name != "tests/test_project.py"]
    texts = []
    for name in names:
        path = ROOT / name
        if path.suffix not in {".png", ".ico"} and path.is_file():
            texts.append((name, path.read_text(encoding="utf-8")))
    return texts


@pytest.mark.parametrize(
    ("pattern", "what"),
    [(REGISTRIES, "a package registry"), (MACHINE_PATHS, "a path of one machine"), (SECRETS, "a secret")],
    ids=["registries", "paths", "secrets"],
)
def test_no_tracked_file_names(pattern: re.Pattern[str], what: str) -> None:
    found = [f"{name}: {match.group(0)}" for name, text in tracked_texts() if (match := pattern.search(text))]
    assert not found, f"{what} in {found}"


def test_every_locked_package_has_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", lock.strip())
    assert len(entries) > 50
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_top_level_is_the_documented_one() -> None:
    folders = {name.split("/")[0] for name, _ in tracked_texts() if "/" in name}
    assert folders <= {".ci", "bot", "deploy", "docs", "knowledge", "templates", "tests"}
