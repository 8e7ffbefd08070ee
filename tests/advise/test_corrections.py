"""Figures of messages: wrong ones are put right with the sum, right ones are left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.advise.context import AdviceContext, Library
from bot.advise.corrections import check_corrections, corrections, find_corrections, sources_of
from bot.catalog.records import GpuSpec
from bot.compose.locale import Locale
from bot.compose.texts import Words, texts_in
from bot.faq.claims import Claim, load_claims
from bot.folder import Folder, data_root
from bot.question import Intent, Language, ModelSlot, Question, Slots

FOLDER = Folder.knowledge()
CONTEXT = AdviceContext(Library(FOLDER), datetime(2026, 11, 30, tzinfo=UTC))
TEXTS = texts_in(data_root() / "templates" / "texts")
CLAIMS = load_claims(FOLDER)


def a_message(text: str, params_b: float | None = None, **slots: object) -> Question:
    models = (ModelSlot(None, params_b),) if params_b else ()
    return Question(text, Intent.FAQ, Slots(models=models, **slots))  # type: ignore[arg-type]


def put_right(question: Question, language: Language = "en") -> list[str]:
    words = Words(TEXTS, Locale(language))
    return [words.say(sentence) for sentence in corrections(question, CONTEXT)]


# (English, Chinese, parameters in 1e9, what both corrections must say)
WRONG = [
    ("H100 FP8 is 3958 TFLOPS", "H100 的 FP8 算力是 3958 TFLOPS", None, ["3,958", "1,979"]),
    ("so H100 should be 12x A100, right?", "所以 H100 应该比 A100 快 12 倍吧", None, ["3.2", "6.3", "2.1–2.5"]),
    ("70B full fine-tune needs 300 GB", "70B 全参微调要300G显存", 70, ["16", "1,120", "560"]),
    ("100B trains on one 8 x A100 box", "单机 8 卡 A100 就能训练千亿模型", 100, ["1.6", "640"]),
    ("H100 costs 7 times A100", "H100 的价格是 A100 的 7 倍", None, ["7"]),
    ("A100 costs only 1/7 of H100", "A100 成本只有 H100 的七分之一，即 1/7", None, ["7"]),
    ("120 GB at 2 Gbps takes 47 minutes", "2Gbps 带宽加载 120GB 权重要 47 分钟", None, ["8", "0.34"]),
    ("A100 delivers 0.83 TFLOPS/W", "A100 能效比 0.83 TFLOPS/W", None, ["312", "400", "0.78"]),
    ("H100 has 3 TB/s of memory bandwidth", "H100 显存带宽 3TB/s", None, ["3,350", "2,000"]),
    ("A100 NVLink gives 900 GB/s", "A100 的 NVLink 是 900GB/s", None, ["600"]),
    ("the A100 does 624 TFLOPS in FP8", "A100 FP8 算力 624 TFLOPS", None, ["FP8", "312"]),
    ("A100 power is 700 W", "A100 功耗 700W", None, ["400"]),
    ("16 x 80 = 1200 GB in total", "16 x 80 = 1200 GB 总显存", None, ["1,280"]),
    ("8 x 24 x 2 = 500 dollars", "8 x 24 x 2 = 500 美元", None, ["384"]),
    ("going from PUE 1.5 to 1.1 saves 40% of power", "PUE 从 1.5 降到 1.1 省电 40%", None, ["27 %"]),
    ("how many TFLOPS do H100 and A100 have, is 3958 TFLOPS in FP8 real?", "H100/A100 算力多少，FP8 3958 TFLOPS 是真的吗",
     None, ["1,979"]),
]  # fmt: skip


@pytest.mark.parametrize(("english", "chinese", "params_b", "says"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_figure_is_put_right(english: str, chinese: str, params_b: float | None, says: list[str]) -> None:
    for text, language in ((english, "en"), (chinese, "zh")):
        said = " ".join(put_right(a_message(text, params_b), language))  # type: ignore[arg-type]
        assert all(figure in said for figure in says), (text, said)


def test_weights_are_parameters_times_bytes() -> None:
    too_large = a_message("70B fp16 weights are 280 GB", 70, precision="fp16")
    too_small = a_message("70B in fp16 needs 80 GB", 70, precision="fp16")
    assert "140 GB" in put_right(too_large)[0]
    assert "140 GB" in put_right(too_small)[0]
    assert put_right(a_message("70B fp16 weights are 140 GB", 70, precision="fp16")) == []


@pytest.mark.parametrize(("stated", "wrong"), [(80, True), (10.7, False), (10, False)])
def test_the_cache_is_counted_by_the_architecture(stated: float, wrong: bool) -> None:
    slots = Slots(models=(ModelSlot("Llama-3-70B", 70),), seq_len=32768)
    message = Question(f"the KV cache of Llama-3-70B at 32k is {stated} GB", Intent.FAQ, slots)
    assert ("10.7" in " ".join(put_right(message)) or "11 GB" in " ".join(put_right(message))) is wrong


RIGHT = [
    ("H100 FP8 is 1979 TFLOPS dense, 3958 sparse", None),
    ("H100 989 TFLOPS in BF16, A100 312 TFLOPS", None),
    ("H100 is about 3x A100 at the peak", None),
    ("H100 costs 2.2 times A100", None),
    ("8 x A100 vs 8 x H100, which is faster?", None),
    ("is 8 x A100 faster than 2 x H100?", None),
    ("120 GB at 2 Gbps takes 8 minutes", None),
    ("120 GB at 2 Gbps takes 10 minutes in practice", None),
    ("A100 bandwidth is 2 TB/s", None),
    ("H100 TDP 700W, A100 400W", None),
    ("A100 能效 0.78 TFLOPS/W，H100 1.41 TFLOPS/W", None),
    ("16 x 80 = 1280", None),
    ("PUE 从 1.5 降到 1.1 省 27% 电", None),
    ("70B 全参要1200g显存", 70),
    ("70B full fine-tuning needs 600 GB in pure bf16", 70),
    ("7B needs at least 14 GB in fp16", 7),
    ("A100 PCIe 功耗 300W", None),
    ("MI300X bandwidth is 5.3 TB/s", None),
    ("train a 7B on 8 A100 80GB for 47 minutes", 7),
    ("loading the weights on an A100 80GB over 2 Gbps takes 30 minutes", None),
    ("RTX 4090 does 82.6 TFLOPS in FP16", None),
    ("H100 NVLink 单向 450 GB/s", None),
]


@pytest.mark.parametrize(("text", "params_b"), RIGHT, ids=[row[0] for row in RIGHT])
def test_what_is_right_is_left_alone(text: str, params_b: float | None) -> None:
    assert put_right(a_message(text, params_b)) == []


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.needs_correction], ids=lambda c: c.id)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_wrong_claim_goes_uncorrected(claim: Claim, language: Language) -> None:
    text = claim.claim.zh if language == "zh" else claim.claim.en
    found = find_corrections(a_message(text), CONTEXT)
    assert found, text
    assert any(
        claim.id in c.claims or c.kind in ("peak", "link", "bandwidth", "transfer", "efficiency", "price_ratio")
        for c in found
    )


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.verdict == "confirmed"], ids=lambda c: c.id)
def test_a_confirmed_claim_is_left_alone(claim: Claim) -> None:
    for text in (claim.claim.en, claim.claim.zh):
        assert find_corrections(a_message(text), CONTEXT) == ()


def test_a_correction_names_its_pages() -> None:
    for english, _, params_b, _ in WRONG:
        for correction in find_corrections(a_message(english, params_b), CONTEXT):
            arithmetic = correction.kind in ("transfer", "product")
            assert arithmetic or sources_of(correction, CONTEXT), english


def test_the_data_is_sound() -> None:
    assert check_corrections(FOLDER) == []


DATACENTER = [g for g in CONTEXT.specs.gpus if g.bf16_tflops and g.tdp_w and g.vendor == "NVIDIA" and g.bandwidth_gbs]


@given(st.sampled_from(DATACENTER))
@settings(derandomize=True, max_examples=40, deadline=None)
def test_the_catalog_s_own_figures_are_never_corrected(gpu: GpuSpec) -> None:
    text = f"{gpu.name}: {gpu.bf16_tflops:.0f} TFLOPS in BF16, bandwidth {gpu.bandwidth_gbs:.0f} GB/s, TDP {gpu.tdp_w:.0f} W"
    assert put_right(a_message(text)) == []


@given(st.floats(1, 5000), st.floats(0.5, 400), st.floats(1.0, 1.5))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_a_transfer_at_the_line_rate_is_never_corrected(gb: float, gbps: float, slower: float) -> None:
    gb, gbps = round(gb, 1), round(gbps, 1)
    seconds = round(gb * 8 / gbps * slower, 2)
    if seconds >= 1:
        assert put_right(a_message(f"loading {gb} GB at {gbps} Gbps takes {seconds} seconds")) == []


@given(st.text(max_size=300))
@settings(derandomize=True, max_examples=100, deadline=None)
def test_no_message_makes_it_raise(text: str) -> None:
    find_corrections(a_message(text, 7), CONTEXT)
