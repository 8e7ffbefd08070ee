"""The state of a thread after a turn: what the turn names is replaced, all else carries over.

A new card keeps the count, a new size keeps the family, more nodes keep the cards of a node.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.question import TRAINING_TASKS, Act, GpuSlot, Intent, ModelSlot, Money, Question, Slots, Task
from bot.understand.gpus import GpuNames, GpuSpan
from bot.understand.model_names import ModelSpan
from bot.understand.models import ModelFinder
from bot.understand.patterns import Patterns
from bot.understand.quantities import period_hours
from bot.understand.reading import Reading
from bot.understand.relative import relative_changes
from bot.understand.settings import SPEC_METRICS, metric_of

_FORM_ONLY = re.compile(r"(?<![a-z])(sxm\d?|pcie|nvl)(?![a-z])")


class Merger:
    """Applies what a turn states to the slots before."""

    def __init__(self, gpus: GpuNames, models: ModelFinder, patterns: Patterns) -> None:
        self.gpus = gpus
        self.models = models
        self.patterns = patterns

    def merge(self, reading: Reading, before: Question, intent: Intent) -> Slots:
        had, own = before.slots, reading.slots
        changes: dict[str, object] = {
            name: getattr(own, name) for name in own.stated() if name not in ("gpus", "models", "task", "metric")
        }
        if "add" in reading.turn and own.instance and had.instance:
            changes.pop("instance", None)
        if (
            own.precision == "fp8"
            and not had.models
            and not own.models
            and before.intent in (Intent.CATALOG_SEARCH, Intent.SPEC_LOOKUP)
        ):
            del changes["precision"]  # a card with FP8, not weights in it
        changes["gpus"] = self._gpus(reading, had, before.intent)
        changes["models"] = self._models(reading, had)
        changes["task"] = _task(reading, had, self.patterns)
        changes |= relative_changes(reading, before, self.patterns) or self._lone_value(reading, before)
        if own.budget and had.budget and own.budget.period == "once":  # `raise the limit to $1`: still an hour
            changes["budget"] = replace(
                own.budget, period=had.budget.period, currency=own.budget.currency or had.budget.currency
            )
        if reading.loose_money and not own.budget and not own.unit_price:
            changes |= _repriced(had, reading.loose_money)
        self._layout(reading, had, changes)
        if own.precision and not own.quant and had.quant and own.precision not in ("int4", "int8"):
            changes["quant"] = None
        if own.concurrency and not own.batch and had.batch:
            changes["batch"] = None
        if own.batch and not own.concurrency and had.concurrency:
            changes["concurrency"] = None
        if (
            intent is Intent.COST
            and own.duration_h is None
            and "metric" not in changes
            and (period := period_hours(reading.low, self.patterns, turn=True))
            and not own.budget
            and (before.intent is not Intent.COST or had.duration_h is None)
        ):
            changes["duration_h"] = period
        if own.instance and not own.gpus:
            changes.setdefault("provider", had.provider)
        changes["metric"] = _metric_after(reading, before, intent)
        merged = had.with_(**changes)
        if merged.tokens and merged.task is None and intent in (Intent.TIME, Intent.COST, Intent.SIZING):
            merged = merged.with_(task=Task.PRETRAIN)
        return merged

    def _lone_value(self, reading: Reading, before: Question) -> dict[str, object]:
        """`make that 100` after `20 users`: a number alone replaces what the turn before has set."""
        last = next((slot for slot in ("concurrency", "batch", "epochs") if slot in before.changed), None)
        cards = reading.slots.gpus or "gpus" in before.changed or self.patterns["names_cards"].search(reading.low)
        if reading.lone_number is None or last is None or before.act is not Act.SET or cards:
            return {}
        return {last: reading.lone_number, "gpus": before.slots.gpus}

    def _gpus(self, reading: Reading, had: Slots, before_intent: Intent) -> tuple[GpuSlot, ...]:
        new, old = reading.slots.gpus, had.gpus
        if not new and old and reading.lone_number:
            return tuple(replace(g, count=reading.lone_number) for g in old)
        if not new and reading.lone_memory_gb and old:
            new = (GpuSlot(None, reading.lone_memory_gb),)
        if not new:
            return self._with_form(reading, old)
        new = tuple(_kept_details(self.gpus, g, old) for g in new)
        if all(g.name is None for g in new) and old:
            return self._same_cards(reading, new[0], old)
        compared = before_intent is Intent.COMPARE and self.patterns["and_also"].match(reading.low)
        if (compared or "add" in reading.turn) and not self.patterns["instead"].search(reading.low):
            return (*old, *(g for g in new if g not in old))
        counts = {g.count for g in old}
        kept = counts.pop() if len(counts) == 1 else None
        return tuple(replace(g, count=g.count if g.count is not None else kept) for g in new)

    def _same_cards(self, reading: Reading, new: GpuSlot, old: tuple[GpuSlot, ...]) -> tuple[GpuSlot, ...]:
        """A count or a memory size without a name belongs to the cards of the thread."""
        if new.memory_gb is None:
            return tuple(replace(g, count=new.count) for g in old)
        out = []
        for gpu in old:
            base, _, form = self.gpus.split(gpu.name) if gpu.name else (None, None, gpu.form)
            sized = bool(base and f"{base}-{new.memory_gb:g}G" in self.gpus.memory)
            if not sized and not self.patterns["version_words"].search(reading.low):
                return (new,)
            count = new.count if new.count is not None and not self.patterns["single_of"].search(reading.low) else gpu.count
            out.append(self.gpus.slot(GpuSpan(0, 0, base, new.memory_gb, form, count)))
        return tuple(out)

    def _with_form(self, reading: Reading, old: tuple[GpuSlot, ...]) -> tuple[GpuSlot, ...]:
        form = _FORM_ONLY.search(reading.low)
        if not form or len(reading.low) > 24 or not old:
            return old
        word = {"sxm": "SXM", "pci": "PCIe", "nvl": "NVL"}[form.group(1).lower()[:3]]
        out = []
        for gpu in old:
            base, memory, _ = self.gpus.split(gpu.name) if gpu.name else (None, None, None)
            out.append(self.gpus.slot(GpuSpan(0, 0, base, memory, word, gpu.count)))
        return tuple(out)

    def _models(self, reading: Reading, had: Slots) -> tuple[ModelSlot, ...]:
        new, old = reading.slots.models, had.models
        if not new:
            return old
        carried = tuple(self._of_family(reading, m, old) for m in new)
        if "add" in reading.turn and self.patterns["added"].search(reading.low):
            return (*old, *(m for m in carried if m not in old))
        return carried

    def _of_family(self, reading: Reading, model: ModelSlot, old: Sequence[ModelSlot]) -> ModelSlot:
        """A bare size takes the family of the thread where that family has the size: `235b version` after Qwen3-30B-A3B."""
        if model.name is not None or not old or old[0].name is None or model.params_b is None:
            return model
        spans = self.models.find(old[0].name.lower(), reading.find_mentions(old[0].name.lower()), ())
        if len(spans) != 1 or spans[0].family is None:
            return model
        span: ModelSpan = replace(spans[0], size_b=model.params_b, size_word=f"{model.params_b:g}B", active_b=None)
        slot = self.models.names.slot(span)
        known = slot.name is not None and self.models.names.specs.find_model(slot.name) is not None
        return slot if known else model

    def _layout(self, reading: Reading, had: Slots, changes: dict[str, object]) -> None:
        own = reading.slots
        gpus = changes["gpus"]
        assert isinstance(gpus, tuple)
        if own.nodes is not None and own.gpus_per_node is None:
            stated = next((g.count for g in own.gpus if g.count), None)
            each = had.gpus_per_node or (next((g.count for g in had.gpus if g.count), None) if had.nodes is None else None)
            if each and stated is None:
                changes["gpus_per_node"] = each
                changes["gpus"] = tuple(replace(g, count=each * own.nodes) for g in gpus)
        elif own.gpus_per_node is not None and own.nodes is None and had.nodes is not None:
            changes["gpus"] = tuple(replace(g, count=own.gpus_per_node * had.nodes) for g in gpus)
        elif own.nodes is None and had.nodes is not None and any(g.count for g in own.gpus):
            changes["nodes"] = changes["gpus_per_node"] = None


def _repriced(had: Slots, money: Money) -> dict[str, object]:
    """`make that $1.2`: an amount alone replaces the one of the thread, a limit before a price."""
    slot, old = ("budget", had.budget) if had.budget else ("unit_price", had.unit_price)
    return {slot: replace(old, amount=money.amount, currency=money.currency or old.currency)} if old else {}


def _kept_details(names: GpuNames, gpu: GpuSlot, old: Sequence[GpuSlot]) -> GpuSlot:
    """The card of the thread named again keeps its memory and form: `V100` after `V100-32G`."""
    for had in old:
        if (
            had.name
            and gpu.name
            and gpu.form is None
            and names.split(had.name)[0] == gpu.name
            and gpu.memory_gb in (None, names.memory.get(gpu.name))
        ):
            return replace(had, count=gpu.count if gpu.count is not None else had.count)
    return gpu


def _task(reading: Reading, had: Slots, patterns: Patterns) -> Task | None:
    """A weak word (`run`, `train`) does not undo what the thread knows better."""
    new = reading.slots.task
    if new is None:
        return Task.FULL_FINETUNE if had.task in TRAINING_TASKS and patterns["full"].search(reading.low) else had.task
    if new is Task.TRAIN and had.task in TRAINING_TASKS:
        return had.task
    if new is Task.FINETUNE and had.task in (Task.LORA, Task.QLORA, Task.FULL_FINETUNE) and "set_task" not in reading.turn:
        return had.task
    if (
        new is Task.INFERENCE
        and had.task in TRAINING_TASKS
        and patterns["weak_run"].search(reading.low)
        and not patterns["speed_words"].search(reading.low)
    ):
        words = {reading.low[m.start : m.end] for m in reading.mentions if m.kind == "task"}
        if all(patterns["weak_run"].fullmatch(word) or word in ("跑得动", "跑起来") for word in words):
            return had.task
    return new


def _metric_after(reading: Reading, before: Question, intent: Intent) -> str | None:
    named, had = metric_of(reading, intent, default=intent is not before.intent), before.slots.metric
    if named:
        return named
    if intent is Intent.SPEC_LOOKUP and "ask_memory" in reading.flags:
        return None  # the memory is asked for, which has no name among the attributes
    if (
        reading.slots.precision == "fp8"
        and not before.slots.models
        and intent in (Intent.CATALOG_SEARCH, Intent.SPEC_LOOKUP)
    ):
        return "fp8_support"
    extra = next((m for m in reading.metrics if m in SPEC_METRICS or m in ("mfu", "energy", "latency")), None)
    if intent is before.intent:
        alone = not reading.slots.with_(metric=None, task=None, precision=None).stated()
        return extra if extra and alone else had
    keeps = had in ("price", "spot_price", "energy") and intent in (Intent.COST, Intent.PRICE_LOOKUP)
    return had if keeps else None
