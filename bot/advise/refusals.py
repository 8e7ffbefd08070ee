"""Why a workload cannot run at all, as a sentence: the field, its value, and the nearest thing that works."""

from __future__ import annotations

from bot.advise.readings import Reading
from bot.answer import Text, say

_BY_FIELD = {
    "weights_format": "format",
    "precision": "precision",
    "attention": "attention",
    "tp": "heads",
    "parallelism.tp": "heads",
    "max_model_len": "context",
    "input_len + output_len": "context",
}


def refusal_of(reading: Reading) -> Text:
    refused, workload = reading.refused, reading.workload
    assert refused is not None
    return say(
        f"refused.{_BY_FIELD.get(refused.field, 'other')}",
        gpu=reading.cards.label,
        field=refused.field.split(".")[-1],
        value=refused.value if isinstance(refused.value, int) else str(refused.value),
        accepted=refused.accepted,
        heads=workload.model.heads,
        choices=refused.choices,
        limit=workload.model.context_length,
    )
