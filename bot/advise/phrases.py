"""Small sayings that several intents share: cards, counts, verdict cells, and the buttons under an estimate."""

from __future__ import annotations

from bot.advise.readings import Counts, Reading
from bot.advise.setup import Cards
from bot.answer import Cell, Choice, Say, Source, SumLine, Text, say

FIT_COLUMNS = (say("column.method"), say("column.cards"), say("column.gib_per_card"), say("column.verdict"))


# Where so many times the cards are needed for a sure fit, the few that start it are named first.
_WIDE = 4


def cards_said(n_gpus: int, cards: Cards) -> Text:
    """`one A100 80G`, `4 × A100 80G`; where only a memory size is known, `one 24 GB card`."""
    kind = "" if cards.gpu is not None else "_memory"
    if n_gpus == 1:
        return say(f"cards.one{kind}", gpu=cards.label)
    return say(f"cards.many{kind}", n=n_gpus, gpu=cards.label)


def counts_said(counts: Counts, gpu: str | None = None) -> Text:
    """`24 cards (16 are tight)`, `4 cards`, or that no count helps; with a card's name `24 × A100 80G (16 are tight)`."""
    least, sure = counts.n_least, counts.n_sure
    suffix = "_of" if gpu else ""
    if least is None:
        return say(f"counts.none{suffix}", gpu=gpu)
    if sure is None:
        return say(f"counts.tight_only{suffix}", least=least, gpu=gpu)
    if sure > _WIDE * least:
        return say(f"counts.wide{suffix}", least=least, sure=sure, gpu=gpu)
    if sure == least:
        return say(f"counts.same{suffix}", n=least, gpu=gpu)
    return say(f"counts.both{suffix}", least=least, sure=sure, gpu=gpu)


def safe_said(counts: Counts) -> Text:
    """The count with room to spare, for a verdict that is tight."""
    return say("counts.same", n=counts.n_sure) if counts.n_sure else say("counts.none")


def is_over(reading: Reading) -> bool:
    """Whether the likeliest need is more than the card has: tight then means that luck decides."""
    memory, usable = reading.memory, reading.usable_gib
    return memory is not None and usable is not None and memory.best > usable


def verdict_cell(reading: Reading) -> Cell:
    """The verdict, with what is spare or missing where that helps."""
    memory, usable = reading.memory, reading.usable_gib
    if reading.refused is not None:
        return Cell(say("cell.refused"))
    if memory is None or usable is None or reading.verdict is None:
        return Cell(reading.verdict, "verdict")
    spare = usable - memory.best
    if reading.verdict == "yes":
        return Cell(say("cell.fits", spare=spare))
    if reading.verdict == "tight":
        return Cell(say("cell.tight" if spare >= 0 else "cell.tight_over", missing=-spare))
    return Cell(say("cell.no", missing=-spare) if spare < 0 else say("cell.no_room"))


def fit_row(reading: Reading, label: Say) -> tuple[Cell, ...]:
    return (
        Cell(say("cell.start", text=label)),
        Cell(reading.n_gpus, "count"),
        Cell(reading.memory, "gib"),
        verdict_cell(reading),
    )


def weights_label(name: str | None) -> Text:
    """The format of the weights as people write it."""
    if name is None:
        return say("weights.native")
    return say("weights.plain", name=name)


def card_sources(reading: Reading) -> tuple[Source, ...]:
    """Where the figures of a card that nobody named were read."""
    return (reading.cards.gpu.as_source(),) if reading.cards.gpu else ()


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
