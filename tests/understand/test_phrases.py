"""Kinds of phrasing in both languages, by table: `tests/data/questions/phrases.txt` and its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.understand.reading import read, read_thread, written

TABLES = Path(__file__).parent.parent / "data" / "questions"


def rows(name: str) -> list[tuple[str, str]]:
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("  =>  ", 1) for line in lines if "  =>  " in line and not line.startswith("# "))
    return [(said, wanted) for said, wanted in pairs]


def threads() -> list[list[tuple[str, str]]]:
    blocks = (TABLES / "conversations.txt").read_text(encoding="utf-8").split("\n\n")
    lines = ([line for line in block.splitlines() if "  =>  " in line and line[0] != "#"] for block in blocks)
    return [[(said, wanted) for said, wanted in (line.split("  =>  ", 1) for line in turns)] for turns in lines if turns]


@pytest.mark.parametrize(("said", "wanted"), rows("phrases.txt") + rows("kinds.txt"))
def test_a_phrase_is_read(said: str, wanted: str) -> None:
    assert written(read(said)) == wanted


@pytest.mark.parametrize(("said", "wanted"), rows("intents.txt"))
def test_a_question_asks_what_it_says(said: str, wanted: str) -> None:
    assert read(said).intent.value in wanted.split()


@pytest.mark.parametrize(("said", "wanted"), rows("oddities.txt"))
def test_an_oddity_is_met_with_the_right_action(said: str, wanted: str) -> None:
    assert written(read(said)) == wanted


@pytest.mark.parametrize("turns", threads(), ids=lambda turns: turns[0][0][:40])
def test_a_thread_keeps_what_it_does_not_name(turns: list[tuple[str, str]]) -> None:
    questions = read_thread([said for said, _ in turns])
    assert [f"{q.act.value} {written(q)}" for q in questions] == [wanted for _, wanted in turns]
