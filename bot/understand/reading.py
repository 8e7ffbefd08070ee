"""One message read by itself: every slot that it states, the flags that decide its intent, and what each was read from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bot.question import Intent, ModelSlot, Slots, Task, Trace
from bot.understand.binding import Binding
from bot.understand.gpus import find_gpus, unknown_gpus
from bot.understand.lexicon import Mention, longest
from bot.understand.models import ModelSpan
from bot.understand.noise import without_log_numbers
from bot.understand.numbers import Number
from bot.understand.quantities import Quantities, QuantityReader
from bot.understand.vocabulary import NamedPattern, Vocabulary

_TASK_ORDER = ("rlhf", "qlora", "lora", "full_finetune", "pretrain", "finetune", "train", "inference")
_FOUR_BIT = frozenset({"int4", "nf4"})
_MOST_MENTIONS, _MOST_NUMBERS = 800, 100  # of a long paste: the first three quarters and the last quarter of these

T = TypeVar("T")
SPEC_METRICS = frozenset({"bandwidth", "nvlink", "interconnect", "tflops", "tdp", "form", "fp8_support", "gpu_model"})


@dataclass
class Reading:
    """A message read without its thread."""

    low: str
    slots: Slots = field(default_factory=Slots)
    flags: frozenset[str] = frozenset()
    turn: frozenset[str] = frozenset()  # cues about the conversation
    metrics: tuple[str, ...] = ()  # attributes named, in order of weight
    binding: Binding = field(default_factory=Binding)
    models: tuple[ModelSpan, ...] = ()
    unknown_gpus: tuple[str, ...] = ()
    closed_models: tuple[str, ...] = ()
    impossible: tuple[tuple[str, str], ...] = ()
    mentions: tuple[Mention, ...] = ()
    covered: float = 0.0  # share of the characters that the lexicon knows
    soft_task: bool = False  # the task follows from tokens/s and the like, not from a word for it
    lone_number: int | None = None  # the only number of a short message, without a unit
    lone_memory_gb: float | None = None
    trace: tuple[Trace, ...] = ()
    vocabulary_mentions: Callable[[str], list[Mention]] = lambda _: []


class Reader:
    """Reads with one vocabulary; holds no state of any message."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.quantities = QuantityReader()

    def read(self, text: str) -> Reading:
        low = (
            text.lower()
            if len(text.lower()) == len(text)
            else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        )
        vocabulary = self.vocabulary
        low = _LETTER_O.sub(lambda m: m.group(1) + "0" * len(m.group(2)), without_log_numbers(low))
        mentions = _few(vocabulary.lexicon.scan(low), _MOST_MENTIONS)
        by_kind: dict[str, list[Mention]] = defaultdict(list)
        mentions = _unmasked(low, mentions)
        low = _without_injection(low, mentions)
        for mention in mentions:
            by_kind[mention.kind].append(mention)
        instances = _named(low, vocabulary.instances)
        gpus = find_gpus(low, [m for m in by_kind["gpu"] if not _inside(m, instances)], vocabulary.gpu_spellings)
        taken = [(g.start, g.end) for g in gpus]
        models = vocabulary.models.find(low, [m for m in mentions if m.kind in ("family", "model")], taken)
        regions = _named(low, vocabulary.regions)
        blocked = [(m.start, m.end) for m in models] + [(a, b) for a, b, *_ in instances] + [(a, b) for a, b, *_ in regions]
        numbers = [
            n
            for n in _few(vocabulary.tagger.find(low), _MOST_NUMBERS)
            if not any(a < n.body and n.start < b for a, b in blocked)
        ]
        models = [m if m.known else replace(m, family=text[m.start : m.end]) for m in models]
        models, numbers = _models_in_words(low, models, numbers)
        models = _in_question(low, models, by_kind["left_out"])
        binding = vocabulary.binder.bind(low, [g for g in gpus if not _inside_model(g.start, models)], numbers, mentions)
        free = [n for n in numbers if n.start not in binding.used and not _within(n, binding)]
        found = self.quantities.read(low, free, by_kind["label"], frozenset(m.value for m in by_kind["cue"]))
        _set_prices_apart(low, binding, found, numbers)
        by_kind["cue"] = _not_in_numbers(by_kind["cue"], [n for n in numbers if n.unit in ("rate_qps", "user", "percent")])
        reading = Reading(low, binding=binding, models=tuple(models), mentions=tuple(mentions))
        reading.unknown_gpus = tuple(
            w for w in unknown_gpus(low, gpus) if not any(a <= low.find(w) < b for a, b, *_ in instances)
        )
        reading.closed_models = tuple(low[m.start : m.end] for m in longest(by_kind["closed"]))
        reading.impossible = (*binding.impossible, *found.impossible)
        reading.lone_number, reading.lone_memory_gb = _lone(low, numbers, binding, found)
        reading.turn = frozenset(m.value for m in by_kind["turn"])
        reading.metrics = _metrics(low, by_kind["metric"], models=bool(models))
        reading.slots = self._slots(low, reading, by_kind, found, instances, regions)
        reading.soft_task = reading.slots.engine is None and not any(m.value != "inference_soft" for m in by_kind["task"])
        reading.flags = _flags(reading, by_kind, found, numbers, vocabulary)
        reading.trace = _trace(low, reading, found)
        reading.vocabulary_mentions = vocabulary.lexicon.scan
        return reading

    def _slots(self, low: str, reading: Reading, by_kind: dict[str, list[Mention]], found: Quantities,
               instances: list[tuple[int, int, str, str | None]], regions: list[tuple[int, int, str, str | None]]) -> Slots:  # fmt: skip
        vocabulary, binding = self.vocabulary, reading.binding
        values = dict(found.values)
        quant = _first(by_kind["quant"])
        precision = _precision(low, by_kind["precision"], by_kind["quant"], reading)
        providers = [m.value for m in longest(by_kind["provider"])] + [p for *_, p in (*instances, *regions) if p]
        region = [
            m.value for m in longest(by_kind["region"]) if low[m.end : m.end + 1] != "/"
        ]  # Europe/Berlin is a time zone
        slots = Slots(
            gpus=tuple(vocabulary.gpus.slot(g) for g in binding.gpus),
            models=_distinct_models(vocabulary.model_names.slot(m) for m in reading.models),
            precision=precision,  # type: ignore[arg-type]
            quant=quant if quant else None,  # type: ignore[arg-type]
            provider=providers[0] if providers else None,
            instance=instances[0][2] if instances else None,
            region=regions[0][2] if regions else (region[0] if region else None),
            engine=_first(by_kind["engine"]),
            framework=_first(by_kind["framework"]),
            offload=_offload(by_kind),
            nodes=binding.nodes,
            gpus_per_node=binding.gpus_per_node,
        )
        slots = slots.with_(**values)
        tools = [m for kind in ("provider", "engine", "framework") for m in by_kind[kind]]
        tasks = [
            m
            for m in by_kind["task"]
            if not any(t.start <= m.start and m.end <= t.end and t.end - t.start > m.end - m.start for t in tools)
        ]
        return slots.with_(task=_task(low, tasks, slots, reading.models))


_LETTER_O = re.compile(r"(?<![a-z0-9])(\d{1,3})(o{1,2})(?=\s?(?:gb?|b)(?![a-z0-9]))")  # 8OG, 7OB


def _few(found: list[T], most: int) -> list[T]:
    """The head and the foot of what a long paste holds; a question is not in its middle."""
    return found if len(found) <= most else found[: most * 3 // 4] + found[-most // 4 :]


def _named(low: str, patterns: Iterable[NamedPattern]) -> list[tuple[int, int, str, str | None]]:
    """(start, end, words, provider) of region or instance names, in order, the longest at a place."""
    found = [(m.start(), m.end(), m.group(), p.provider) for p in patterns for m in p.pattern.finditer(low)]
    found.sort(key=lambda f: (f[0], -f[1]))
    out: list[tuple[int, int, str, str | None]] = []
    for one in found:
        if not out or one[0] >= out[-1][1]:
            out.append(one)
    return out


def _inside(mention: Mention, spans: Iterable[tuple[int, int, str, str | None]]) -> bool:
    return any(a <= mention.start < b for a, b, *_ in spans)


def _inside_model(start: int, models: Iterable[ModelSpan]) -> bool:
    return any(m.start <= start < m.end for m in models)


def _within(number: Number, binding: Binding) -> bool:
    return any(g.start <= number.start < g.end for g in (*binding.gpus, *binding.excluded) if g.base or g.end - g.start < 24)


def _models_in_words(low: str, models: list[ModelSpan], numbers: list[Number]) -> tuple[list[ModelSpan], list[Number]]:
    """`720亿参数`, `千亿模型`, `70 billion`: sizes that are written out."""
    kept: list[Number] = []
    for number in numbers:
        size = _written_size(low, number)
        if size is None:
            kept.append(number)
            continue
        owner = next((m for m in models if m.family and m.size_b is None and 0 <= number.start - m.end <= 2), None)
        span = ModelSpan(
            number.start, number.end, owner.family if owner else None, owner.version if owner else "", size, f"{size:g}B"
        )
        models = sorted([m for m in models if m is not owner] + [span], key=lambda m: m.start)
    return models, kept


def _written_size(low: str, number: Number) -> float | None:
    if number.unit not in ("", "param") or number.glued or (number.scale == "b" and number.unit == "" and number.value != 0):
        return None
    amount = number.plain()
    after = low[number.end : number.end + 4]
    big = number.scale in ("b", "bn", "billion", "亿", "十亿", "百亿", "千亿", "万亿", "trillion") or (
        number.word and amount >= 10**8
    )
    if big and not re.match(r"\s?(?:tok|个?tok|词|条|元|美|刀|块|样本|字|人)", after):
        return amount / 1e9
    if number.scale == "b" and number.value == 0:
        return 0.0
    if number.unit == "param" and number.scale in ("m", "million", "t", "万", "千万"):
        return amount / 1e9
    return None


def _first(mentions: Sequence[Mention]) -> str | None:
    ordered = longest(mentions)
    return ordered[0].value if ordered else None


def _distinct_models(slots: Iterable[ModelSlot]) -> tuple[ModelSlot, ...]:
    """Each model once; a bare size that a named model already has is the same model."""
    out: list[ModelSlot] = []
    for slot in slots:
        if slot in out or (slot.name is None and any(o.params_b == slot.params_b for o in out)):
            continue
        if slot.name and slot.params_b is None and any(o.name and o.name.startswith(slot.name) for o in out):
            continue
        bare = next((o for o in out if slot.name and (o.name is None and o.params_b == slot.params_b is not None)), None)
        fuller = next((o for o in out if o.name and slot.name and o.params_b is None and slot.name.startswith(o.name)), None)
        for old in (bare, fuller):
            if old in out:
                out.remove(old)
        out.append(slot)
    return tuple(out)


def _offload(by_kind: dict[str, list[Mention]]) -> str | None:
    if by_kind["no_offload"]:
        return "none"
    kinds = {m.value for m in longest(by_kind["offload"])}
    if {"optimizer", "param"} <= kinds:
        return "optimizer+param"
    return next((kind for kind in ("optimizer", "param", "unspecified") if kind in kinds), None)


_ASKS_SUPPORT = re.compile(
    r"support(?!s? )|supports? |支持|works? on|capab|native|tensor core|用不了|有没有|自动|enable|开启|启用|automatic|怎么开|能用|can use|use fp8|able to use|有fp8|has fp8"
    r"|have fp8|do fp8|fp8吗|吗$"
)


def _precision(low: str, precisions: Sequence[Mention], quants: Sequence[Mention], reading: Reading) -> str | None:
    """The type of the weights as asked for; one that the text only asks about is no choice."""
    ordered = longest(precisions)
    if not ordered:
        return None
    values = [m.value for m in ordered]
    if any(_negated(low, m) for m in ordered):
        ordered = [m for m in ordered if not _negated(low, m)]
        values = [m.value for m in ordered] or values[:0]
    specific = [m.value for m in ordered if low[m.start : m.end] not in ("awq", "gptq")]
    if "int8" in specific and any(low[m.start : m.end] in ("awq", "gptq") for m in ordered):
        return "int8"
    return (specific or values or [None])[0]


def _negated(low: str, mention: Mention) -> bool:
    return bool(
        re.search(
            r"(?:不支持|没有|no native|without|not|no|不用|beats|than|比|和|instead of)\s?$",
            low[max(0, mention.start - 12) : mention.start],
        )
    )


_NO_FP8 = re.compile(r"no (?:native )?fp8|没有fp8|without fp8")


def _task(low: str, mentions: Sequence[Mention], slots: Slots, models: Sequence[ModelSpan]) -> Task | None:
    """The most specific task named. `run` before a time (`跑6天`) is any job; `do llama 70b` is to serve it."""
    kinds = {m.value for m in longest(mentions) if not _denied(low, m) and not _RUNS_FOR.match(low[m.start : m.end + 12])}
    if not kinds and any(_DOES.search(low[max(0, m.start - 16) : m.start]) for m in models):
        return Task.INFERENCE
    if "lora" in kinds and (slots.precision in _FOUR_BIT or slots.quant in ("gptq", "awq")):
        kinds.add("qlora")
    if "full_finetune" in kinds and "pretrain" in kinds:
        kinds.discard("full_finetune")
    if "finetune" in kinds and slots.quant == "gptq":
        kinds.add("qlora")
    for kind in _TASK_ORDER:
        if kind in kinds:
            return Task(kind)
    if "inference_soft" in kinds and _ELLIPTICAL.match(low) and not slots.gpus and not slots.models:
        return None  # "and how many people could use it": about the turn before
    if "inference_soft" in kinds or slots.qps or slots.concurrency:
        return Task.INFERENCE
    if slots.engine:
        return Task.INFERENCE
    return None


_RUNS_FOR = re.compile(
    r"(?:run|runs|running|跑|运行)\s?(?:for )?(?:满|了|上)?\s?\d{1,4}\s?(?:天|小时|个?月|周|days?|hours?|weeks?|h(?![a-z]))|(?:run|runs|running|跑|运行)(?: for)?\s?(?:an? |one |一|两|几|整)(?:day|night|week|hour|month|天|晚|夜|周|个?月|个?小时)"
)
_DOES = re.compile(r"(?<![a-z])(?:do|take|hold|host|fit) (?:a |the |my )?$")


def _denied(low: str, mention: Mention) -> bool:
    """`不用peft`: a method that is not used."""
    return bool(
        re.search(r"(?:不用|不做|不想|不是|without|not|no|不走)\s?$", low[max(0, mention.start - 8) : mention.start])
    )


def _metrics(low: str, mentions: Sequence[Mention], *, models: bool) -> tuple[str, ...]:
    named = {m.value for m in longest(mentions)}
    named |= {m.value for m in mentions if m.value in ("price", "spot_price")}
    if "fp8_support" in named and (models or not _ASKS_SUPPORT.search(low) or _NO_FP8.search(low)):
        named.discard("fp8_support")
    first = {m.value: m.start for m in sorted(mentions, key=lambda m: -m.start)}
    weight = {
        "spot_price": -1,
        "price": 10**6,
        "latency": 10**6,
    }  # an attribute named beside a price is the more special one
    return tuple(sorted(named, key=lambda m: weight.get(m, first[m])))


def _flags(
    reading: Reading, by_kind: dict[str, list[Mention]], found: Quantities, numbers: Sequence[Number], vocabulary: Vocabulary
) -> frozenset[str]:
    slots, low = reading.slots, reading.low
    flags = {m.value for m in by_kind["cue"]}
    present = {
        "gpu": any(g.name for g in slots.gpus), "gpus2": len({(g.name, g.memory_gb) for g in slots.gpus}) > 1, "model": bool(slots.models),
        "models2": len(slots.models) > 1, "task": slots.task is not None, "count": any(g.count for g in slots.gpus),
        "training": slots.task is not None and slots.task != Task.INFERENCE, "serving": slots.task == Task.INFERENCE,
        "memory": any(g.memory_gb for g in slots.gpus), "money": slots.budget is not None, "price_given": slots.unit_price is not None,
        "engine": slots.engine is not None, "framework": slots.framework is not None, "instance": slots.instance is not None,
        "provider": slots.provider is not None, "tokens": slots.tokens is not None, "duration": slots.duration_h is not None,
        "qps": slots.qps is not None, "users": slots.concurrency is not None, "question": "?" in low or "吗" in low,
        "metric_spec": bool(SPEC_METRICS & set(reading.metrics)), "dataset": slots.dataset_samples is not None or slots.dataset_gb is not None,
        "enough": bool(re.search(r"enough|够|suffic|满足", low)),
        "unknown_gpu": bool(reading.unknown_gpus), "number": bool(numbers) and not slots.stated(),
        "asks_count": _asks_count(low, by_kind["cue"], reading),
        "bare_name": _only_names(low, reading),
        "asks_precision": bool(by_kind["precision"]) and bool(_ASKS_SUPPORT.search(low)),
        "memory_used": any(n.unit == "memory" and vocabulary.binder.words.need_left.search(low[max(0, n.start - 24) : n.start]) for n in numbers),
        "metric_net": bool({"nvlink", "interconnect"} & set(reading.metrics)),
        "long_period": bool(re.search(r"个月|一年|每月|per month|per year|a month|a year|monthly|yearly|包月|包年", low)),
        **_first_asked(by_kind["cue"]),
        "only_gpu": bool(slots.gpus) and not slots.models and slots.task is None,
    }  # fmt: skip
    flags |= {name for name, value in present.items() if value}
    if _ELLIPTICAL.match(low):
        flags.add("elliptical")
    return frozenset(flags)


def metric_of(reading: Reading, intent: Intent, *, default: bool = True) -> str | None:
    """The attribute asked for, as the intent takes it. `default`: a price question asks for the price even unsaid."""
    named = reading.metrics
    spec = next((m for m in named if m in SPEC_METRICS), None)
    if intent is Intent.PRICE_LOOKUP:
        return "spot_price" if "spot_price" in named else "price" if default or "price" in named else None
    if intent in (Intent.SPEC_LOOKUP, Intent.FAQ):
        return spec
    wanted: dict[Intent, tuple[str, ...]] = {
        Intent.CATALOG_SEARCH: ("availability", "price", "spot_price", *sorted(SPEC_METRICS)),
        Intent.DIGEST: ("availability", "spot_price", "price"),
        Intent.COST: ("energy", "cost_per_mtok", "spot_price"),
        Intent.THROUGHPUT: ("latency",),
        Intent.COMPARE: ("latency", "tdp", "price"),
    }
    if intent is Intent.DIGEST and "stop" in reading.flags:
        return None
    if intent is Intent.DIGEST and reading.slots.budget:
        return next((m for m in named if m in ("availability", "spot_price")), "price")
    return next((m for m in wanted.get(intent, ()) if m in named), None)


_COUNTED = re.compile(r"\s?(?:个|张|块|台|片)?\s?(?:of )?(?:more |total |the |nvidia |这样的|那样的)?")


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
    rest = "".join(c for i, c in enumerate(low) if not any(a <= i < b for a, b in spans))
    return len(spans) == 1 and not re.search(r"[^\W_]", rest)


def _asks_count(low: str, cues: Iterable[Mention], reading: Reading) -> bool:
    """`how many A100`, `几张 4090`: the count of a card is asked for."""
    ends = [m.end for m in cues if m.value == "how_many" and not low[m.start : m.end].startswith("how much")]
    return any(
        0 <= g.start - end <= 14 and _COUNTED.fullmatch(low[end : g.start]) for end in ends for g in reading.binding.gpus
    )


def _unmasked(low: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Without cues inside a longer word that means something else: 能 in 性能, the can of `can anybody recommend`."""
    masks = [m for m in mentions if m.kind == "mask"]
    if not masks:
        return list(mentions)
    return [
        m for m in mentions
        if m.kind not in ("cue", "turn", "metric", "mask", "task")
        or not any(
            k.start <= m.start and m.end <= k.end and k.end - k.start > m.end - m.start and (m.start == k.start or not low[k.start].isascii())
            for k in masks
        )
    ]  # fmt: skip


def _without_injection(low: str, mentions: Sequence[Mention]) -> str:
    """Orders to the reader are blanked up to the end of their sentence; the technical part is read as usual."""
    for mention in mentions:
        if mention.value == "injection":
            end = min((p for p in (low.find(stop, mention.end) for stop in "\n.。!") if p > 0), default=len(low))
            low = low[: mention.start] + " " * (end - mention.start) + low[end:]
    return low


def _not_in_numbers(cues: Iterable[Mention], numbers: Sequence[Number]) -> list[Mention]:
    """Without cues that are the unit of a number stated: the QPS of `10 QPS` is not asked for."""
    return [c for c in cues if not any(n.start <= c.start and c.end <= n.end for n in numbers)]


def _in_question(low: str, models: list[ModelSpan], roles: Sequence[Mention]) -> list[ModelSpan]:
    """Without bare sizes that are only mentioned (`3B was ok`), as long as another model remains."""
    kept = [
        m for m in models
        if not any(
            (r.value == "before" and 0 <= m.start - r.end <= 2) or (r.value == "after" and m.family is None and 0 <= r.start - m.end <= 3)
            for r in roles
        )
    ]  # fmt: skip
    return kept or models


_PRICED = re.compile(r"(?:'?s)?\s?(?:租|一|每|at|is|costs?|=|按|单价|价格|要|卖|for|around|about|~|小时|个|\s){0,6}[$¥€]?$")


def _set_prices_apart(low: str, binding: Binding, found: Quantities, numbers: Sequence[Number]) -> None:
    """A card named only for its price (`3090租一小时2.5美元的话，8xV100…`) is not the one that is asked about."""
    if "unit_price" not in found.values:
        return
    amount = getattr(found.values["unit_price"], "amount", None)
    priced = [n for n in numbers if n.plain() == amount]
    for i, gpu in enumerate(list(binding.gpus)):
        beside = any(0 <= n.start - gpu.end <= 14 and _PRICED.fullmatch(low[gpu.end : n.start]) for n in priced)
        others = any(g.count for g in binding.gpus if g is not gpu)
        if beside and others and gpu.count is None:
            binding.gpus.remove(gpu)
            binding.excluded.append(gpu)
        elif beside and gpu.count == 1 and not low[max(0, gpu.start - 2) : gpu.start].strip().isdigit():
            binding.gpus[i] = replace(gpu, count=None)


def _lone(low: str, numbers: Sequence[Number], binding: Binding, found: Quantities) -> tuple[int | None, float | None]:
    """(a count, GB) where a short message holds a single number that nothing has claimed: `dual 呢`, `8?`, `141G 那款`."""
    free = [n for n in numbers if n.start not in binding.used and n.start not in found.used]
    if len(free) != 1 or len(low) > 24:
        return None, None
    number = free[0]
    if number.unit == "memory" and not number.scale:
        return None, number.value
    plain = not number.unit and not number.scale and number.whole and 0 < number.value <= 4096 and not number.glued
    return (int(number.value) if plain and len(low) <= 14 else None), None


_ELLIPTICAL = re.compile(r"(?:and |so even |what about|how about|那(?!么?什么)|so if|then )")


def _trace(low: str, reading: Reading, found: Quantities) -> tuple[Trace, ...]:
    lines = [
        Trace(g.words or low[g.start : g.end], f"gpus: {g.base} {g.memory_gb or ''} x{g.count}", "name")
        for g in reading.binding.gpus
    ]
    lines += [Trace(low[g.start : g.end], "left out", "exclusion") for g in reading.binding.excluded]
    lines += [
        Trace(low[m.start : m.end], f"models: {m.family or m.exact or ''} {m.size_b or ''}", "name") for m in reading.models
    ]
    lines += [Trace(found.words.get(slot, ""), f"{slot}: {value}", "number") for slot, value in found.values.items()]
    lines += [
        Trace(low[m.start : m.end], m.key, "lexicon") for m in reading.mentions if m.kind not in ("gpu", "model", "family")
    ]
    return tuple(lines)
