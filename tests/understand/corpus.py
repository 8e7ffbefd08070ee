"""Rates on the question corpora of `tests/data/questions/`: the share of questions, turns and oddities read right.

One was collected from public pages, the others (`composed-…`) were written for these tests, apart from the work on the
parser: `composed-real` after issues of training and serving tools, with the intent, cards, models and task marked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.question import Question, Slots
from tests.understand.reading import read, read_thread

CORPUS = Path(__file__).parent.parent / "data" / "questions"
_CLOSE = {"seq_len": 0.03, "input_len": 0.03, "output_len": 0.03, "tokens": 0.03, "duration_h": 0.03}


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def question_rates(name: str = "questions") -> dict[str, float]:
    rows = []
    for item in load(name):
        got = read(item["text"])
        slots = got.slots
        skip = set(item["unscored"])
        wrong = {name for name in wrong_slots(item["slots"], slots) if name not in skip}
        intent = got.intent in (item["intent"], *item["alt_intents"])
        rows.append(
            {
                "intent": intent,
                "gpus": "gpus" not in wrong,
                "models": "models" not in wrong,
                "task": "task" not in wrong,
                "whole": intent and not wrong,
            }
        )
    return {key: _share(row[key] for row in rows) for key in rows[0]}


def thread_rates(name: str = "threads") -> dict[str, float]:
    states, acts, whole = [], [], []
    for item in load(name):
        got = read_thread([turn["text"] for turn in item["turns"]])
        pairs = list(zip(item["turns"], got, strict=True))
        state = [not wrong_slots(turn["slots"], question.slots) for turn, question in pairs]
        intents = [turn["intent"] == question.intent for turn, question in pairs]
        states += state
        acts += [turn["act"] == question.act for turn, question in pairs[1:]]
        whole.append(all(state) and all(intents))
    return {"state": _share(states), "act": _share(acts), "whole": _share(whole)}


def oddity_rate(name: str = "adversarial") -> float:
    return _share(read(item["text"]).action == item["expect"]["action"] for item in load(name))


def wrong_slots(wanted: Mapping[str, Any], got: Slots) -> set[str]:
    """Names of the slots that differ; numbers within the tolerance of their kind."""
    have = asdict(got)
    return {name for name in have if not _same(name, wanted.get(name), have[name])}


def _same(name: str, wanted: Any, got: Any) -> bool:
    if name in ("gpus", "models"):
        pairs = sorted(map(_entry, wanted or ())), sorted(map(_entry, got or ()))
        return pairs[0] == pairs[1]
    if wanted in (None, []) or got in (None, ()):
        return wanted in (None, []) and got in (None, ())
    if isinstance(wanted, dict):
        return bool(wanted == got)
    if isinstance(wanted, int | float):
        return abs(wanted - float(got)) <= _CLOSE.get(name, 0.001) * abs(wanted)
    return str(wanted).casefold() == str(got).casefold()


def _entry(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Name, memory, count and form of a card, or name of a model, in a spelling that compares."""
    name = (
        re.sub(r"-\d+G(?=-|$)", "", str(entry["name"])) if "form" in entry else str(entry["name"])
    )  # the size stands apart
    name = re.sub(r"[\s\-_]+", "", name).casefold()
    if "params_b" in entry:
        size = "" if entry["name"] else f"{entry['params_b']:g}"
        return name, size
    return name, str(entry["memory_gb"] and round(entry["memory_gb"])), str(entry["count"]), str(entry["form"])


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def misses() -> list[tuple[str, Question]]:
    """Questions not read exactly right, for a look by hand."""
    return [
        (item["text"], got)
        for item in load("questions")
        for got in [read(item["text"])]
        if set(wrong_slots(item["slots"], got.slots)) - set(item["unscored"])
        or got.intent not in (item["intent"], *item["alt_intents"])
    ]
