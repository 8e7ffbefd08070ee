"""Sums that a message states, done again from its own numbers: transfer times, products, PUE savings, memory needs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from bot.advise.correction import Correction
from bot.advise.figures import Figure, Reading
from bot.answer import Source, say
from bot.estimator.kv_cache import cache_layout
from bot.question import Question, Task

_RATES_GBPS = {"gbps": 1.0, "mbps": 0.001, "mb_s": 0.008, "gb_s": 8.0}
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5, "nf4": 0.5, "fp4": 0.5}
_FACTOR = r"(\d{1,6}(?:\.\d{1,4})?)"
_PRODUCT = re.compile(  # 8 x 24 x 2 = 384, 16 x 80 GB = 1280 GB
    rf"(?<![A-Za-z0-9_.]){_FACTOR}\D{{0,8}}?\s?[x×*]\s?\$?{_FACTOR}(?:[^\d=x×*]{{0,8}}[x×*]\s?\$?{_FACTOR})?"
    r"[^\d=]{0,8}=\s?[$¥]?(\d{1,9}(?:\.\d{1,4})?)(?![\d.])"
)
_PLAIN_ATTENTION = frozenset({"MHA", "GQA", "MQA"})
_PUE = re.compile(r"(?<![\d.])([12]\.\d{1,2})(?![\d.])")

MIXED_ADAM_BYTES = 16  # 2 weights, 2 gradients, 12 fp32 master and moments: ZeRO paper, arXiv 1910.02054
LEAST_ADAM_BYTES = 6  # pure BF16 weights and gradients with 8-bit moments


def sum_corrections(reading: Reading, question: Question) -> Iterator[Correction]:
    for check in (_transfer, _product, _pue):
        found = check(reading)
        if found:
            yield found
    needs = _states(reading, question) or _cache(reading, question) or _weights(reading, question)
    if needs:
        yield needs


def _transfer(reading: Reading) -> Correction | None:
    """Time = size x 8 / rate. 120 GB at 2 Gbit/s take 480 s: 47 minutes would be 0.34 Gbit/s."""
    rate = _first(reading.of(*_RATES_GBPS))
    if not reading.sizes_gb or rate is None or not reading.says("transfer"):
        return None
    gb, size = reading.sizes_gb[0]
    near = [f for f in reading.of(*_SECONDS) if min(abs(f.start - size.end), abs(f.start - rate.end)) < 60]
    if not near or not gb or not rate.value:
        return None
    gbps, stated_s = rate.value * _RATES_GBPS[rate.unit], near[0].value * _SECONDS[near[0].unit]
    true_s = gb * 8 / gbps
    # Slower than the line rate is life; faster cannot be, and 1.6 times slower means another rate than the one named.
    if 0.95 * true_s <= stated_s <= 1.6 * true_s or not stated_s:
        return None
    values = {"gb": gb, "gbps": gbps, "hours": true_s / 3600, "stated": stated_s / 3600, "implied_gbps": gb * 8 / stated_s}
    return Correction("transfer", say("corrections.transfer", **values))


def _product(reading: Reading) -> Correction | None:
    """16 x 80 = 1,280; 8 x 24 x 2 = 384."""
    found = _PRODUCT.search(reading.text[:2000].replace(",", ""))
    if not found:
        return None
    *factors, stated = (float(part) for part in found.groups() if part)
    product = math.prod(factors)
    if not product or abs(product - stated) <= 0.01 * product:
        return None
    return Correction("product", say("corrections.product", factors=tuple(factors), product=product, stated=stated))


def _pue(reading: Reading) -> Correction | None:
    """Saving = 1 - new/old: from 1.5 to 1.1 saves 27 % of the site's energy."""
    share = _first(reading.of("percent"))
    if share is None or not reading.says("pue") or not reading.says("save"):
        return None
    values = [float(number) for number in _PUE.findall(reading.text[:2000])]
    if len(values) != 2 or values[0] == values[1]:
        return None
    old, new = max(values), min(values)
    saved = 1 - new / old
    if abs(saved - share.value / 100) <= 0.03:
        return None
    return Correction(
        "pue",
        say("corrections.pue", old=old, new=new, saved=saved, stated=share.value / 100),
        claims=("C003-28",),
        sources=("uptime_2025",),
    )


def _states(reading: Reading, question: Question) -> Correction | None:
    """Full fine-tuning keeps 16 bytes a parameter (6 at the very least): 70B is 1,120 GB, not 300."""
    params_b = _params_b(question)
    full = question.slots.task in (Task.FULL_FINETUNE, Task.PRETRAIN) or reading.says("full")
    stated = _needed_gb(reading)
    if not (params_b and full and stated) or stated >= LEAST_ADAM_BYTES * params_b:
        return None
    values = {"params_b": params_b, "mixed_gb": params_b * MIXED_ADAM_BYTES, "pure_gb": params_b * 8, "stated_gb": stated}
    return Correction("states", say("corrections.states", **values), sources=("zero", "hf_2245"))


def _weights(reading: Reading, question: Question) -> Correction | None:
    """Weights are parameters x bytes: 70B in FP16 is 140 GB. Less cannot hold them, and 280 GB is another precision."""
    params_b, precision = _params_b(question), question.slots.precision
    if not params_b or precision not in _BYTES or question.slots.offload:
        return None
    weights_gb = params_b * _BYTES[precision]
    if reading.says("weights") and len(reading.sizes_gb) == 1 and not reading.says("transfer"):
        stated: float | None = reading.sizes_gb[0][0]
        wrong = 0.2 * weights_gb < abs(reading.sizes_gb[0][0] - weights_gb) < 3 * weights_gb
    else:
        stated = _needed_gb(reading)
        wrong = stated is not None and stated < 0.9 * weights_gb
    if not wrong:
        return None
    values = {"params_b": params_b, "precision": precision.upper(), "weights_gb": weights_gb, "stated_gb": stated}
    return Correction("weights", say("corrections.weights", **values), claims=("C000-29",))


def _cache(reading: Reading, question: Question) -> Correction | None:
    """KV cache = bytes a token x tokens x requests. Llama-3-70B at 32,768 tokens: 327,680 x 32,768 = 10.7 GB.

    Only for models whose cache every engine keeps alike; compressed and windowed caches depend on the engine.
    """
    slots = question.slots
    name = next((model.name for model in slots.models if model.name), None)
    model = reading.specs.find_model(name) if name else None
    if model is None or model.attention not in _PLAIN_ATTENTION or not reading.says("cache"):
        return None
    if not slots.seq_len or len(reading.sizes_gb) != 1:
        return None
    per_token = cache_layout(model).sequence_bytes(1, 2.0)
    tokens = slots.seq_len * (slots.concurrency or slots.batch or 1)
    cache_gb, stated = per_token * tokens / 1e9, reading.sizes_gb[0][0]
    if abs(stated - cache_gb) <= 0.3 * cache_gb:
        return None
    values = {"model": model.name, "tokens": tokens, "per_token": per_token, "cache_gb": cache_gb, "stated_gb": stated}
    row = Source(model.name, model.source, model.read_on, model.standing)
    return Correction("cache", say("corrections.cache", **values), records=(row,))


def _needed_gb(reading: Reading) -> float | None:
    """A size in GB that the message says is needed: "needs 300 GB", 要300G; not the size of a card or a link."""
    for gb, figure in reading.sizes_gb:
        if _ends_with_need(reading.before(figure), reading.words["need"]):
            return gb
    return None


def _ends_with_need(lead: str, needs: list[str]) -> bool:
    return any(
        re.search(
            rf"{re.escape(word)}(?: (?:only|just|about|around|at least)|[只仅约大至少概多]{{0,3}})? ?$", lead, re.IGNORECASE
        )
        for word in needs
    )


def _params_b(question: Question) -> float | None:
    return next((model.params_b for model in question.slots.models if model.params_b), None)


def _first(figures: tuple[Figure, ...]) -> Figure | None:
    return figures[0] if figures else None
