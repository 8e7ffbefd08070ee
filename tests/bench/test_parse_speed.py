"""How long reading takes: a question of the corpus, a paste of 20,000 characters, loading the lexicon. CPU time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from bot.folder import Folder
from bot.understand import load_understanding
from tests.understand.reading import read, specs

QUESTIONS = Path(__file__).parent.parent / "data" / "questions" / "questions.jsonl"
PASTES = (
    "training a 70B on A100 40G nodes, on paper the total vram is enough ",
    "本项目面向内部知识库问答，文档来源较多，A100 8卡 70B 24G显存。",
    "a100 70b 8 gpus 4090 24gb 3 days ",
    "1 2 3 4 5 6 7 8 ",
    "8*8*8*8*",
    "微调",
    "((((((((",
    "-_-_-_-_",
)


def cpu_ms(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return (time.process_time() - start) * 1000


def test_a_question_takes_about_a_millisecond() -> None:
    texts = [json.loads(line)["text"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    read(texts[0])
    taken = sorted(cpu_ms(lambda text=text: read(text)) for text in texts)
    print(f"\nparse: median {median(taken):.2f} ms, 95 % under {taken[int(0.95 * len(taken))]:.2f} ms a question")
    assert median(taken) <= 1.5


@pytest.mark.parametrize("piece", PASTES)
def test_twenty_thousand_characters_are_bounded(piece: str) -> None:
    paste = (piece * 20000)[:20000]
    read(paste)
    best = min(cpu_ms(lambda: read(paste)) for _ in range(3))
    print(f"\nparse: {best:.1f} ms for 20,000 characters of {piece[:12]!r}")
    assert best < 50


def test_the_lexicon_loads_quickly() -> None:
    specs()
    best = min(cpu_ms(lambda: load_understanding(Folder.knowledge(), specs())) for _ in range(3))
    print(f"\nparse: lexicon loaded in {best:.0f} ms")
    assert best < 80
