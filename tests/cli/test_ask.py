"""`suanli ask`: words, one JSON object, or JSON lines with threads that remember."""

import json

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.cli.ask import answer_line
from tests.advise.road import assistant

RUN = CliRunner()
KEYS = {
    "intent", "act", "action", "language", "verdict", "headline", "slots", "assumptions", "answered_from", "faq_id",
    "faq_candidates", "estimate", "scenarios", "alternatives", "caveats", "sources", "cost", "catalog_date", "reply",
}  # fmt: skip


def line(text: str) -> dict:  # type: ignore[type-arg]
    return answer_line({"text": text}, assistant(), "rich")


def test_words_in_the_terminal() -> None:
    result = RUN.invoke(app, ["ask", "can A100 80G fine-tune a 70B model?"])
    assert result.exit_code == 0
    assert result.output.startswith("Yes with QLoRA on one A100 80G")


def test_words_without_quotes_are_one_question() -> None:
    assert "QLoRA" in RUN.invoke(app, ["ask", "can", "A100", "80G", "fine-tune", "a", "70B?"]).output


def test_sum_and_configuration_on_request() -> None:
    output = RUN.invoke(
        app, ["ask", "--sum", "--recipe", "full fine-tune Llama-3-8B on 4 A100 80G with llama-factory?"]
    ).output
    assert "How the figure adds up" in output
    assert "finetuning_type: full" in output


def test_every_key_that_the_readme_names_is_there() -> None:
    answer = line("can A100 80G fine-tune a 70B model?")
    assert set(answer) == KEYS
    json.dumps(answer, allow_nan=False)
    assert answer["verdict"] == answer["estimate"]["fits"] == "yes"
    assert answer["estimate"]["n_gpus"] == 1
    assert {scenario["task"] for scenario in answer["scenarios"]} == {"qlora", "lora", "full_finetune"}
    assert {"slot": "gpus[0].count", "value": 1} in [{k: a[k] for k in ("slot", "value")} for a in answer["assumptions"]]
    assert answer["slots"]["gpus"][0]["count"] is None


def test_chinese_has_the_same_figures() -> None:
    english, chinese = line("can A100 80G fine-tune a 70B model?"), line("A100 80G 能微调 70B 模型吗")
    assert english["estimate"] == chinese["estimate"]
    assert chinese["language"] == "zh"


@pytest.mark.parametrize("text", ["what's for lunch", "cheapest H100 right now", "does L40S have NVLink?"])
def test_where_nothing_is_fitted_there_is_no_verdict(text: str) -> None:
    answer = line(text)
    assert answer["verdict"] is None
    assert answer["estimate"] is None


def test_a_thread_keeps_its_state_from_turn_to_turn() -> None:
    turns = answer_line({"turns": ["can A100 80G fine-tune a 70B model?", "and with LoRA?"]}, assistant(), "plain")["turns"]
    assert [turn["slots"]["task"] for turn in turns] == ["finetune", "lora"]
    assert turns[1]["slots"]["models"] == turns[0]["slots"]["models"]


def test_lines_go_on_after_a_bad_one() -> None:
    given = '{"id": "a", "text": "hi"}\nnot json\n{"id": "b", "text": 7}\n{"id": "c", "text": "H100 price"}\n'
    result = RUN.invoke(app, ["ask", "--jsonl"], input=given)
    assert result.exit_code == 0
    answers = [json.loads(row) for row in result.output.splitlines()]
    assert [answer.get("id") for answer in answers] == ["a", None, "b", "c"]
    assert ["error" in answer for answer in answers] == [False, True, True, False]


@pytest.mark.parametrize("text", ["", "😀😀🚀", "x" * 5000, "-3 GPUs", "<!channel> can H100 run 70B?", "*bold* _x_ `y`"])
def test_bad_input_gets_a_reply_and_nothing_live(text: str) -> None:
    answer = line(text)
    assert answer["headline"]
    assert "<!channel>" not in json.dumps(answer["reply"])


def test_a_conversation_in_the_terminal() -> None:
    result = RUN.invoke(app, ["chat"], input="can A100 80G fine-tune a 70B model?\nand with LoRA?\n\n")
    assert result.exit_code == 0
    assert "Kept" in result.output
