"""Flags of a message: what it names and what it asks, as the rules of intents see it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from bot.question import Slots, Task
from bot.understand.asked import ASKED, asked_heads
from bot.understand.lexicon import Mention
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns
from bot.understand.reading import Reading
from bot.understand.settings import SPEC_METRICS

# Flags beside the cues of the lexicon, for the check of the rules.
FLAGS = frozenset({
    "gpu", "listing", "gpus2", "count", "memory", "only_gpu", "model", "models2",
    "task", "training", "serving", "money", "price_given", "engine", "framework",
    "instance", "provider", "tokens", "duration", "qps", "users", "dataset",
    "question", "enough", "elliptical", "long_period", "number", "memory_used", "metric_spec",
    "metric_net", "asks_precision", "asks_count", "engines2", "unknown_gpu", "bare_word", "bare_name",
    "feasible_first", "sizing_first", "zero", "providers2", "rate_stated", "names_rate", "precisions2", "side_by_side",
    "several", "fragment", "latency_stated", "least_thing", "many_enough", *ASKED,
})  # fmt: skip
_WORDINGS = ("rent_or_buy", "latency_stated", "least_thing", "many_enough")  # patterns of these names are flags
_VAGUE_TASKS = (None, Task.TRAIN, Task.INFERENCE)


def flags_of(
    reading: Reading, by_kind: Mapping[str, Sequence[Mention]], numbers: Sequence[Number], patterns: Patterns
) -> frozenset[str]:
    """Cues of the lexicon, slots that are filled, and what the words ask for."""
    flags = {m.value for m in by_kind["cue"]}
    flags |= {name for name, present in _stated(reading.slots).items() if present}
    cards = [(g.name_start or g.start, g.end) for g in reading.binding.gpus if g.base]
    flags |= asked_heads(reading.low, by_kind["question_words"], by_kind["heads"], cards)
    flags |= {name for name, present in _asked(reading, by_kind, numbers, patterns).items() if present}
    flags |= {name for name in _WORDINGS if patterns[name].search(reading.low)}
    return frozenset(flags)


def _stated(slots: Slots) -> dict[str, bool]:
    task = slots.task
    return {
        "gpu": any(g.name for g in slots.gpus),
        "gpus2": len({(g.name, g.memory_gb) for g in slots.gpus}) > 1,
        "count": any(g.count for g in slots.gpus),
        "several": any((g.count or 0) > 1 for g in slots.gpus),
        "memory": any(g.memory_gb for g in slots.gpus),
        "only_gpu": bool(slots.gpus) and not slots.models and task is None,
        "model": bool(slots.models),
        "models2": len(slots.models) > 1,
        "task": task is not None,
        "training": task is not None and task != Task.INFERENCE,
        "serving": task == Task.INFERENCE,
        "money": slots.budget is not None,
        "price_given": slots.unit_price is not None,
        "zero": slots.zero_stage is not None,
        "engine": slots.engine is not None,
        "framework": slots.framework is not None,
        "instance": slots.instance is not None,
        "provider": slots.provider is not None,
        "tokens": slots.tokens is not None,
        "duration": slots.duration_h is not None,
        "qps": slots.qps is not None,
        "users": slots.concurrency is not None,
        "dataset": slots.dataset_samples is not None or slots.dataset_gb is not None,
    }


def _asked(
    reading: Reading, by_kind: Mapping[str, Sequence[Mention]], numbers: Sequence[Number], patterns: Patterns
) -> dict[str, bool]:
    low, attributes = reading.low, set(reading.metrics)
    sizes = [n for n in numbers if n.unit == "memory"]
    needs = (
        patterns["need_left"].search(low[max(0, n.start - 24) : n.start]) or patterns["need_after"].match(low, n.end)
        for n in sizes
    )
    return {
        "question": "?" in low or "吗" in low,
        "enough": bool(patterns["enough"].search(low)),
        "elliptical": bool(patterns["elliptical"].match(low)),
        "long_period": bool(patterns["long_period"].search(low)),
        "number": bool(numbers) and not reading.slots.stated(),
        "memory_used": any(needs),
        "metric_spec": bool(SPEC_METRICS & attributes),
        "metric_net": bool({"nvlink", "interconnect"} & attributes),
        "asks_precision": bool(by_kind["precision"]) and bool(patterns["asks_support"].search(low)),
        "asks_count": _asks_count(low, by_kind["cue"], reading, patterns),
        "precisions2": len({m.value for m in by_kind["precision"]}) > 1,
        "providers2": len({m.value for m in by_kind["provider"]}) > 1,
        "rate_stated": any(n.unit in ("rate", "flops") for n in numbers)
        or ("mfu" in attributes and any(n.unit == "percent" for n in numbers)),
        "names_rate": any(h.value == "rate" and not low[: h.start].rstrip()[-1:].isdigit() for h in by_kind["heads"]),
        "side_by_side": any(
            patterns["joint_of_two"].fullmatch(low[one.end : two.start])
            for one, two in pairwise(reading.binding.gpus)
            if one.end <= two.start
        ),
        "fragment": _is_fragment(low, reading, patterns),
        "engines2": len({m.value for m in by_kind["engine"]}) > 1,
        "listing": bool(patterns["listing"].search(low)),
        "unknown_gpu": bool(reading.unknown_gpus),
        "bare_word": _only_one_word(reading, by_kind["cue"]),
        "bare_name": _only_names(low, reading),
        **_first_asked(by_kind["cue"]),
    }


def _is_fragment(low: str, reading: Reading, patterns: Patterns) -> bool:
    """`same but with lora?`, `全参呢`: half a question, the other half of which is in the turn before."""
    slots = reading.slots
    whole = slots.models and (slots.gpus or slots.task)
    return len(low) < 48 and not whole and patterns["fragment"].search(low) is not None


def _first_asked(cues: Iterable[Mention]) -> dict[str, bool]:
    """Which question comes first where a message asks both whether and how many."""
    whether = min((m.start for m in cues if m.value in ("feasible_strong",)), default=None)
    how_many = min((m.start for m in cues if m.value in ("sizing_cue", "how_many")), default=None)
    if whether is None or how_many is None:
        return {}
    return {"feasible_first": whether < how_many, "sizing_first": how_many < whether}


def _only_names(low: str, reading: Reading) -> bool:
    """Nothing but names of cards or models: `A100`, `70B?`."""
    spans = [(g.start, g.end) for g in reading.binding.gpus] + [(m.start, m.end) for m in reading.models]
    if len(spans) != 1:
        return False
    start, end = spans[0]
    return not re.search(r"[^\W_]", low[:start] + low[end:])


def _only_one_word(reading: Reading, cues: Sequence[Mention]) -> bool:
    """One word of the lexicon and nothing else (`vs`, `多少`), or a count of cards without more (`8卡`)."""
    start, end = len(reading.low) - len(reading.low.lstrip(" ?!.。")), len(reading.low.rstrip(" ?!.。"))
    words = [c for c in cues if c.start == start and c.end == end]
    count_only = reading.slots.stated() == ("gpus",) and all(g.name is None for g in reading.slots.gpus) and end <= 4
    return count_only or (
        bool(words) and not any(c.value in ("technique", "oom") for c in words) and reading.slots.task in _VAGUE_TASKS
    )


def _asks_count(low: str, cues: Iterable[Mention], reading: Reading, patterns: Patterns) -> bool:
    """`how many A100`, `几张 4090`: the count of a card is asked for."""
    ends = [m.end for m in cues if m.value == "how_many" and not low[m.start : m.end].startswith("how much")]
    return any(
        0 <= g.start - end <= 14
        and not patterns["gpu_hours"].match(low, g.end)
        and patterns["counted"].fullmatch(low[end : g.start])
        for end in ends
        for g in reading.binding.gpus
    )
