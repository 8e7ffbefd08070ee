"""Rules as data: sound, worded in both languages, precise about when they speak."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from bot.advise import Advisor
from bot.advise.conditions import evaluate, faults
from bot.advise.context import Library
from bot.advise.rules import Rule, Rules, check_rules, corrected_claims, load_rules
from bot.advise.vocabulary import VOCABULARY, names_for, says_in
from bot.answer import Answer, Band, Cost, Scenario, say
from bot.compose.locale import Locale
from bot.compose.texts import Words, texts_in
from bot.errors import KnowledgeError
from bot.estimator import TrainingEstimate
from bot.faq.claims import load_claims
from bot.folder import Folder, data_root
from bot.question import Action, GpuSlot, Intent, ModelSlot, Question, Reader, Slots, Task, Thread
from bot.understand import load_understanding

NOW = datetime(2026, 11, 30, tzinfo=UTC)
FOLDER = Folder.knowledge()
LIBRARY = Library(FOLDER)
RULES = load_rules(FOLDER, LIBRARY.specs)
TEXTS = texts_in(data_root() / "templates" / "texts")
CLAIMS = load_claims(FOLDER)


def a_question(text: str = "", intent: Intent = Intent.FEASIBILITY, **slots: object) -> Question:
    return Question(text=text, intent=intent, slots=Slots(**slots))  # type: ignore[arg-type]


def an_answer(question: Question, *, verdict: str | None = None, task: str | None = None, n_gpus: int | None = None,
              gib: float = 60, usable: float = 79.1, cost: Cost | None = None) -> Answer:  # fmt: skip
    estimate = TrainingEstimate(Band.around(gib, 0.1, 0.1), {"weights": gib}, usable_gib_per_gpu=usable)
    main = Scenario(task, say("x"), None, estimate, n_gpus) if task else None  # type: ignore[arg-type]
    return Answer(question, say("x"), question.language, verdict=verdict, main=main, cost=cost)  # type: ignore[arg-type]


def fired(question: Question, **answer: object) -> list[str]:
    return [caveat.rule for caveat in RULES.fire(question, an_answer(question, **answer))]  # type: ignore[arg-type]


A100 = GpuSlot("A100-80G", 80, 1)


# (question, answer, a rule that must speak, one that must not)
CASES = [
    (a_question("405B in fp8 on 8 A100", gpus=(GpuSlot("A100-80G", 80, 8),)), {}, "no-fp8-here", "fp8-is-switched-on"),
    (a_question("70B in fp8 on 8 H100", gpus=(GpuSlot("H100", 80, 8),), task=Task.INFERENCE), {},
     "fp8-is-switched-on", "no-fp8-here"),
    (a_question("A10 fp8?", gpus=(GpuSlot("A10", 24, 1),)), {}, "no-fp8-here", "which-a100"),
    (a_question("16卡80g=1280g，够吗", gpus=(GpuSlot("A100-80G", 80, 16),), models=(ModelSlot(None, 72),)),
     {"verdict": "tight", "task": "full_finetune", "n_gpus": 16}, "memory-is-per-card", "seven-b-on-one-card"),
    (a_question("full 7B", gpus=(A100,), models=(ModelSlot("Qwen2-7B", 7),), task=Task.FULL_FINETUNE),
     {"verdict": "no", "task": "full_finetune", "n_gpus": 1, "gib": 120}, "seven-b-on-one-card", "memory-is-per-card"),
    (a_question("V100 LoRA", gpus=(GpuSlot("V100-32G", 32, 4),), models=(ModelSlot(None, 13),)),
     {"task": "lora", "n_gpus": 4}, "no-bf16-here", "no-fp8-here"),
    (a_question("4 RTX 4090 LoRA", gpus=(GpuSlot("RTX4090", 24, 4),)), {"task": "lora", "n_gpus": 4},
     "no-nvlink-here", "no-bf16-here"),
    (a_question("A100 or H100 for LoRA, which is cheaper?", Intent.COMPARE, gpus=(A100, GpuSlot("H100", 80, 1))), {},
     "dearer-may-cost-less", "listed-is-not-stock"),
    (a_question("A10 还是 H100", Intent.COMPARE, gpus=(GpuSlot("A10", 24, 1), GpuSlot("H100", 80, 1))), {},
     "which-h100", "dearer-may-cost-less"),
    (a_question("cheapest H100", Intent.PRICE_LOOKUP, gpus=(GpuSlot("H100", 80),)), {},
     "listed-is-not-stock", "export-licence"),
    (a_question("阿里云 H100 多少钱", Intent.PRICE_LOOKUP, gpus=(GpuSlot("H100", 80),), provider="aliyun"), {},
     "export-licence", "memory-is-per-card"),
    (a_question("Mac Studio", gpus=(GpuSlot("M2Ultra-192G", 192, 1),)), {}, "unified-memory", "few-measurements"),
    (a_question("7B PPO", task=Task.RLHF), {}, "rlhf-holds-several-models", "qlora-saves-no-time"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "yes", "no"), CASES, ids=[c[0].text for c in CASES])
def test_the_caveat_of_an_expert(question: Question, answer: dict[str, object], yes: str, no: str) -> None:
    rules = fired(question, **answer)
    assert yes in rules
    assert no not in rules


def test_the_rules_are_sound() -> None:
    assert check_rules(FOLDER) == []


def test_every_rule_of_thumb_is_judged() -> None:
    judged = [judgement for rule in RULES for judgement in rule.judged]
    assert len(judged) == 54
    assert len({judgement.was for judgement in judged}) == 54


@pytest.mark.parametrize("rule", list(RULES), ids=lambda rule: rule.id)
def test_a_rule_has_words_in_both_languages(rule: Rule) -> None:
    entry = TEXTS.entry(f"rules.{rule.say}")
    placed = {language: set(re.findall(r"\{\{\s*(\w+)", entry[language])) for language in ("en", "zh")}
    assert placed["en"] == placed["zh"] == set(rule.values)


@pytest.mark.parametrize("rule", list(RULES), ids=lambda rule: rule.id)
def test_both_languages_give_the_same_figures(rule: Rule) -> None:
    entry = TEXTS.entry(f"rules.{rule.say}")
    assert set(re.findall(r"\d[\d.,]*\d", entry["en"])) <= set(re.findall(r"\d[\d.,]*\d", entry["zh"]))


def test_no_text_is_left_without_a_rule() -> None:
    document = yaml.safe_load((data_root() / "templates/texts/rules.yaml").read_text(encoding="utf-8"))
    assert {key.partition(".")[2] for key in document} == {rule.say for rule in RULES}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("rule", list(RULES), ids=lambda rule: rule.id)
def test_a_caveat_can_be_said_whatever_is_unknown(rule: Rule, language: str) -> None:
    question = a_question("")
    names = names_for(question, an_answer(question), RULES.specs, None)
    values = {key: evaluate(expression, names) for key, expression in rule.values.items()}
    assert Words(TEXTS, Locale(language)).say(say(f"rules.{rule.say}", **values))  # type: ignore[arg-type]


def test_a_figure_rests_on_a_claim_or_a_source() -> None:
    unbacked = [rule.id for rule in RULES if not (rule.because or rule.sources)]
    assert unbacked == []


def test_the_heaviest_caveat_comes_first() -> None:
    question = a_question("fp8 on spot V100", gpus=(GpuSlot("V100-32G", 32, 4),))
    weights = [caveat.weight for caveat in RULES.fire(question, an_answer(question, task="lora", n_gpus=4))]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) > 1


def test_order_of_rules_does_not_matter() -> None:
    question = a_question("A100 or H100, spot, china", Intent.COMPARE, gpus=(A100, GpuSlot("H100", 80, 1)))
    backwards = Rules(tuple(reversed(RULES.rules)), RULES.specs)
    assert backwards.fire(question, an_answer(question)) == RULES.fire(question, an_answer(question))


def test_courtesies_and_refusals_carry_no_caveat() -> None:
    question = Question("what's for lunch, H100?", Intent.OUT_OF_SCOPE, action=Action.DECLINE)
    assert RULES.fire(question, Answer(question, say("x"), "en", action=Action.DECLINE)) == ()


# (phrase, text, whether it occurs)
OCCURRENCES = [
    ("cdn", "用CDN预热", True),
    ("cdn", "the CDNs", True),
    ("oss", "loss is high", False),
    ("cos", "the cost", False),
    ("spot", "Spot A100", True),
    ("own", "download", False),
    ("rank", "rank 64", True),
    ("国产", "H100和国产卡", True),
    ("1.7万", "每月1.7万元", True),
]


@pytest.mark.parametrize(("phrase", "text", "occurs"), OCCURRENCES)
def test_latin_words_match_whole_and_chinese_anywhere(phrase: str, text: str, occurs: bool) -> None:
    assert says_in(text)(phrase) is occurs


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("gpu.fp8 and", "is not an expression"),
        ("gpus_per_box > 3", "'gpus_per_box' is not in the vocabulary"),
        ("gpu.vram > 3", "gpu.vram does not exist"),
        ("q.sequence", "q.sequence does not exist"),
        ("model.params_b > 3 and says('cdn')", None),
    ],
)
def test_an_unreadable_condition_is_explained(expression: str, fault: str | None) -> None:
    found = faults(expression)
    assert found == [] if fault is None else fault in found[0]


def test_conditions_cannot_reach_out_of_the_sandbox() -> None:
    question = a_question("x", gpus=(A100,))
    rule = RULES.rules[0].model_copy(update={"when": "says.__globals__", "words": (), "intents": ()})
    assert Rules((rule,), RULES.specs).fire(question, an_answer(question)) == ()


def test_what_is_wrong_is_reported_by_file_line_and_field(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    good = "say: x\n    because: [C000-15]\n    weight: 5\n    fires: a\n    not_fires: b\n"
    (tmp_path / "rules" / "own.yaml").write_text(
        f"rules:\n  - id: mine\n    when: gpu.memory > 3\n    {good}  - id: yours\n    when: verdict ==\n    {good}",
        encoding="utf-8",
    )
    (tmp_path / "sources.yaml").write_text("sources: {}\n", encoding="utf-8")
    problems = check_rules(Folder((tmp_path,)))
    name = tmp_path.name
    assert any(p.startswith(f"{name}/rules/own.yaml:2 when: gpu.memory does not exist") for p in problems)
    assert any(p.startswith(f"{name}/rules/own.yaml:9 when: 'verdict ==' is not an expression") for p in problems)
    assert f"{name}/rules/own.yaml:2 because: unknown claim 'C000-15'" in problems


def test_a_record_with_a_field_too_many_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.yaml").write_text("rules:\n  - {id: mine, always: true}\n", encoding="utf-8")
    with pytest.raises(KnowledgeError, match=r"own\.yaml:2 always: Extra inputs are not permitted"):
        load_rules(Folder((tmp_path,)), RULES.specs)


def test_the_vocabulary_is_what_conditions_get() -> None:
    question = a_question("")
    assert set(names_for(question, an_answer(question), RULES.specs, None)) == set(VOCABULARY)


def test_the_readme_lists_the_vocabulary() -> None:
    readme = (data_root() / "knowledge" / "README.md").read_text(encoding="utf-8")
    table = readme.split("<!-- vocabulary")[1].split("<!-- /vocabulary -->")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE)) == dict(VOCABULARY)


ADVISOR, UNDERSTANDING = Advisor(LIBRARY), load_understanding(FOLDER, LIBRARY.specs)


def asked(message: str) -> Answer:
    question = UNDERSTANDING.read(message, None)
    return ADVISOR.advise(question, Thread(), now=NOW, reader=Reader())


@pytest.mark.parametrize("rule", list(RULES), ids=lambda rule: rule.id)
def test_the_rule_speaks_under_its_question(rule: Rule) -> None:
    """Unless the entry shown, or a correction above it, says the same already."""
    answer = asked(rule.fires)
    entry = LIBRARY.faq.entry(answer.faq_id).claims if answer.faq_id else ()
    settled = corrected_claims(answer).union(entry).intersection(rule.because)
    assert settled or rule.id in {caveat.rule for caveat in answer.caveats}


@pytest.mark.parametrize("rule", list(RULES), ids=lambda rule: rule.id)
def test_the_rule_is_silent_under_the_near_miss(rule: Rule) -> None:
    assert rule.id not in {caveat.rule for caveat in asked(rule.not_fires).caveats}


# Caveats that are true and beside the point: (message, rules that must not speak under it)
BESIDE_THE_POINT = [
    ("energy to train 7B on 1B tokens with 8xA100", {"qlora-saves-no-time", "which-a100"}),
    ("训练 7B 用 8 张 H100 跑 1B token 要多久", {"qlora-saves-no-time", "which-h100"}),
    ("how much memory to serve a 7B in fp16?", {"weights-only"}),
    ("how much GPU memory does a 70B need?", {"weights-only"}),
    ("max context for Qwen2.5-7B on a 4090?", {"weights-only", "training-on-24gb", "memory-is-per-card", "usable-memory"}),
    ("compare 8xH100 vs 4xA100 for full fine-tuning llama 3 8b", {"no-size-threshold", "which-h100", "which-a100"}),
    ("85 tok/s for llama-2-70b fp16 on one H100, is that real?", {"which-h100", "output-tokens-counted"}),
    ("how many users can 8xH200 serve DeepSeek-V3 at 4k", {"mla-needs-its-engine", "tight-margin"}),
    ("does the 3090 support fp8", {"no-fp8-here"}),
    ("Can A100 do FP8?", {"which-a100"}),
    ("can a 4090 run a 7B?", {"memory-is-per-card", "weights-only"}),
    ("4 张 A100 80G 部署 Llama-3.1-70B 行吗", {"memory-is-per-card", "bytes-by-framework"}),
    ("how many GPUs do I need for H100 training?", {"which-h100"}),
]


@pytest.mark.parametrize(("message", "silent"), BESIDE_THE_POINT, ids=[row[0] for row in BESIDE_THE_POINT])
def test_what_is_beside_the_point_is_not_said(message: str, silent: set[str]) -> None:
    assert not silent & {caveat.rule for caveat in asked(message).caveats}


@pytest.mark.parametrize("message", ["help", "how many GPUs do I need?", "what's for lunch", "帮助"])
def test_only_answers_carry_caveats(message: str) -> None:
    answer = asked(message)
    assert answer.action == Action.ANSWER or not answer.caveats
