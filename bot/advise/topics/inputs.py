"""What a computed topic is given: the figures of the message, those of the answer before, and the stated defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bot.advise.context import AdviceContext
from bot.advise.corrections import load_correction_data
from bot.advise.figures import Figure, Reading
from bot.advise.setup import bilingual_why
from bot.answer import Answer, Assumption, Say, Source, Table, say
from bot.catalog.records import GpuSpec
from bot.faq.claims import load_claims
from bot.question import Question

_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_PUE = re.compile(r"(?<![\d.])([12]\.\d{1,2})(?![\d.])")
_COUNT = re.compile(r"(?<![\d.])(\d{1,6}) ?(?:张|块|卡|x\b|gpus?\b|cards?\b)", re.IGNORECASE)
_OF_THE_CARD = frozenset({"hardware_usd", "tokens_per_s_per_gpu"})  # other cards, other values
_IDLE = "idle"


@dataclass(frozen=True)
class Inputs:
    """`said` are the assumptions that the message itself states, by name."""

    question: Question
    context: AdviceContext
    reading: Reading
    said: Mapping[str, float]
    before: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        defaults: Mapping[str, Any] = self.context.estimator.defaults["topics"]
        return defaults

    def value(self, name: str, *, of: str | None = None) -> float:
        """As said, as said before, or the default; `of` picks from defaults that differ by card."""
        if name in self.said:
            return self.said[name]
        if name in self.before:
            return self.before[name]
        default = self.defaults[name]["value"]
        return float(default[of]) if isinstance(default, Mapping) else float(default)

    def assume(self, *names: str, **values: float) -> tuple[Assumption, ...]:
        """The assumptions behind an answer, for the reader to change. `values` are those that differ by card."""
        listed = {**{name: self.value(name) for name in names}, **values}
        return tuple(Assumption(name, value, self._why(name)) for name, value in listed.items())

    def _why(self, name: str) -> Say:
        return say("topics.as_said") if name in self.said or name in self.before else bilingual_why(self.defaults[name])

    def sources(self, *names: str, claims: tuple[str, ...] = ()) -> tuple[Source, ...]:
        """The pages behind defaults that were used, and behind claims."""
        known = load_claims(self.context.folder)
        keys = [key for name in names if name not in self.said for key in self.defaults[name].get("sources", ())]
        pages = tuple(known.sources[key].as_source() for key in keys if known.sources[key].url)
        return tuple(dict.fromkeys((*pages, *known.sources_of(*claims))))

    @property
    def gpu(self) -> GpuSpec | None:
        name = next((slot.name for slot in self.question.slots.gpus if slot.name), None)
        return self.context.specs.find_gpu(name) if name else None

    @property
    def n_gpus(self) -> int | None:
        stated = next((slot.count for slot in self.question.slots.gpus if slot.count), None)
        if stated is None and self.question.slots.nodes:
            return self.question.slots.nodes * (self.question.slots.gpus_per_node or 8)
        found = _COUNT.search(self.question.text[:500])
        return stated or (int(found[1]) if found else None)

    @property
    def params_b(self) -> float | None:
        return next((model.params_b for model in self.question.slots.models if model.params_b), None)

    @property
    def days(self) -> float | None:
        """The stretch of time that the message names."""
        if self.question.slots.duration_h:
            return self.question.slots.duration_h / 24
        return next((f.value * _DAYS[f.unit] for f in self.reading.of(*_DAYS)), None)

    @cached_property
    def pues(self) -> tuple[float, ...]:
        return tuple(float(number) for number in _PUE.findall(self.question.text[:500])) if self.reading.says("pue") else ()

    def answer(self, headline: Say, *, body: tuple[Say, ...] = (), table: Table | None = None,
               assumptions: tuple[Assumption, ...] = (), sources: tuple[Source, ...] = (),
               from_faq: bool = False) -> Answer:  # fmt: skip
        return Answer(
            question=self.question,
            headline=headline,
            language=self.question.language,
            answered_from="faq" if from_faq else "estimator",
            body=body,
            table=table,
            assumptions=assumptions,
            sources=sources,
        )


def read_inputs(question: Question, context: AdviceContext, assumes: tuple[str, ...]) -> Inputs:
    data = load_correction_data(context.folder)
    reading = Reading(question.text, context.specs, data.units, data.phrases(), data.numerals)
    said = {name: value for name, value in _said(question, context, reading) if name in assumes}
    return Inputs(question, context, reading, said, _before(question, context, assumes))


def _before(question: Question, context: AdviceContext, assumes: tuple[str, ...]) -> dict[str, float]:
    """What the answer before assumed under the same names, so that a follow-up changes one figure only."""
    answer = context.thread.answer
    kept = answer.assumptions if answer else ()
    values = {a.slot: float(a.value) for a in kept if a.slot in assumes and isinstance(a.value, int | float)}
    return {name: v for name, v in values.items() if not ("gpus" in question.changed and name in _OF_THE_CARD)}


def _said(question: Question, context: AdviceContext, reading: Reading) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    shares = load_correction_data(context.folder).grouped("shares")
    named = (_named_share(question.text, figure, shares) for figure in reading.of("percent"))
    found += [share for share in named if share is not None]
    found += [
        ("usd_per_kwh", _price_per_kwh(f.value, f.unit, context)) for f in reading.of("usd_per_kwh", "cny_per_kwh")[:1]
    ]
    pues = _PUE.findall(question.text[:500]) if reading.says("pue") else []
    found += [("pue", float(pues[0]))] if len(pues) == 1 else []
    if question.slots.duration_h and "duration_h" in question.changed:
        found.append(("days", question.slots.duration_h / 24))
    found += [("years", figure.value) for figure in reading.of("year")[:1] if 0 < figure.value <= 15]
    rates = {"gbps": 1.0, "mbps": 0.001, "gb_s": 8.0, "mb_s": 0.008}
    found += [("network_gbps", f.value * rates[f.unit]) for f in reading.of(*rates)[:1]]
    found += [("disk_gb_s", f.value * rates[f.unit] / 8) for f in reading.of(*rates)[:1]]
    found += [("hardware_usd", _in_usd(f.value * 10_000, "CNY", context)) for f in reading.of("cny_wan")[:1]]
    price = question.slots.unit_price or question.slots.budget
    if price is not None and price.period in (None, "once") and price.amount >= 1000:
        found.append(("hardware_usd", _in_usd(price.amount, price.currency, context)))
    return [(name, value) for name, value in found if value > 0]


def _named_share(text: str, figure: Figure, shares: Mapping[str, list[str]]) -> tuple[str, float] | None:
    """`70 % utilisation` -> utilisation 0.7, `闲置率 60%` -> utilisation 0.4: by the nearest word around the figure."""
    before = text[max(0, figure.start - 16) : figure.start].casefold()
    after = text[figure.end : figure.end + 16].casefold()
    near = [
        (min(len(before) - before.rfind(w) if w in before else 99, after.find(w) if w in after else 99), name)
        for name, words in shares.items()
        for w in words
        if w in before or w in after
    ]
    if not near:
        return None
    name, share = min(near)[1], min(1.0, figure.value / 100)
    return ("utilisation", max(0.01, 1 - share)) if name == _IDLE else (name, max(0.01, share))


def _price_per_kwh(value: float, unit: str, context: AdviceContext) -> float:
    return value if unit == "usd_per_kwh" else _in_usd(value, "CNY", context)


def _in_usd(amount: float, currency: str | None, context: AdviceContext) -> float:
    if currency in (None, "USD"):
        return amount
    from bot.catalog.currency import convert

    converted = convert(amount, currency or "USD", "USD", context.now.date())
    return float(converted.amount) if converted else amount
