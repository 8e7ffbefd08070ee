"""`suanli parse`: how a message is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from bot.question import Question
    from bot.understand import Understanding


def register(app: typer.Typer) -> None:
    app.command("parse")(parse)


def parse(
    text: str = typer.Argument("", help="A message; several turns of a thread are separated by ' / '."),
    jsonl: bool = typer.Option(False, "--jsonl", help="Read one question or thread a line from standard input."),
    explain: bool = typer.Option(
        False, "--explain", help="Show which words became which slot and which rule chose the intent."
    ),
) -> None:
    """Read messages and print what was understood; nothing is estimated (README, "Machine-readable commands")."""
    import json

    from bot.cli.lines import serve_lines
    from bot.cli.questions import explanation, question_json
    from bot.understand import load_understanding
    from bot.wiring import folder_once, load_specs_once

    understanding = load_understanding(folder_once(), load_specs_once())
    if jsonl:
        serve_lines(lambda item: parse_item(item, understanding))
        return
    question: Question | None = None
    for turn in text.split(" / "):
        question = understanding.read(turn, question)
        print(explanation(question) if explain else json.dumps(question_json(question), ensure_ascii=False))


def parse_item(item: Mapping[str, Any], understanding: Understanding) -> dict[str, Any]:
    """One line: a question by itself, or the turns of a thread, each with the full state after it."""
    from bot.cli.questions import question_json
    from bot.question import Act, Action

    before: Question | None
    if isinstance(item.get("turns"), list):
        turns, before = [], None
        for turn in item["turns"]:
            question = understanding.read(str(turn), before)
            turns.append(question_json(question))
            if question.act is not Act.ACK and question.action is not Action.DECLINE:  # thanks leave the question in place
                before = question
        return {"turns": turns}
    if not isinstance(item.get("text"), str):
        raise ValueError("`text` or `turns` is expected")
    return question_json(understanding.read(item["text"]))
