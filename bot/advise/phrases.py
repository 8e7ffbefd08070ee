"""Small sayings that several intents share: cards, counts, verdict cells, and the buttons under an estimate."""

from __future__ import annotations

from bot.advise.readings import Counts, Reading
from bot.advise.setup import Cards
from bot.answer import Band, Cell, Choice, Say, SumLine, Text, say


def cards_said(n_gpus: int, cards: Cards) -> Text:
    """`one A100 80G`, `4 × A100 80G`."""
    return say("cards.one", gpu=cards.label) if n_gpus == 1 else say("cards.many", n=n_gpus, gpu=cards.label)


def counts_said(counts: Counts) -> Text:
    """`16 cards (tight), 24 with room`, `4 cards`, or that no count helps."""
    if counts.least is None:
        return say("counts.none")
    if counts.sure is None:
        return say("counts.tight_only", least=counts.least)
    if counts.sure == counts.least:
        return say("counts.same", n=counts.least)
    return say("counts.both", least=counts.least, sure=counts.sure)


def memory_of(reading: Reading) -> Band | None:
    return reading.estimate.memory_gib_per_gpu if reading.estimate else None


def verdict_cell(reading: Reading) -> Cell:
    """The verdict, with what is spare or missing where that helps."""
    memory, usable = memory_of(reading), reading.usable_gib
    if reading.refused is not None:
        return Cell(say("cell.refused", field=reading.refused.field, accepted=reading.refused.accepted))
    if memory is None or usable is None or reading.verdict is None:
        return Cell(reading.verdict, "verdict")
    spare = usable - memory.best
    if reading.verdict == "yes":
        return Cell(say("cell.fits", spare=spare))
    if reading.verdict == "tight":
        return Cell(say("cell.tight"))
    return Cell(say("cell.no", missing=-spare) if spare < 0 else say("cell.no_room"))


def row_of(reading: Reading, label: Say) -> tuple[Cell, ...]:
    return (Cell(label), Cell(reading.n_gpus, "count"), Cell(memory_of(reading), "gib"), verdict_cell(reading))


FIT_COLUMNS = (say("column.method"), say("column.cards"), say("column.gib_per_card"), say("column.verdict"))


def sum_of(reading: Reading) -> tuple[SumLine, ...]:
    """The estimator's own sum, else its breakdown, largest part first."""
    if reading.estimate is None:
        return ()
    if reading.estimate.sum:
        return tuple(sorted(reading.estimate.sum, key=lambda line: -line.value))
    parts = sorted(reading.estimate.memory_breakdown_gib.items(), key=lambda part: -part[1])
    return tuple(SumLine(say(f"breakdown.{name}"), value, "GiB") for name, value in parts if value > 0.005)


def usual_choices(reading: Reading) -> tuple[Choice, ...]:
    """Another card, and the bill: what people ask next."""
    other = "H100" if not reading.cards.label.startswith("H100") else "A100 80G"
    return (
        Choice(say("choice.try_card", gpu=other), say("choice.try_card_message", gpu=other)),
        Choice(say("choice.cost"), say("choice.cost_message")),
    )
