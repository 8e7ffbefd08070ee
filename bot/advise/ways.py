"""Ways to do a job: for each card on offer the fewest that hold it, in each format of weights that it runs, with prices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.fit import main_reading
from bot.advise.money import price_for
from bot.advise.pricing import HOURS, Price, to_currency
from bot.advise.readings import Reading, format_of, on_plan, read_serving
from bot.advise.setup import Cards, Subject, cards_in, gpu_label, usual
from bot.question import Money, Question

NODE = 8
_PAIR = 2  # two cards work together over PCIe well enough
_WIDE = ("bf16", "fp16", "fp32")


@dataclass(frozen=True, slots=True)
class Way:
    """Cards of one kind that hold the job, with their price an hour. `smaller`: in weights of fewer bits than published."""

    reading: Reading
    price: Price | None
    smaller: bool = False

    @property
    def hourly(self) -> float | None:
        return self.price.amount * self.reading.n_gpus if self.price else None

    @property
    def room(self) -> float:
        """Memory of all the cards over the need."""
        memory, usable = self.reading.memory, self.reading.usable_gib
        return usable / memory.best if memory and usable else 0.0

    @property
    def joined(self) -> bool:
        """Whether a fast link joins the cards, or they are so few that PCIe does."""
        n_gpus, gpu = self.reading.n_gpus, self.reading.cards.gpu
        return n_gpus <= _PAIR or (gpu is not None and gpu.link_domain >= n_gpus)

    @property
    def plausible(self) -> bool:
        """More loose cards than one machine holds would wait for one another over the network."""
        gpu = self.reading.cards.gpu
        return self.joined or self.reading.n_gpus <= NODE or (gpu is not None and gpu.link_domain >= NODE)


def sensible_ways(question: Question, subject: Subject, context: AdviceContext) -> list[Way]:
    """Cards that are named, else all that are usually on offer, cheapest first; those without a price come last."""
    offered = cards_in(question, context) or tuple(_card(name, context) for name in usual(context.folder)["cards_to_offer"])
    found = [
        way
        for cards in offered
        for price in (price_for(cards.gpu, question, context),)
        for reading, smaller in _readings(question, subject, cards, context)
        if (way := _way(reading, price, smaller=smaller)) is not None
    ]
    return sorted(found, key=lambda way: (way.hourly is None, way.hourly or 0, way.smaller, way.reading.n_gpus))


def within(ways: list[Way], budget: Money | None, question: Question, context: AdviceContext) -> list[Way]:
    """Ways that a budget for a period pays for; all of them where none is."""
    period = HOURS.get(budget.period or "") if budget else None
    if budget is None or period is None:
        return ways
    return [way for way in ways if _pays(budget, way, period, question, context)] or ways


def money_of(budget: Money, currency: str, question: Question, context: AdviceContext) -> tuple[str, float]:
    """(currency of the budget, its amount in `currency`); a budget that nobody quotes is taken for that currency's."""
    given = budget.currency or ("CNY" if question.language == "zh" else currency)
    converted = to_currency(budget.amount, given, currency, context.now.date())
    return (given, converted) if converted is not None else (currency, budget.amount)


def _pays(budget: Money, way: Way, period: float, question: Question, context: AdviceContext) -> bool:
    if way.price is None or way.hourly is None:
        return False
    return way.hourly * period <= money_of(budget, way.price.currency, question, context)[1]


def _card(name: str, context: AdviceContext) -> Cards:
    return Cards(gpu_label(name), context.specs.gpu(name))


def _readings(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> Iterator[tuple[Reading, bool]]:
    """The job as asked; where it is serving in 16 bit and no format is named, in 8 and 4 bit too."""
    main = main_reading(question, subject, cards, context)
    yield main, False
    slots = question.slots
    if main.task != "inference" or slots.precision or slots.quant or format_of(main) not in _WIDE:
        return
    for weights in (*(("fp8",) if cards.gpu and cards.gpu.fp8_tflops else ()), "awq_int4"):
        read = read_serving(question, subject, cards, n_gpus=cards.count or 1, context=context, weights=weights)
        yield replace(read, names_weights=True), True


def _way(reading: Reading, price: Price | None, *, smaller: bool) -> Way | None:
    """The reading on the cards asked for where they hold it, else on the fewest that do; None where no layout is sound."""
    if reading.verdict != "yes" and (plan := reading.counts.sure or reading.counts.least):
        reading = on_plan(reading, plan, "yes" if reading.counts.sure else "tight")
    way = Way(reading, price, smaller)
    return way if reading.verdict in ("yes", "tight") and way.plausible else None
