"""Cards and models by any of their names."""

import pytest

from bot.catalog.specs import normal_key
from bot.errors import UnknownName
from tests.catalog.shelf import specs

# What people, logs and price feeds write, and the variant that it means.
SPELLINGS = [
    ("A100", "a100-sxm-80"),
    ("a100 80g", "a100-sxm-80"),
    ("A100-PCIe", "a100-pcie-80"),
    ("A100 40GB", "a100-sxm-40"),
    ("NVIDIA A100-SXM4-40GB", "a100-sxm-40"),
    ("H100_SXM5", "h100-sxm"),
    ("NVIDIA H100 80GB HBM3", "h100-sxm"),
    ("H100-96G", "h100-sxm-96"),
    ("h200", "h200-sxm"),
    ("H20-141G", "h20-141"),
    ("4090", "rtx4090"),
    ("NVIDIA GeForce RTX 4090", "rtx4090"),
    ("rtx-pro-6000-server", "rtx-pro-6000-server"),
    ("昇腾910B", "ascend-910b"),
    ("Mac Studio", "m2-ultra-192"),
    ("DGX Spark", "gb10"),
    ("MI300X", "mi300x"),
]


@pytest.mark.parametrize(("name", "gpu"), SPELLINGS)
def test_a_card_by_any_spelling(name: str, gpu: str) -> None:
    assert specs().gpu(name).id == gpu


def test_every_alias_of_every_card_reads_back_as_itself() -> None:
    for gpu in specs().gpus:
        for name in (gpu.id, gpu.name, gpu.title, *gpu.aliases):
            found = specs().find_gpu(name)
            assert found is not None
            assert found.id == gpu.id, name


def test_every_alias_of_every_model_reads_back_as_itself() -> None:
    for model in specs().models:
        for name in (model.name, *model.aliases):
            assert specs().model(name).name == model.name


def test_one_letter_apart_is_another_card() -> None:
    assert {specs().gpu(name).id for name in ("A10", "A100", "L40", "L40S", "A10G", "A40")} == {
        *("a10", "a100-sxm-80", "l40", "l40s", "a10g", "a40")
    }


def test_a_family_covers_its_variants() -> None:
    assert {gpu.id for gpu in specs().members("A100-80G")} == {"a100-sxm-80", "a100-pcie-80"}
    assert {gpu.id for gpu in specs().members("RTX4090")} == {"rtx4090"}
    assert specs().members("Foo-9000") == []


def test_an_unknown_card_names_what_is_near() -> None:
    with pytest.raises(UnknownName, match="Did you mean"):
        specs().gpu("H100-SXMM")


def test_chat_variants_share_the_shape_of_their_base() -> None:
    assert specs().model("Qwen2.5-7B-Instruct").name == "Qwen2.5-7B"
    assert specs().model("llama-3.3-70b").name == "Llama-3.3-70B-Instruct"


def test_usable_memory_is_a_little_less_than_is_sold() -> None:
    for gpu in specs().gpus:
        if gpu.form not in ("unified", "APU"):
            assert 0.85 * gpu.memory_gb <= gpu.usable_gib <= gpu.memory_gb, gpu.id


def test_dense_peaks_rise_with_fewer_bits() -> None:
    for gpu in specs().gpus:
        rates = [rate for rate in (gpu.bf16_tflops, gpu.fp8_tflops, gpu.fp4_tflops) if rate]
        assert rates == sorted(rates), gpu.id


def test_blackwell_ultra_has_block_scaled_fp8() -> None:
    b300, h100 = specs().gpu("B300"), specs().gpu("H100")
    assert b300.peak_tflops("mxfp8") == b300.fp8_tflops
    assert h100.peak_tflops("mxfp8") is None


@pytest.mark.parametrize(("one", "other"), [("A100 80G-SXM", "a100_80g/sxm"), ("RTX 4090", "rtx-4090")])
def test_spelling_without_separators(one: str, other: str) -> None:
    assert normal_key(one) == normal_key(other)
