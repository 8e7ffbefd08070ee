"""What `knowledge check` says of a lexicon layered over the packaged one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.folder import Folder
from bot.understand.checks import check_lexicon
from tests.understand.reading import specs

RULE = "rules: [{id: odd, intent: faq, points: 1, all: [nothing_raises_this]}]\n"
WRONG = [
    ("intents.yaml", RULE, "intents.yaml rules odd: no cue raises 'nothing_raises_this'"),
    ("intents.yaml", "metrics: {colour: red}\n", "metrics colour: no such attribute"),
    ("intents.yaml", 'cues: {greeting: "hi | | hello"}\n', "cues.greeting: a phrase is empty"),
    ("tools.yaml", "task.paint: paint\n", "task.paint: 'paint' is no task"),
    ("patterns.yaml", "article: '(a'\n", "patterns.yaml article"),
    ("patterns.yaml", "article: '<no_such_list>'\n", "patterns.yaml article"),
]


def test_the_packaged_lexicon_is_sound() -> None:
    assert check_lexicon(Folder.knowledge(), specs()) == []


@pytest.mark.parametrize(("file", "text", "problem"), WRONG, ids=[problem for *_, problem in WRONG])
def test_a_fault_is_named(tmp_path: Path, file: str, text: str, problem: str) -> None:
    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / file).write_text(text, encoding="utf-8")
    problems = check_lexicon(Folder.knowledge(tmp_path), specs())
    assert any(problem in line for line in problems), problems


def test_an_own_phrase_needs_no_code(tmp_path: Path) -> None:
    from bot.understand import load_understanding

    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / "tools.yaml").write_text("engine.vllm: rocketserve\n", encoding="utf-8")
    question = load_understanding(Folder.knowledge(tmp_path), specs()).read("rocketserve 70B on 4 A100")
    assert question.slots.engine == "vllm"
