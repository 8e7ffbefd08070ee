"""Tasks asked about side by side: "serve, LoRA and full fine-tuning, which of them?" is one question about three."""

from __future__ import annotations

import re

from bot.question import Task
from bot.understand.lexicon import Mention, longest
from bot.understand.reading import Reading

_EACH = re.compile(r"分别|各自|各要|respectively|(?<![a-z])(?:each|both)(?![a-z])")
_KINDS = {
    task.value: task for task in (Task.INFERENCE, Task.PRETRAIN, Task.FULL_FINETUNE, Task.LORA, Task.QLORA, Task.FINETUNE)
}


def tasks_together(reading: Reading) -> tuple[Task, ...]:
    """Every task that is asked about, in order of mention; empty where there is one.

    Serving beside a training task always counts; several training methods only where the message says "each" or 分别,
    since "QLoRA needs one card, what about full" asks about the last alone.
    """
    named = longest(mention for mention in reading.mentions if mention.kind == "task")
    kinds = list(dict.fromkeys(_KINDS[m.value] for m in _outermost(named) if m.value in _KINDS))
    training = [kind for kind in kinds if kind is not Task.INFERENCE]
    if len(training) > 1 and Task.FINETUNE in training:
        kinds.remove(Task.FINETUNE)  # "full fine-tuning" says both words
        training.remove(Task.FINETUNE)
    serving = Task.INFERENCE in kinds
    if (serving and training) or (len(training) > 1 and _EACH.search(reading.low)):
        return tuple(kinds)
    return ()


def _outermost(mentions: list[Mention]) -> list[Mention]:
    """Without mentions that lie inside a longer one: `fine-tuning` in `full fine-tuning`."""
    return [m for m in mentions if not any(o is not m and o.start <= m.start and m.end <= o.end for o in mentions)]
