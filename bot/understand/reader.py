"""The road of one message: scan, names, numbers, binding, quantities, settings, flags."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.question import Slots, Trace
from bot.understand.asides import in_question, not_in_numbers, set_prices_apart, unmasked, without_injection
from bot.understand.bound import Binding
from bot.understand.flags import flags_of
from bot.understand.found import Quantities
from bot.understand.gpus import find_gpus, unknown_gpus
from bot.understand.lexicon import Mention, longest
from bot.understand.model_names import ModelSpan
from bot.understand.money import MoneyReader
from bot.understand.noise import without_log_numbers
from bot.understand.numbers import Number
from bot.understand.patterns import Patterns
from bot.understand.quantities import QuantityReader
from bot.understand.reading import Reading
from bot.understand.settings import metrics_of, offload_of, precision_of, task_of
from bot.understand.sizes import distinct_models, models_in_words
from bot.understand.spoken import settled
from bot.understand.vocabulary import NamedPattern, Vocabulary

_MOST_MENTIONS, _MOST_NUMBERS = 800, 100  # of a long paste: the first three quarters and the last quarter of these
_STATED = frozenset({"rate_qps", "user", "percent", "hour", "day", "week", "month"})  # units that are no question
_LETTER_O = re.compile(r"(?<![a-z0-9])(\d{1,3})(o{1,2})(?=\s?(?:gb?|b)(?![a-z0-9]))")  # 8OG, 7OB

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A region or an instance type at [start, end), with the provider that its form tells."""

    start: int
    end: int
    name: str
    provider: str | None


class Reader:
    """Reads with one vocabulary; holds no state of any message."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.patterns = vocabulary.patterns
        self.quantities = QuantityReader(
            self.patterns, MoneyReader(self.patterns, vocabulary.words["numbers"]["currencies"])
        )

    def read(self, text: str) -> Reading:
        low, by_kind = self._scan(text)
        vocabulary = self.vocabulary
        instances, regions = _places(low, vocabulary.instances), _places(low, vocabulary.regions)
        gpus = find_gpus(low, [m for m in by_kind["gpu"] if not _covered(m.start, instances)], vocabulary.gpu_spellings)
        models, numbers = self._models(text, low, by_kind, [(g.start, g.end) for g in gpus], [*instances, *regions])
        binding = vocabulary.binder.bind(low, [g for g in gpus if not _covered(g.start, models)], numbers)
        free = [n for n in numbers if n.start not in binding.used and not _within(n, binding)]
        found = self.quantities.read(low, free, by_kind["label"])
        set_prices_apart(low, binding, found, numbers, self.patterns)
        by_kind["cue"] = not_in_numbers(by_kind["cue"], [n for n in numbers if n.unit in _STATED])
        reading = Reading(low, self.patterns, vocabulary.lexicon.scan, binding, models=tuple(models))
        reading.mentions = tuple(m for mentions in by_kind.values() for m in mentions)
        unknown = unknown_gpus(low, gpus)
        reading.unknown_gpus = tuple(words for start, words in unknown if not _covered(start, instances))
        reading.closed_models = tuple(low[m.start : m.end] for m in longest(by_kind["closed"]))
        reading.impossible = (*binding.impossible, *found.impossible)
        reading.lone_number, reading.lone_memory_gb = _lone(low, numbers, binding, found, self.patterns)
        reading.loose_money = found.loose_money
        reading.turn = frozenset(m.value for m in by_kind["turn"])
        reading.metrics = metrics_of(low, by_kind["metric"], self.patterns, models=bool(models))
        reading.slots = self._slots(reading, by_kind, found, instances, regions)
        reading.soft_task = reading.slots.engine is None and not any(m.value != "inference_soft" for m in by_kind["task"])
        reading.flags = flags_of(reading, by_kind, numbers, self.patterns)
        reading.trace = _trace(reading, found)
        return reading

    def _scan(self, text: str) -> tuple[str, dict[str, list[Mention]]]:
        """The text in lower case, of the same length, and what the lexicon finds in it by kind."""
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        low = _LETTER_O.sub(lambda m: m.group(1) + "0" * len(m.group(2)), without_log_numbers(low))
        mentions = unmasked(low, _few(self.vocabulary.lexicon.scan(low), _MOST_MENTIONS))
        by_kind: dict[str, list[Mention]] = defaultdict(list)
        for mention in mentions:
            by_kind[mention.kind].append(mention)
        return without_injection(low, mentions), by_kind

    def _models(
        self,
        text: str,
        low: str,
        by_kind: Mapping[str, list[Mention]],
        cards: list[tuple[int, int]],
        places: Sequence[Place],
    ) -> tuple[list[ModelSpan], list[Number]]:
        """Models, and the numbers that are no part of a name."""
        names = sorted((*by_kind["family"], *by_kind["model"]), key=lambda m: m.start)
        models = self.vocabulary.models.find(low, names, cards)
        blocked = [*((m.start, m.end) for m in models), *((p.start, p.end) for p in places)]
        tagged = _few(self.vocabulary.tagger.find(low), _MOST_NUMBERS)
        numbers = [
            n for n in settled(low, tagged, (start for start, _ in cards), self.patterns)
            if not any(start < n.body and n.start < end for start, end in blocked)
        ]  # fmt: skip
        models = [m if m.known else replace(m, family=text[m.start : m.end]) for m in models]
        models, numbers = models_in_words(low, models, numbers, self.patterns)
        return in_question(models, by_kind["left_out"]), numbers

    def _slots(
        self, reading: Reading, by_kind: Mapping[str, list[Mention]], found: Quantities, instances: list[Place],
        regions: list[Place],
    ) -> Slots:  # fmt: skip
        vocabulary, binding, low = self.vocabulary, reading.binding, reading.low
        providers = [m.value for m in longest(by_kind["provider"])] + [
            p.provider for p in (*instances, *regions) if p.provider
        ]
        named = [m.value for m in longest(by_kind["region"]) if low[m.end : m.end + 1] != "/"]  # Europe/Berlin: a time zone
        stated: dict[str, object] = {
            "gpus": tuple(vocabulary.gpus.slot(g) for g in binding.gpus),
            "models": distinct_models(vocabulary.model_names.slot(m) for m in reading.models),
            "precision": precision_of(low, by_kind["precision"], self.patterns),
            "quant": _first(by_kind["quant"]),
            "provider": next(iter(providers), None),
            "instance": instances[0].name if instances else None,
            "region": regions[0].name if regions else next(iter(named), None),
            "engine": _first(by_kind["engine"]),
            "framework": _first(by_kind["framework"]),
            "offload": offload_of(by_kind),
            "nodes": binding.nodes,
            "gpus_per_node": binding.gpus_per_node,
            **found.values,
        }
        slots = Slots().with_(**stated)
        tools = [m for kind in ("provider", "engine", "framework") for m in by_kind[kind]]
        tasks = [m for m in by_kind["task"] if not any(_is_part(m, tool) for tool in tools)]
        return slots.with_(task=task_of(low, tasks, slots, reading.models, self.patterns))


def _few(found: list[T], most: int) -> list[T]:
    """The head and the foot of what a long paste holds; a question is not in its middle."""
    return found if len(found) <= most else found[: most * 3 // 4] + found[-most // 4 :]


def _places(low: str, patterns: Iterable[NamedPattern]) -> list[Place]:
    """Region or instance names in order, the longest at a place."""
    found = [Place(m.start(), m.end(), m.group(), p.provider) for p in patterns for m in p.pattern.finditer(low)]
    out: list[Place] = []
    for one in sorted(found, key=lambda p: (p.start, -p.end)):
        if not out or one.start >= out[-1].end:
            out.append(one)
    return out


def _covered(start: int, spans: Iterable[Place | ModelSpan]) -> bool:
    return any(span.start <= start < span.end for span in spans)


def _is_part(one: Mention, other: Mention) -> bool:
    """`inference` is a part of the provider `hf inference endpoints`."""
    return other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start


def _within(number: Number, binding: Binding) -> bool:
    return any(g.start <= number.start < g.end for g in (*binding.gpus, *binding.excluded) if g.base or g.end - g.start < 24)


def _first(mentions: Sequence[Mention]) -> str | None:
    ordered = longest(mentions)
    return ordered[0].value if ordered else None


def _lone(
    low: str, numbers: Sequence[Number], binding: Binding, found: Quantities, patterns: Patterns
) -> tuple[int | None, float | None]:
    """(a count, GB) where a short message holds a single number that nothing has claimed: `dual 呢`, `8?`, `141G 那款`."""
    free = [n for n in numbers if n.start not in binding.used and n.start not in found.used]
    whole = [n for n in free if n.whole and n.value > 0 and not n.unit and not n.scale]
    them = next((n for n in whole if patterns["of_them"].match(low, n.end) or _stands_last(low, n, patterns)), None)
    if them is not None:
        return int(them.value), None
    if len(free) != 1 or len(low) > 24:
        return None, None
    number = free[0]
    if number.unit == "memory" and not number.scale:
        return None, number.value
    plain = not number.unit and not number.scale and number.whole and 0 < number.value <= 4096 and not number.glued
    return (int(number.value) if plain and len(low) <= 14 else None), None


def _stands_last(low: str, number: Number, patterns: Patterns) -> bool:
    """`what if I had 16`: the count of what the thread is about."""
    ends = not low[number.end :].strip(" ?!.。")
    return ends and len(low) < 40 and patterns["lone_left"].search(low[: number.start]) is not None


def _trace(reading: Reading, found: Quantities) -> tuple[Trace, ...]:
    low = reading.low
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
