"""A vocabulary for tests of understanding: read a message, write what was read on one line."""

from __future__ import annotations

from functools import lru_cache

from bot.catalog.specs import Specs, load_specs
from bot.folder import Folder
from bot.question import GpuSlot, ModelSlot, Money, Question, Slots
from bot.understand import Understanding, load_understanding


@lru_cache(maxsize=1)
def specs() -> Specs:
    return load_specs(Folder.knowledge())


@lru_cache(maxsize=1)
def understanding() -> Understanding:
    return load_understanding(Folder.knowledge(), specs())


def read(message: str, before: Question | None = None) -> Question:
    return understanding().read(message, before)


def read_thread(turns: list[str]) -> list[Question]:
    """The turns in order; thanks leave the question in place, as in a conversation."""
    questions: list[Question] = []
    before: Question | None = None
    for turn in turns:
        question = read(turn, before)
        questions.append(question)
        if question.act != "ack" and question.action != "decline":
            before = question
    return questions


def written(question: Question) -> str:
    """`feasibility: 8 A100-80G, 70B, finetune, seq_len 8192`; an action other than `answer` in brackets."""
    action = "" if question.action == "answer" else f" [{question.action.value}]"
    return f"{question.intent.value}{action}: {slots_written(question.slots)}".rstrip(": ")


def slots_written(slots: Slots) -> str:
    parts = [_gpu(gpu) for gpu in slots.gpus] + [_model(model) for model in slots.models]
    if slots.task:
        parts.append(slots.task.value)
    parts += [f"{name} {_value(getattr(slots, name))}" for name in slots.stated() if name not in ("gpus", "models", "task")]
    return ", ".join(parts)


def _gpu(gpu: GpuSlot) -> str:
    count = f"{gpu.count} " if gpu.count is not None else ""
    memory = f" {gpu.memory_gb:g}G" if gpu.memory_gb and f"{gpu.memory_gb:g}G" not in (gpu.name or "") else ""
    usual = specs().find_gpu(gpu.name) if gpu.name else None
    if usual is not None and usual.memory_gb == gpu.memory_gb:
        memory = ""
    form = f" {gpu.form}" if gpu.form and gpu.form not in (gpu.name or "") else ""
    return f"{count}{gpu.name or 'card'}{memory}{form}"


def _model(model: ModelSlot) -> str:
    if model.name is None:
        return f"{model.params_b:g}B"
    return model.name


def _value(value: object) -> str:
    if isinstance(value, Money):
        return " ".join(str(part) for part in (f"{value.amount:g}", value.currency or "?", value.period or "") if part)
    return f"{value:g}" if isinstance(value, float) else str(value)
