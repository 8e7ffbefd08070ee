"""What a card is: figures with their source, dense, and "no" where the answer is no."""

import pytest

from tests.advise.desk import LIBRARY, card, put


@pytest.mark.parametrize(
    ("text", "name", "metric", "said"),
    [
        ("does L40S have NVLink?", "L40S", "nvlink", "No: L40S has no NVLink"),
        ("L40S 有 NVLink 吗", "L40S", "nvlink", "没有：L40S 不带 NVLink"),
        ("H100 SXM bandwidth", "H100-SXM", "bandwidth", "3,350 GB/s"),
        ("4090 tdp", "RTX4090", "tdp", "450 W"),
        ("H100 SXM tflops", "H100-SXM", "tflops", "989 TFLOPS in dense BF16 and 1,979 in FP8"),
        ("V100 tflops", "V100-32G-SXM", "tflops", "125 TFLOPS in dense FP16 (no BF16)"),
        ("P40 tflops", "P40", "tflops", "no tensor cores"),
        ("does A100 support FP8?", "A100", "fp8_support", "No: A100 (Ampere) has no FP8 arithmetic"),
        ("L20 支持 FP8 吗", "L20", "fp8_support", "支持：L20 有 FP8 计算单元（Ada）"),
    ],
)
def test_one_attribute_of_one_card(text: str, name: str, metric: str, said: str) -> None:
    assert said in put("lookup", text, gpus=[card(name)], metric=metric).words


@pytest.mark.parametrize(
    ("name", "precision", "said"),
    [
        ("V100", "bf16", "No: V100 (Volta) has no BF16 arithmetic"),
        ("A100", "bf16", "Yes: A100 computes in BF16 (Ampere), 312 TFLOPS"),
        ("T4", "int8", "Yes: T4 computes in INT8 (Turing), 130 TOPS"),
        ("H100", "fp4", "No: H100 (Hopper) has no FP4 arithmetic"),
    ],
)
def test_a_precision_is_answered_with_yes_or_no(name: str, precision: str, said: str) -> None:
    assert said in put("lookup", f"does {name} support {precision}?", gpus=[card(name)], precision=precision).words


def test_a_card_without_fp8_can_still_hold_fp8_weights() -> None:
    assert "weight-only" in put("lookup", "fp8 on A100?", gpus=[card("A100")], metric="fp8_support").words


def test_two_cards_are_compared_in_one_sentence() -> None:
    told = put("lookup", "A800的NVLink比A100少多少", gpus=[card("A800"), card("A100")], metric="nvlink")
    assert "A800 每卡互联 400 GB/s，A100 600 GB/s：少 200 GB/s（33 %）" in told.words.replace("600：", "600 GB/s：")


def test_the_precision_named_is_the_one_compared() -> None:
    told = put("lookup", "5090 or 4090 in fp8?", gpus=[card("RTX5090"), card("RTX4090")], metric="tflops")
    assert "419 dense FP8 TFLOPS" in told.words


def test_a_bare_name_says_which_variant_it_usually_means() -> None:
    told = put("lookup", "A100: PCIe or SXM?", gpus=[card("A100")], metric="form")
    assert "usually means A100 SXM4 80GB" in told.words
    assert told.assumed == {"gpus[0].name": "A100 SXM4 80GB"}


def test_variants_that_do_not_differ_share_a_row() -> None:
    told = put("lookup", "fp8 on A100 or 4090", gpus=[card("A100"), card("RTX4090")], metric="fp8_support")
    assert told.answer.table is not None
    assert len(told.answer.table.rows) == 2


def test_cards_that_are_not_on_sale_stay_out() -> None:
    told = put("lookup", "H100 specs", gpus=[card("H100", 80)])
    assert "NVL" in told.words
    assert "HBM2e" not in told.words


def test_a_figure_from_memory_is_said_to_be_so() -> None:
    assert "not re-read" in put("lookup", "4090 bandwidth", gpus=[card("RTX4090")], metric="bandwidth").words
    assert "not re-read" not in put("lookup", "H100 SXM bandwidth", gpus=[card("H100-SXM")], metric="bandwidth").words


def test_an_instance_by_its_family() -> None:
    told = put("lookup", "what gpu is in AWS p5en and how many", provider="aws", instance="p5en", metric="gpu_model")
    assert "p5en.48xlarge has 8 × H200 SXM 141GB" in told.words


def test_an_instance_that_is_not_known_is_not_invented() -> None:
    assert "don't have the instance type" in put("lookup", "what is in aws x99", provider="aws", instance="x99").words


def test_links_against_each_other() -> None:
    told = put("lookup", "NVLink 4.0和PCIe 5.0带宽差多少倍，按双向算", metric="nvlink")
    assert "NVLink 4 双向合计 900 GB/s，PCIe 5.0 x16 128 GB/s：相差 7 倍" in told.words


def test_cards_by_memory_are_a_search() -> None:
    told = put("lookup", "which cards have 48 GB and fp8?", gpus=[card(None, 48)], metric="fp8_support")
    assert "L40S" in told.words
    assert "RTX A6000" not in told.words


def test_every_card_has_a_sheet_in_both_languages() -> None:
    for gpu in LIBRARY.specs.gpus:
        for text in ("specs?", "参数？"):
            told = put("lookup", text, gpus=[card(gpu.name)])
            assert gpu.title in told.words
            assert all(source.url for source in told.answer.sources)


def test_an_instance_said_to_have_another_card_is_put_right() -> None:
    told = put("lookup", "GN7 has the A10?", provider="aliyun", instance="gn7", gpus=[card("A10", 24)])
    assert told.words.startswith("No: Alibaba Cloud ecs.gn7-c13g1.26xlarge has 8 × A100 SXM4 40GB, not A10")
