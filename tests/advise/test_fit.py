"""Does it fit, and how many cards: the rules that every answer about memory keeps."""

import pytest

from bot.question import Action
from tests.advise.road import ask


@pytest.mark.parametrize("message", ["can A100 80G fine-tune a 70B model?", "A100 80G 能微调 70B 模型吗"], ids=["en", "zh"])
def test_fine_tune_without_a_method_answers_three_in_one_table(message: str) -> None:
    asked = ask(message)
    verdicts = {scenario.task: scenario.verdict for scenario in asked.answer.scenarios}
    assert verdicts == {"qlora": "yes", "lora": "no", "full_finetune": "no"}
    assert asked.answer.verdict == "yes"
    assert "QLoRA" in asked.headline
    assert asked.assumed["gpus[0].count"] == 1
    counts = {scenario.task: scenario.min_gpus for scenario in asked.answer.scenarios}
    assert counts["qlora"] == 1
    assert counts["qlora"] < counts["lora"] < counts["full_finetune"]  # type: ignore[operator]


def test_a_question_without_a_count_is_about_one_card() -> None:
    asked = ask("can an A100 80G do full fine-tuning of a 70B?")
    main = asked.answer.main
    assert main is not None
    assert (main.n_gpus, asked.answer.verdict) == (1, "no")
    assert main.min_gpus is not None
    assert main.min_gpus > 8
    assert str(main.min_gpus) in asked.words


def test_how_many_is_answered_by_the_count_and_no_verdict() -> None:
    asked = ask("how many A100 80G for LoRA on a 70B?")
    main = asked.answer.main
    assert main is not None
    assert asked.answer.verdict is None
    assert main.n_gpus == main.min_gpus
    assert str(main.min_gpus) in asked.headline


def test_without_a_card_the_need_is_of_one_that_holds_it_all() -> None:
    asked = ask("how much GPU memory does LoRA on a 70B need?")
    main = asked.answer.main
    assert main is not None
    assert main.estimate is not None
    assert main.estimate.memory_gib_per_gpu.best > 131  # 70.6e9 weights of 2 bytes alone
    assert asked.assumed["gpus[0].name"] == "A100 80G"
    assert main.min_gpus is not None


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("Llama-3-70B in BF16 on one A100 80GB?", "no"),
        ("can I run Qwen2.5-7B on one RTX 4090 with vLLM?", "yes"),
        ("serve DeepSeek-V3 FP8 on 8x H200, fits?", "yes"),
        ("can 8 A100 80G do LoRA on Llama-3-8B?", "yes"),
    ],
)
def test_verdicts(message: str, verdict: str) -> None:
    asked = ask(message)
    assert asked.answer.verdict == verdict
    assert asked.answer.main is not None
    assert asked.answer.main.verdict == verdict


def test_fp8_on_a_card_without_it_is_refused_and_what_works_is_named() -> None:
    asked = ask("can 8x A100 80G serve Llama-3.1-405B in FP8 with vLLM?")
    assert asked.answer.verdict == "no"
    assert "FP8" in asked.words.upper()
    assert "INT8" in asked.words


def test_four_bit_weights_are_offered_where_sixteen_do_not_fit() -> None:
    assert "AWQ int4" in ask("can 2x A100 80G serve Qwen2-72B for 20 users?").words


def test_a_stated_length_is_used_and_not_assumed() -> None:
    asked = ask("Llama 3 8B LoRA with 8192 tokens on one A100 80GB?")
    assert "seq_len" not in asked.assumed
    assert asked.answer.verdict == "yes"


def test_an_unknown_model_is_estimated_from_its_size_and_said_so() -> None:
    asked = ask("Foo-13B on a 4090?")
    assert asked.answer.main is not None
    assert "13B" in asked.words
    assert any("models[0]" in slot for slot in asked.assumed)


def test_several_cards_get_a_row_each() -> None:
    asked = ask("LoRA on Llama-3-8B: RTX 4090 24G enough, or A100 80G?")
    assert "RTX 4090" in asked.words
    assert "A100 80G" in asked.words


@pytest.mark.parametrize("message", ["how many GPUs do I need?", "我需要几张卡？"], ids=["en", "zh"])
def test_without_a_model_one_question_is_asked_back(message: str) -> None:
    asked = ask(message)
    assert asked.answer.question.action == Action.CLARIFY
    assert len(asked.answer.choices) >= 2
    assert asked.answer.main is None


@pytest.mark.parametrize("message", ["can -3 A100s run a 0B model", "0 张 A100 训 7B 要多久"], ids=["en", "zh"])
def test_impossible_quantities_are_named_and_nothing_is_estimated(message: str) -> None:
    asked = ask(message)
    assert asked.answer.action == Action.REJECT_INVALID
    assert asked.answer.main is None
    assert "0" in asked.headline


def test_offload_that_outgrows_the_host_is_tight() -> None:
    asked = ask("Can 8xA100 80GB do full fine-tuning of a 70B with ZeRO-3 and CPU offload?")
    assert asked.answer.verdict == "tight"
    assert "host memory" in asked.headline


def test_what_is_not_in_the_catalog_is_said_first() -> None:
    assert ask("Foo-13B on a 4090?").headline.startswith("Foo-13B is not in my catalog; taken as a usual 13B: ")


def test_the_step_that_makes_it_fit_is_in_the_headline() -> None:
    assert "Pure bf16" in ask("full fine-tune Llama-3-8B on one A100 80G?").headline


def test_a_length_beyond_the_model_is_refused_with_its_limit() -> None:
    asked = ask("serve Llama-3-8B with 100k context on one A100 80G with vLLM")
    assert asked.answer.verdict == "no"
    assert "8,192" in asked.words


def test_tasks_side_by_side_get_a_verdict_each() -> None:
    asked = ask("4 张 80G A100 推理 LLaMA2-70B、LoRA 微调、全参微调，分别能不能做？")
    verdicts = {scenario.task: scenario.verdict for scenario in asked.answer.scenarios}
    assert verdicts == {"inference": "yes", "lora": "yes", "full_finetune": "no"}


@pytest.mark.parametrize(("message", "language"), [("4bit", "zh"), ("make it 4 bit", "en"), ("两张呢", "zh")])
def test_a_follow_up_is_answered_in_its_language(message: str, language: str) -> None:
    assert ask("3090 能跑 33B 吗").then(message).answer.language == language


@pytest.mark.parametrize(
    "message", ["llama3 8b lora batch 8 seq 4096 显存", "LoRA of Llama-3-8B batch 8 seq 4096, how much memory"]
)
def test_a_need_beyond_the_card_is_not_called_tight_alone(message: str) -> None:
    asked = ask(message)
    main = asked.answer.main
    assert main is not None
    assert main.estimate is not None
    need = main.estimate.memory_gib_per_gpu.best
    assert need < 79 or any(word in asked.headline for word in ("brings it to", "可降到"))


def test_a_tight_case_over_the_card_says_so() -> None:
    asked = ask("LoRA of Llama-3-8B batch 8 seq 4096 on one A100 80G, does it fit?")
    assert asked.answer.verdict == "tight"
    assert asked.headline.startswith("Tight, and likely out of memory")
    assert "over" in asked.words


@pytest.mark.parametrize("message", ["can 16 A10 fine-tune a 70B?", "16 张 A10 能微调 70B 吗"])
def test_length_and_time_say_of_which_method_and_cards(message: str) -> None:
    lines = [line for line in ask(message).unfolded.splitlines() if "10M" in line or "7," in line]
    told = [
        line
        for line in lines
        if "│" not in line and ("takes" in line or "约需" in line or "ongest" in line or "最长" in line)
    ]
    assert told
    assert all("LoRA" in line and "A10" in line for line in told)


@pytest.mark.parametrize(
    "message",
    [
        "能否用 8 张 A100 40G 全参微调 Qwen2.5-32B，8bit Adam",
        "llama.cpp 3x 3090 Llama-3-70B Q5_K_M 8k",
        "5x RTX 4090 for Llama-3-70B in 8bit?",
        "full fine-tuning of Qwen2.5-7B on 3 A100 80G?",
        "can 2 A100 80G serve Llama-3-70B in bf16?",
    ],
)
def test_the_verdict_and_the_counts_agree(message: str) -> None:
    """Cards that do are no fewer than the fewest that do, and cards that don't are not among those that do."""
    answer = ask(message).answer
    assert answer.main is not None
    if answer.verdict in ("yes", "tight"):
        assert (answer.main.min_gpus or 99) <= answer.main.n_gpus
    else:
        assert answer.main.min_gpus != answer.main.n_gpus
