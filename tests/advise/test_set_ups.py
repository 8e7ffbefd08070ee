"""Settings that only words tell: optimizer, cache type, sharding, host memory; and what they do to the estimate."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.advise.context import AdviceContext
from bot.advise.set_ups import with_set_up
from bot.advise.workloads import serving_workload, training_workload
from bot.question import Intent, Question, SetUp, Slots
from tests.advise.road import NOW, ask, assistant


def read(text: str, **slots: object) -> Question:
    return with_set_up(Question(text, Intent.FEASIBILITY, Slots(**slots)), AdviceContext(assistant().advisor.library, NOW))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("full finetune with 8-bit adam", {"optimizer": "adamw_8bit"}),
        ("optim: adamw_bnb_8bit", {"optimizer": "adamw_8bit"}),
        ("用 8bit 优化器全参微调", {"optimizer": "adamw_8bit"}),
        ("--optim paged_adamw_8bit", {"optimizer": "paged_adamw_8bit"}),
        ("PagedAdamW8bit with optimizer in backward", {"optimizer": "paged_adamw_8bit", "optimizer_in_backward": True}),
        ("with adafactor", {"optimizer": "adafactor"}),
        ("用 SGD 训", {"optimizer": "sgd"}),
        ("using the Lion optimizer", {"optimizer": "lion"}),
        ("pure bf16 training", {"master_weights": "none"}),
        ("纯 bf16，不保留主权重", {"master_weights": "none"}),
        ("bf16 without fp32 master weights", {"master_weights": "none"}),
        ("without gradient checkpointing", {"checkpointing": "none"}),
        ("不开梯度检查点", {"checkpointing": "none"}),
        ("plain DDP", {"sharding": "ddp"}),
        ("普通数据并行", {"sharding": "ddp"}),
        ("fully sharded data parallel", {"sharding": "fsdp"}),
        ("全分片数据并行（FSDP）", {"sharding": "fsdp"}),
        ("rank 64", {"lora_rank": 64}),
        ("lora r=8", {"method": "lora", "lora_rank": 8}),
        ("lora_rank: 128", {"method": "lora", "lora_rank": 128}),
        ("LoRA 秩为 32", {"method": "lora", "lora_rank": 32}),
        ("BAdam on a 3090", {"method": "badam"}),
        ("galore_adamw_8bit", {"method": "galore", "optimizer": "adamw_8bit"}),
        ("Q-GaLore 7B", {"method": "q_galore"}),
        ("QDoRA", {"method": "dora"}),
        ("P-tuning v2", {"method": "prompt_tuning"}),
        ("prefix tuning", {"method": "prompt_tuning"}),
        ("GRPO with LoRA", {"method": "lora"}),
        ("DPO QLoRA", {"method": "qlora"}),
        ("with the Liger kernel", {"fused_loss": True}),
        ("融合交叉熵", {"fused_loss": True}),
        ("megatron tp8 pp4", {"pp": 4}),
        ("pipeline parallel size 2", {"pp": 2}),
        ("流水线并行 4", {"pp": 4}),
        ("ulysses sequence parallel size 8", {"cp": 8}),
        ("序列并行 4", {"cp": 4}),
        ("A100 MIG 3g.40gb", {"mig_gb": 40}),
        ("FP8 KV cache", {"kv_dtype": "fp8"}),
        ("--kv-cache-dtype fp8_e5m2", {"kv_dtype": "fp8"}),
        ("KV cache 量化到 int8", {"kv_dtype": "int8"}),
        ("-ctk q8_0 -ctv q8_0", {"kv_dtype": "q8_0"}),
        ("--gpu-memory-utilization 0.95 --enforce-eager", {"gpu_memory_utilization": 0.95, "enforce_eager": True}),
        ("mem-fraction-static 0.85", {"gpu_memory_utilization": 0.85}),
        ("显存利用率 0.8", {"gpu_memory_utilization": 0.8}),
        ("offload to 512GB host RAM", {"host_ram_gib": 512}),
        ("内存 1T，offload", {"host_ram_gib": 1024}),
        ("offload with 2TB ram", {"host_ram_gib": 2048}),
    ],
)
def test_words_become_settings(text: str, expected: dict[str, object]) -> None:
    assert read(text).setup == SetUp(**expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Qwen2.5-7B int8 推理",
        "80GB of VRAM",
        "显存 80G 的卡",
        "GPU RAM 24GB",
        "how large is the KV cache of Llama-3.1-8B in bf16",
        "which rank am I in the queue",
        "gradient checkpointing on",
        "data parallelism and tensor parallelism",
        "bf16 full fine-tuning",
        "an app for 2 users",
        "two RTX 3090 w/o FSDP",
        "without --enforce-eager",
        "不用 FSDP，也不开 DDP",
        "sequence length 4096",
    ],
)
def test_other_words_are_no_settings(text: str) -> None:
    assert read(text).setup == SetUp()


@pytest.mark.parametrize(
    ("text", "quant", "said", "weights"),
    [
        ("AWQ with kv cache fp8", "awq", "fp8", "int4"),
        ("paged_adamw_8bit", None, "int8", None),
        ("FP8 weights and FP8 KV cache", None, "fp8", "fp8"),
        ("int8 weights, 8-bit Adam", None, "int8", "int8"),
        ("serve it in fp8", None, "fp8", "fp8"),
    ],
)
def test_a_setting_s_type_is_not_the_weights_type(text: str, quant: str | None, said: str, weights: str | None) -> None:
    assert read(text, quant=quant, precision=said).slots.precision == weights


def test_a_follow_up_keeps_the_settings() -> None:
    first = ask("Llama-3.1-8B with fp8 weights and an fp8 KV cache, 128k context, one RTX 4090?")
    assert first.then("and on an L40S?").answer.question.setup.kv_dtype == "fp8"
    assert ask("Llama-3.1-8B on an L40S?", first.thread).answer.question.setup.kv_dtype in (None, "fp8")


def test_a_follow_up_keeps_the_type_of_weights_until_another_is_named() -> None:
    first = ask("Qwen2.5-32B Q5_K_M on one RTX 3090?")
    assert first.answer.main is not None
    moved = first.then("and on a 4090?").answer.main
    assert moved is not None
    assert moved.estimate.weights_gib == first.answer.main.estimate.weights_gib  # type: ignore[union-attr]
    wider = first.then("and in bf16?").answer.main
    assert wider is not None
    assert wider.estimate.weights_gib > 55  # type: ignore[union-attr]


def test_the_type_of_the_cache_is_not_that_of_the_weights() -> None:
    main = ask("llama.cpp -ctk q8_0 -ctv q8_0, Llama-3-70B Q4_K_M at 8k on 2x 3090").answer.main
    assert main is not None
    assert 36 <= main.estimate.weights_gib <= 43  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("pure bf16 全参微调 Llama-3-8B，单卡 A100 80G 可以吗", "yes"),
        ("全参微调 Llama-3-8B，单卡 A100 80G 可以吗", "no"),
        ("llama-2-70b LoRA on 8 A100 80G with plain DDP?", "no"),
        ("llama-2-70b LoRA on 8 A100 80G with FSDP?", "yes"),
        ("双卡4090 lora微调 Baichuan-13B，bf16，数据并行", "no"),
        ("BAdam full-parameter fine-tuning of Llama-3-8B on one RTX 3090?", "tight"),
        ("Qwen2.5-7B LoRA on one 4090, seq 8192, batch 1", "no"),
        ("Qwen2.5-7B LoRA with Liger on one 4090, seq 8192, batch 1", "tight"),
        ("LoRA of Llama-3.1-8B at 128k context on 8 H100 with ulysses sequence parallel size 8?", "yes"),
        ("DPO with LoRA of a 7B on one RTX 4090?", "tight"),
        ("DPO 全参微调 7B，一张 RTX 4090 行吗", "no"),
        ("LoRA of a 13B on an int8 base with one 24GB card?", "yes"),
        ("LoRA of a 13B on one 24GB card?", "no"),
        ("can a MIG 3g.40gb of an A100 run a 34B in fp16?", "no"),
    ],
)
def test_settings_decide(text: str, verdict: str) -> None:
    assert ask(text).answer.verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("full fine-tuning of a 70B on 8 A100 80G, zero3 with cpu offload", "tight"),  # 1.2 TB of hosts with 1 TB
        ("full fine-tuning of a 70B on 8 A100 80G, zero3 with cpu offload, 512GB RAM", "no"),
        ("full fine-tuning of a 70B on 8 A100 80G, zero3 with cpu offload, 2TB RAM", "yes"),
        ("full finetune deepseek-v3 on 8 H100, zero3 with cpu offload", "no"),  # 11 TB
        ("全参微调 7B，一张 4090，zero3 offload 到内存，内存 256G", "yes"),
    ],
)
def test_host_memory_counts(text: str, verdict: str) -> None:
    assert ask(text).answer.verdict == verdict


def test_offload_shards() -> None:
    """Without a layout said, four ranks do not keep four copies in host memory."""
    answer = ask("full fine-tuning of Llama-2-13B on 4 A100 40G with cpu offload, 256 GB of RAM").answer
    assert answer.verdict == "yes"


def test_a_host_too_small_is_said() -> None:
    asked = ask("full finetune deepseek-v3 on 8 H100, zero3 with cpu offload, 2TB RAM")
    assert "host memory; there are 2,048" in asked.headline
    assert "最多约" in ask("单机 8 卡 H100 全参微调 DeepSeek-V3，zero3 offload").headline


@settings(max_examples=60, derandomize=True)
@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    question = read(text)
    assert question.text == text


def test_settings_reach_the_workloads() -> None:
    from bot.advise.setup import cards_in, subjects_in

    answer = ask("LoRA rank 8 of Llama-3.1-8B on 4 A100 80G, FSDP, 8-bit Adam, no gradient checkpointing").answer
    context = AdviceContext(assistant().advisor.library, NOW)
    question = answer.question
    subject, cards = subjects_in(question, context)[0], cards_in(question, context)[0]
    workload = training_workload("lora", question, subject, cards, 4)
    assert (workload.lora_rank, workload.optimizer, workload.checkpointing) == (8, "adamw_8bit", "none")
    assert workload.parallelism.fsdp == "full_shard"
    assert serving_workload(read("kv cache fp8, gpu-memory-utilization 0.8"), subject, cards, 1).kv_dtype == "fp8"


def test_galore_keeps_no_master_copy() -> None:
    """Llama-7B with layer-wise 8-bit GaLore fits 24 GB, as its paper shows."""
    assert ask("galore_adamw_8bit layerwise full fine-tuning of Llama-2-7B on one RTX 4090, seq 512").answer.verdict != "no"


def test_a_group_size_that_cannot_be_laid_out_is_left_out() -> None:
    """pp 3 on 8 cards: the layout is the planner's."""
    assert ask("Llama-3-8B full fine-tuning on 8 A100 80G with pp 3").answer.verdict == "yes"


@pytest.mark.parametrize("text", ["Stable Diffusion XL on 8GB?", "FLUX.1-dev 24G 显存够吗"])
def test_a_name_that_is_no_language_model(text: str) -> None:
    answer = ask(text).answer
    assert answer.verdict is None
    assert answer.main is None
