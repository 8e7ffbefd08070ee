"""200,000 messages of random words, symbols and cuts of real questions: read without an error, none slow."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

from bot.question import Question
from tests.understand.reading import read

QUESTIONS = Path(__file__).parent.parent / "data" / "questions" / "questions.jsonl"
MESSAGES = 200_000
SYMBOLS = [
    *list("0123456789.,-*x/()[]{}<>@#!:;'\"`_~%$¥&|\\+=?？。，、 \n\t"),
    "\u200b",
    "😀",
    "１",
    "Ｂ",
    "訓",
    "é",
    "\x00",
]


def messages(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    texts = [json.loads(line)["text"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    words = [word for text in texts for word in text.split()]
    out = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.4:
            out.append(rng.choice((" ", "")).join(rng.choices(words, k=rng.randint(0, 12))))
        elif kind < 0.7:
            text = rng.choice(texts)
            start = rng.randrange(len(text))
            out.append(text[start:] + rng.choice(SYMBOLS) + text[:start])
        else:
            out.append("".join(rng.choice((*SYMBOLS, rng.choice(words))) for _ in range(rng.randint(0, 20))))
    return out


def test_no_message_raises_or_hangs() -> None:
    before: Question | None = None
    slowest = 0.0
    for number, message in enumerate(messages(MESSAGES, seed=1)):
        start = time.process_time()
        question = read(message, before)
        slowest = max(slowest, time.process_time() - start)
        before = question if number % 3 else None
    print(f"\nfuzz: {MESSAGES:,} messages, the slowest {slowest * 1000:.1f} ms")
    assert slowest < 0.5
