"""The Adjust… form: the question's slots as fields, and the fields read back into a question.

Names of GPUs and models are read by the same understanding as messages; nothing is parsed here but whole numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from bot.question import Act, Action, Language, ModelSlot, Precision, Question, Slots, Task, Thread
from bot.slack.desk import Desk
from bot.slack.place import Place

CALLBACK = "adjust"
_ANY = "any"
_MOST = {"count": 100_000, "seq_len": 10_000_000, "batch": 4096, "concurrency": 100_000}
_TITLE, _OPTION = 24, 75  # Block Kit: characters of a modal's title and buttons, of an option


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The question with the form's values, or what is wrong with them by field. `changes` says in words what changed."""

    question: Question
    changes: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)


def adjust_view(desk: Desk, place: Place, question: Question) -> dict[str, Any]:
    """The modal, filled with what the question said."""
    language, shown = question.language, _shown(question.slots)

    def words(key: str) -> str:
        return desk.words(language, f"slack.modal.{key}")

    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": json.dumps(
            {"channel": place.channel, "reply_ts": place.ts, "thread_ts": place.thread_ts}, separators=(",", ":")
        ),
        "title": _plain(words("title"), _TITLE),
        "submit": _plain(words("submit"), _TITLE),
        "close": _plain(words("close"), _TITLE),
        "blocks": [
            _text("model", words("model"), shown["model"], hint=words("model_hint")),
            _text("gpu", words("gpu"), shown["gpu"], hint=words("gpu_hint")),
            _text("count", words("count"), shown["count"]),
            _select("task", words("task"), _tasks(desk, language), shown["task"], words("any")),
            _select("precision", words("precision"), {p: p for p in get_args(Precision)}, shown["precision"], words("any")),
            _text("seq_len", words("seq_len"), shown["seq_len"]),
            _text(_load_field(question), words(_load_field(question)), shown[_load_field(question)]),
        ],
    }


def read_adjustment(desk: Desk, question: Question, state: Mapping[str, Any]) -> Adjusted:
    """The form read back. A field that was left alone keeps its slot as it was, several GPUs included."""
    before = _shown(question.slots)
    entered = {name: _entered(block) for name, block in state.items()}
    changed = {name: text for name, text in entered.items() if text is not None and text != before.get(name, "")}
    reading = _Reading(desk, question)
    slots = question.slots
    for name, text in changed.items():
        slots = reading.apply(slots, name, text)
    told = tuple(_told(desk, question.language, name, text) for name, text in changed.items())
    asked = replace(
        question,
        slots=slots,
        act=Act.SET,
        action=Action.ANSWER,
        changed=slots.changed_from(question.slots),
        problems=(),
    )
    return Adjusted(asked, told, reading.errors)


@dataclass
class _Reading:
    desk: Desk
    question: Question
    errors: dict[str, str] = field(default_factory=dict)

    def apply(self, slots: Slots, name: str, text: str) -> Slots:
        """One field's new value in its slot; an error is noted and leaves the slot as it was."""
        if name == "gpu":
            return self._gpu(slots, text)
        if name == "model":
            return self._model(slots, text)
        if name == "task":
            return slots.with_(task=Task(text) if text else None)
        if name == "precision":
            return slots.with_(precision=text or None)
        return self._number(slots, name, text)

    def _gpu(self, slots: Slots, text: str) -> Slots:
        read = self.desk.assistant.read(text, Thread()).slots.gpus
        if not read:
            return self._refuse(slots, "gpu", "bad_gpu")
        count = slots.gpus[0].count if slots.gpus else None
        return slots.with_(gpus=(replace(read[0], count=read[0].count or count), *slots.gpus[1:]))

    def _model(self, slots: Slots, text: str) -> Slots:
        read: tuple[ModelSlot, ...] = self.desk.assistant.read(text, Thread()).slots.models
        if not read or (read[0].name is None and read[0].params_b is None):
            return self._refuse(slots, "model", "bad_model")
        return slots.with_(models=(read[0], *slots.models[1:]))

    def _number(self, slots: Slots, name: str, text: str) -> Slots:
        digits = text.replace(",", "").replace(" ", "")
        if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:12]) <= _MOST[name]):
            return self._refuse(slots, name, "bad_number", most=_MOST[name])
        number = int(digits)
        if name != "count":
            return slots.with_(**{name: number})
        if not slots.gpus:
            return slots
        return slots.with_(gpus=(replace(slots.gpus[0], count=number), *slots.gpus[1:]), nodes=None, gpus_per_node=None)

    def _refuse(self, slots: Slots, name: str, key: str, **values: object) -> Slots:
        self.errors[name] = self.desk.words(self.question.language, f"slack.modal.{key}", **values)
        return slots


def _told(desk: Desk, language: Language, name: str, text: str) -> str:
    """A change in a few words: `4 GPUs`, `LoRA fine-tuning`."""
    if not text:
        return desk.words(language, "slack.changed.any", field=desk.words(language, f"slack.modal.{name}"))
    value = desk.words(language, f"slack.task.{text}") if name == "task" else text
    return desk.words(language, f"slack.changed.{name}", value=value)


def _shown(slots: Slots) -> dict[str, str]:
    """The slots as the form shows them."""
    gpu = slots.gpus[0] if slots.gpus else None
    model = slots.models[0] if slots.models else None
    named = [part for part in (gpu.name, gpu.form) if part] if gpu else []
    if gpu and gpu.memory_gb and not (gpu.name and f"{gpu.memory_gb:g}G" in gpu.name):
        named.insert(1, f"{gpu.memory_gb:g}GB")
    return {
        "gpu": " ".join(named),
        "count": str(gpu.count) if gpu and gpu.count else "",
        "model": (model.name or (f"{model.params_b:g}B" if model.params_b else "")) if model else "",
        "task": slots.task or "",
        "precision": slots.precision or "",
        "seq_len": str(slots.seq_len or ""),
        "batch": str(slots.batch or ""),
        "concurrency": str(slots.concurrency or ""),
    }


def _load_field(question: Question) -> str:
    return "concurrency" if question.slots.task is Task.INFERENCE else "batch"


def _tasks(desk: Desk, language: Language) -> dict[str, str]:
    return {task.value: desk.words(language, f"slack.task.{task.value}") for task in Task}


def _entered(block: Mapping[str, Any]) -> str | None:
    """The value of a field; None when it was left alone or emptied, and "" when "not said" was chosen.

    Some clients send nothing for a prefilled field that was not touched, as others do for one that was emptied; so an
    empty field keeps what was said.
    """
    element: Mapping[str, Any] = next(iter(block.values()), {})
    if element.get("type") != "static_select":
        return (element.get("value") or "").strip() or None
    option = element.get("selected_option")
    if not option:
        return None
    return "" if option["value"] == _ANY else str(option["value"])


def _text(name: str, label: str, value: str, *, hint: str | None = None) -> dict[str, Any]:
    element: dict[str, Any] = {"type": "plain_text_input", "action_id": name, "max_length": 200}
    if value:
        element["initial_value"] = value
    block: dict[str, Any] = {"type": "input", "block_id": name, "optional": True, "label": _plain(label), "element": element}
    return {**block, "hint": _plain(hint)} if hint else block


def _select(name: str, label: str, options: Mapping[str, str], chosen: str, any_label: str) -> dict[str, Any]:
    listed = [_option(_ANY, any_label), *(_option(value, text) for value, text in options.items())]
    initial = next((option for option in listed if option["value"] == chosen), listed[0])
    element = {"type": "static_select", "action_id": name, "options": listed, "initial_option": initial}
    return {"type": "input", "block_id": name, "optional": True, "label": _plain(label), "element": element}


def _option(value: str, text: str) -> dict[str, Any]:
    return {"text": _plain(text, _OPTION), "value": value}


def _plain(text: str, limit: int = 2000) -> dict[str, Any]:
    return {"type": "plain_text", "text": text[:limit], "emoji": False}
