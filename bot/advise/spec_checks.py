"""Specifications and ratios that a message states, compared with the catalog: peaks, bandwidth, links, power, watts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bot.advise.correction import Correction
from bot.advise.figures import Figure, Mention, Reading
from bot.answer import Source, Text, say
from bot.catalog.records import GpuSpec

_NEAR_SPARSE = 0.12  # announcements round sparse peaks up: 20 PFLOPS of FP4 for 18
_CLOSE = 0.035  # figures are quoted rounded: 2 TB/s for 2,039 GB/s, 990 for 989.4
_PRECISION_NAMES = {"fp8": "FP8", "fp4": "FP4", "bf16": "BF16", "tf32": "TF32", "int8": "INT8"}


def spec_corrections(reading: Reading, precisions: Mapping[str, list[str]]) -> Iterator[Correction]:
    for figure in reading.figures:
        # A figure that is right for one of the cards it may be about is right.
        cards = [card for card in reading.cards_of(figure) if all(_settled(gpu) for gpu in card.variants)]
        found = [_check(reading, figure, card, precisions) for card in cards]
        wrong = [correction for correction in found if correction]
        if wrong and len(wrong) == len(found):
            yield min(wrong, key=lambda correction: correction.text.key != "corrections.sparse")


def _settled(gpu: GpuSpec) -> bool:
    """Cards with one set of published figures: GeForce and laptop cards have several (two accumulators, power limits)."""
    return gpu.datacenter and gpu.vendor in ("NVIDIA", "AMD")


def _check(reading: Reading, figure: Figure, card: Mention, precisions: Mapping[str, list[str]]) -> Correction | None:
    if figure.unit in ("tflops", "pflops"):
        return _peak(reading, figure, card, precisions)
    if figure.unit in ("tb_s", "gb_s"):
        return _rate(reading, figure, card)
    if figure.unit == "tflops_per_w":
        return _efficiency(figure, card)
    if figure.unit == "watt" and reading.clause_says(figure, "power"):
        return _differs("power", figure.value, card, lambda gpu: gpu.tdp_w)
    return None


def _peak(reading: Reading, figure: Figure, card: Mention, precisions: Mapping[str, list[str]]) -> Correction | None:
    """Dense peaks count. 3,958 is the sparse FP8 figure of the H100 SXM; dense it is 1,979."""
    stated = figure.value * (1000 if figure.unit == "pflops" else 1)
    named = reading.precision_of(figure, precisions)
    tried = [named] if named else list(_PRECISION_NAMES)
    dense = {p: [(gpu, peak) for gpu in card.variants if (peak := gpu.peak_tflops(p))] for p in tried}
    if named and not dense[named]:
        return _no_such_precision(card, named)
    if any(_close(stated, peak) for peaks in dense.values() for _, peak in peaks):
        return None
    for precision, peaks in dense.items():
        for gpu, peak in peaks:
            if abs(stated - 2 * peak) <= _NEAR_SPARSE * 2 * peak:
                return None if reading.says("sparse") else _sparse(gpu, precision, stated, peak)
    if not named:
        return None
    return _found("peak", "corrections.peak", card, dense[named], stated=stated, precision=_PRECISION_NAMES[named])


def _sparse(gpu: GpuSpec, precision: str, stated: float, dense: float) -> Correction:
    values = {"gpu": gpu.title, "precision": _PRECISION_NAMES[precision], "stated": stated, "dense": dense}
    return Correction("peak", say("corrections.sparse", **values), records=(gpu.as_source(),))


def _no_such_precision(card: Mention, precision: str) -> Correction | None:
    gpu = card.variants[0]
    bf16 = gpu.peak_tflops("bf16")
    if bf16 is None or gpu.vendor != "NVIDIA":
        return None  # an empty cell of another vendor's row is a gap of the catalog, not a fact
    values = {"gpu": card.name, "precision": _PRECISION_NAMES[precision], "bf16": bf16}
    return Correction("peak", say("corrections.no_precision", **values), records=(gpu.as_source(),))


def _rate(reading: Reading, figure: Figure, card: Mention) -> Correction | None:
    stated = figure.value * (1000 if figure.unit == "tb_s" else 1)
    if reading.clause_says(figure, "nvlink"):
        one_way = any(gpu.link_gbs and _close(stated, gpu.link_gbs / 2) for gpu in card.variants)
        return None if one_way else _differs("link", stated, card, lambda gpu: gpu.link_gbs)
    if reading.clause_says(figure, "pcie_bus") or not (reading.clause_says(figure, "bandwidth") or figure.unit == "tb_s"):
        return None
    return _differs("bandwidth", stated, card, lambda gpu: gpu.bandwidth_gbs)


def _efficiency(figure: Figure, card: Mention) -> Correction | None:
    """Peak over board power. A100 SXM: 312 / 400 W = 0.78 TFLOPS/W."""
    known = [(gpu, gpu.bf16_tflops / gpu.tdp_w) for gpu in card.variants if gpu.bf16_tflops and gpu.tdp_w]
    if not known or any(_close(figure.value, ratio) for _, ratio in known):
        return None
    gpu, ratio = next((pair for pair in known if pair[0].form == "SXM"), known[0])
    values = {"gpu": gpu.title, "stated": figure.value, "peak": gpu.bf16_tflops, "watts": gpu.tdp_w, "ratio": ratio}
    return Correction("efficiency", say("corrections.efficiency", **values), records=(gpu.as_source(),))


def _differs(kind: str, stated: float, card: Mention, figure: Callable[[GpuSpec], float | None]) -> Correction | None:
    known = [(gpu, value) for gpu in card.variants if (value := figure(gpu))]
    if not known or any(_close(stated, value) for _, value in known):
        return None
    return _found(kind, f"corrections.{kind}", card, known, stated=stated)


def _found(kind: str, key: str, card: Mention, known: list[tuple[GpuSpec, float]], **values: object) -> Correction:
    """The right figure of each variant, each value once."""
    distinct: dict[float, GpuSpec] = {}
    for gpu, value in known:
        distinct.setdefault(value, gpu)
    shown = sorted(distinct.items(), reverse=True)[:4]
    items: tuple[Text, ...] = tuple(
        say("corrections.variant", gpu=gpu.name if len(shown) > 1 else card.name, value=value) for value, gpu in shown
    )
    sources: tuple[Source, ...] = tuple(gpu.as_source() for _, gpu in shown)
    return Correction(kind, say(key, gpu=card.name, right=items, **values), records=sources)


def _close(stated: float, known: float) -> bool:
    return abs(stated - known) <= _CLOSE * known
