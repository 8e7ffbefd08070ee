"""`suanli parse`: one question, a thread, JSON lines."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from bot.cli import app


def test_a_question_is_printed_as_json() -> None:
    result = CliRunner().invoke(app, ["parse", "8卡A100能微调70B吗"])
    answer = json.loads(result.stdout)
    assert answer["intent"] == "feasibility"
    assert answer["slots"]["gpus"] == [{"name": "A100", "memory_gb": None, "count": 8, "form": None}]


def test_explain_shows_words_and_rules() -> None:
    shown = CliRunner().invoke(app, ["parse", "--explain", "8卡A100能微调70B吗"]).stdout
    assert "'a100' -> gpus: A100" in shown
    assert "can-this-card-do-this" in shown


def test_lines_come_back_in_order_whatever_is_wrong_with_one() -> None:
    lines = [
        '{"id": 1, "text": "A100 price"}',
        "nonsense",
        '{"id": 3}',
        '{"id": 4, "turns": ["A100 能跑 7B 吗", "谢谢", "4 卡呢"]}',
    ]
    result = CliRunner().invoke(app, ["parse", "--jsonl"], input="\n".join(lines))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer.get("id") for answer in answers] == [1, None, 3, 4]
    assert answers[0]["intent"] == "price_lookup"
    assert answers[1]["error"]["code"] == answers[2]["error"]["code"] == "invalid_json"
    assert [turn["act"] for turn in answers[3]["turns"]] == ["new", "ack", "set"]
    assert answers[3]["turns"][2]["slots"]["gpus"][0]["count"] == 4
