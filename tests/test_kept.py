"""Copies between runs: served while the files are the same, made anew after every change, never in the way."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from bot.folder import Folder
from bot.kept import kept, kept_file

_LONG_AGO = 1_700_000_000


def write(path: Path, text: str, *, at: int = _LONG_AGO) -> Path:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at, at))
    return path


class Counted:
    """Reads the file and counts how often."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.path, self.cache, self.times = path, cache, 0

    def read(self, version: str = "") -> dict[str, object]:
        return kept("counted", [self.path], self._make, version=version, folder=self.cache)

    def _make(self) -> dict[str, object]:
        self.times += 1
        return {"text": self.path.read_text(encoding="utf-8"), 1: (2.5, None, True, ["显存"])}


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    return Counted(write(tmp_path / "facts.yaml", "a: 1"), tmp_path / "cache")


def test_a_copy_says_the_same_and_is_made_once(counted: Counted) -> None:
    assert counted.read() == counted.read() == {"text": "a: 1", 1: (2.5, None, True, ["显存"])}
    assert counted.times == 1


@pytest.mark.parametrize(
    ("text", "at"),
    [("a: 2", _LONG_AGO + 1), ("a: 10", _LONG_AGO), ("a: 3", _LONG_AGO - 1)],
    ids=["another time", "another size", "an older time"],
)
def test_an_edited_file_is_read_anew(counted: Counted, text: str, at: int) -> None:
    counted.read()
    write(counted.path, text, at=at)
    assert counted.read()["text"] == text


def test_a_file_edited_just_now_is_not_kept(tmp_path: Path) -> None:
    counted = Counted(tmp_path / "facts.yaml", tmp_path / "cache")
    for text in ("a: 1", "a: 2", "a: 3"):
        counted.path.write_text(text, encoding="utf-8")
        assert counted.read()["text"] == text
    assert not counted.cache.exists()


def test_another_layout_is_made_anew(counted: Counted) -> None:
    counted.read("1")
    counted.read("2")
    assert counted.times == 2


@pytest.mark.parametrize("cut", [0, 3, 4, 20, -1], ids=["empty", "no checksum", "checksum only", "a part", "one byte short"])
def test_half_a_copy_is_made_anew(counted: Counted, cut: int) -> None:
    counted.read()
    place = kept_file(counted.cache, "counted", [counted.path])
    place.write_bytes(place.read_bytes()[:cut])
    assert counted.read()["text"] == "a: 1"
    assert counted.times == 2


def test_a_folder_that_cannot_be_written_is_no_matter(counted: Counted) -> None:
    counted.cache.write_text("a file in its place", encoding="utf-8")
    assert counted.read() == counted.read()
    assert counted.times == 2


def test_what_is_not_plain_data_is_not_kept(counted: Counted) -> None:
    read = [kept("day", [counted.path], lambda: date(2026, 11, 30), folder=counted.cache) for _ in range(2)]
    assert read == [date(2026, 11, 30)] * 2
    assert not counted.cache.exists()


def test_a_folder_of_facts_says_the_same_from_its_copy(tmp_path: Path) -> None:
    write(tmp_path / "prices.csv", "# hourly\nid,usd,note\na,1, \nb,2,two\n")
    write(tmp_path / "words.yaml", "1: one\nread_on: 2026-11-30\nlist: [1.5, null, true]\n")
    folder = Folder((tmp_path,))
    rows, words = folder.csv("prices.csv", "id"), folder.yaml("words.yaml")
    assert (folder.csv("prices.csv", "id"), folder.yaml("words.yaml")) == (rows, words)
    assert [(row.line, row.values) for row in rows] == [
        (3, {"id": "a", "usd": "1"}),
        (4, {"id": "b", "usd": "2", "note": "two"}),
    ]
    assert words == {1: "one", "read_on": "2026-11-30", "list": [1.5, None, True]}
