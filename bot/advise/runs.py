"""Training runs of a known length: how many tokens a question means, and the readings with their hours."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.readings import Reading, estimated, on_plan
from bot.advise.setup import usual
from bot.answer import Assumption, say
from bot.estimator import TrainingEstimate, TrainingWorkload
from bot.question import Slots, Task

_BYTES_PER_TOKEN = 4  # of English text; Chinese is about 3 in UTF-8


@dataclass(frozen=True, slots=True)
class Length:
    """Tokens of the whole run. `said` False: taken as an example, since the question does not tell."""

    tokens: int
    said: bool
    assumed: tuple[Assumption, ...] = ()


def length_of(slots: Slots, context: AdviceContext) -> Length:
    """Tokens from the message: said, or samples times their length, or gigabytes of text; else an example."""
    known = usual(context.folder)
    epochs = slots.epochs or 1
    if slots.tokens:
        return Length(round(slots.tokens * epochs), True)
    if slots.dataset_samples:
        each = slots.seq_len or known["sample_tokens"]["value"]
        assumed = () if slots.seq_len else (Assumption("sample_tokens", each, say("why.default")),)
        return Length(round(slots.dataset_samples * each * epochs), True, assumed)
    if slots.dataset_gb:
        return Length(round(slots.dataset_gb * 1e9 / _BYTES_PER_TOKEN * epochs), True)
    example = known["run_tokens"]["pretrain" if slots.task == Task.PRETRAIN else "finetune"]
    return Length(example, False, (Assumption("tokens", example, say("why.example")),))


def run_of(reading: Reading, length: Length, context: AdviceContext) -> Reading:
    """The reading with the length of its run, on cards that hold it: those asked for, else the fewest that do."""
    if reading.verdict == "no" and reading.counts.least is not None:
        reading = on_plan(reading, reading.counts.least, "yes" if reading.counts.least is reading.counts.sure else "tight")
    if not isinstance(reading.workload, TrainingWorkload):
        return reading
    return estimated(replace(reading, workload=replace(reading.workload, tokens_b=length.tokens / 1e9)), context)


def training_of(reading: Reading) -> TrainingEstimate | None:
    return reading.estimate if isinstance(reading.estimate, TrainingEstimate) else None
