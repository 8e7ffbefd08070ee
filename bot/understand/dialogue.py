"""A turn in the light of the question before: what it does, what it changes, what carries over.

Follow-ups change only what they name. A new card keeps the count, a new size keeps the family, more nodes keep the
cards of a node; a new topic starts afresh.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.question import TRAINING_TASKS, Act, GpuSlot, Intent, ModelSlot, Question, Slots, Task
from bot.understand.gpus import GpuNames, GpuSpan
from bot.understand.intents import IntentChoice
from bot.understand.models import ModelFinder, ModelSpan
from bot.understand.quantities import period_hours
from bot.understand.reading import SPEC_METRICS, Reading

_CORRECTION = re.compile(
    r"^(?:oh,? |ah,? |sorry,? |hmm,? |wait,? |well,? )*(?:no[,. ]|nope|not that|wrong|sorry|actually|oops|i (?:meant|mean|said)|correction|my bad|typo|scratch that"
    r"|that's wrong|不是[,,说 ]|不对|不,|错了|说错|我是说|我的意思|我说的是|打错|写错|搞错|更正|我指的|理解错|你理解错|我想问的是|应该是|不好意思)"
    r"|(?:^|[,. ])(?:i meant|i mean|我是说|我的意思是|我说的是|我指的是|can't do that|cannot do that|can't do it)|不支持,|^不是.{1,16}(?:,|而?是)"
)
_FORM_ONLY = re.compile(r"(?<![a-z])(sxm\d?|pcie|nvl)(?![a-z])", re.IGNORECASE)
_WEAK_RUN = re.compile(r"(?<![a-z])(?:run|runs|running|ran|host)(?![a-z])|跑|运行")
_WHICH_VENDOR = re.compile(r"provider|vendor|cloud|哪家|哪个云|哪个平台|厂商|平台|who|where|which (?:one|site)")
_VERSION_WORDS = re.compile(r"版|款|version|variant|model|那个|呢")
_EVERYTHING = re.compile(r"哪|which|什么|what")
_ASKS = re.compile(r"\?|吗|呢|多少|几|么|how|what|which|多大|是不是")
_CONTINUES = re.compile(
    r"^(?:ok[,. ]|okay[,. ]|and |what about|how about|what if|so |then |now |same |but |or |also |with |on |in |for |make it|那|换|改|再|如果|要是|假如|还|不行就|加|只|用)"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the turn does, the intent it carries, and the state after it."""

    act: Act
    intent: Intent
    slots: Slots


class Dialogue:
    """Applies a reading to the question before."""

    def __init__(self, gpus: GpuNames, models: ModelFinder) -> None:
        self.gpus = gpus
        self.models = models

    def follow(self, reading: Reading, choice: IntentChoice, before: Question) -> Turn:
        own = replace(reading.slots)
        if self._is_new_topic(reading, choice, before):
            return Turn(Act.RESET, choice.intent, own)
        if _CORRECTION.search(reading.low):
            intent = self._asked(reading, choice, before)
            return Turn(Act.CORRECT, intent or before.intent, self._merge(reading, before, intent or before.intent))
        if self._asks_why(reading):
            kept = before.slots.with_(provider=own.provider) if own.provider else before.slots
            return Turn(Act.WHY, Intent.FAQ, kept)
        if self._picks(reading, before):
            kept = before.slots
            if _WHICH_VENDOR.search(reading.low) and own.provider is None:
                kept = kept.with_(provider=None)
            return Turn(Act.PICK, before.intent, kept)
        intent = self._asked(reading, choice, before)
        other_question = "energy_word" in reading.flags and before.slots.metric != "energy"
        act = Act.SET_INTENT if intent is not None and (intent != before.intent or other_question) else Act.SET
        return Turn(act, intent or before.intent, self._merge(reading, before, intent or before.intent))

    def _is_new_topic(self, reading: Reading, choice: IntentChoice, before: Question) -> bool:
        """A question that stands by itself: own card, own model, and not the running topic."""
        own = reading.slots
        if "reset" in reading.turn and (own.stated() or choice.rules):
            return True
        whole = any(g.name or g.memory_gb for g in own.gpus) and any(m.name for m in own.models) and bool(choice.rules)
        if not whole or "add" in reading.turn and len(reading.low) < 30:
            return False
        had = before.slots
        other_kind = (
            before.intent in (Intent.CATALOG_SEARCH, Intent.PRICE_LOOKUP, Intent.SPEC_LOOKUP, Intent.DIGEST, Intent.FAQ)
            and not had.models
        )
        if other_kind:
            return choice.intent != before.intent
        fresh = {g.name for g in own.gpus}.isdisjoint(g.name for g in had.gpus) and {m.name for m in own.models}.isdisjoint(
            m.name for m in had.models
        )
        return fresh and own.task is not None and not _CONTINUES.match(reading.low)

    def _asks_why(self, reading: Reading) -> bool:
        own = reading.slots
        names = own.gpus or own.models
        return "why" in reading.turn and not names and "oom" not in reading.flags and len(reading.low) < 80

    def _picks(self, reading: Reading, before: Question) -> bool:
        own = reading.slots.with_(metric=None, task=None, provider=None)
        return "pick" in reading.turn and not own.stated() and len(reading.low) < 48 and before.intent is not Intent.DIGEST

    def _asked(self, reading: Reading, choice: IntentChoice, before: Question) -> Intent | None:
        """The intent that the turn names, None where it only changes values."""
        flags, low, known = reading.flags, reading.low, before.slots
        running = bool(known.task or known.models)
        if before.intent is Intent.DIGEST:
            return (
                Intent.DIGEST
                if choice.intent in (Intent.DIGEST, Intent.FOLLOWUP) or not choice.rules or len(low) < 24
                else choice.intent
            )
        if "digest_cue" in flags:
            return Intent.DIGEST
        if "oom" in flags:
            return Intent.DIAGNOSE_OOM
        if "energy_word" in flags:
            return Intent.COST
        if "time_cue" in flags and "speed_cue" not in flags:
            return Intent.TIME
        if {"speed_cue", "qps"} & flags and not self._only_users(reading):
            return Intent.THROUGHPUT
        if "price_cue" in flags or "money_cue" in flags:
            return self._money(reading, before, running)
        if running and _HOW_MUCH_MONEY.search(low):
            return Intent.COST
        long = reading.slots.duration_h is not None and reading.slots.duration_h >= 24
        if before.intent is Intent.PRICE_LOOKUP and (
            long or re.search(r"per (?:month|year|day|week)|a (?:month|year)\b", low)
        ):
            return Intent.COST
        if re.search(r"租的话|买的话|租呢|如果租|(?:^|[^a-z])(?:to )?rent(?:ing|al)?(?:\?|$| it| them)", low) and running:
            return Intent.COST
        if (
            "versus_strong" in flags
            and ("gpus2" in flags or re.search(r"^compare|vs|对比", low))
            and (reading.slots.gpus or reading.slots.models)
        ):
            return Intent.COMPARE
        if "sizing_cue" in flags and not reading.slots.nodes:
            return Intent.SIZING
        if "ask_memory" in flags and "how_many" in flags and running:
            return Intent.SIZING
        if (
            "metric_spec" in flags
            and before.intent is not Intent.SPEC_LOOKUP
            and _ASKS.search(low)
            and not reading.slots.models
            and running
        ):
            return Intent.SPEC_LOOKUP if before.intent not in (Intent.FAQ,) else None
        if "fits_which" in flags:
            return Intent.FEASIBILITY
        if "choice" in flags and before.intent is not Intent.COMPARE:
            return Intent.RECOMMEND
        if before.intent is not Intent.FEASIBILITY and _FEASIBLE.search(low):
            return Intent.FEASIBILITY if (running or reading.slots.models) else None
        if "list_cue" in flags and not running:
            return Intent.CATALOG_SEARCH
        return None

    def _only_users(self, reading: Reading) -> bool:
        """`and 32 users`, `并发 50` set a value; `how many users` asks for one."""
        own = reading.slots
        return own.concurrency is not None and "how_many" not in reading.flags and not _SPEED_WORDS.search(reading.low)

    def _money(self, reading: Reading, before: Question, running: bool) -> Intent:
        own = reading.slots
        stated_only = (own.unit_price or own.budget) and not _ASKS.search(reading.low)
        if stated_only:
            return before.intent
        if before.intent in (Intent.PRICE_LOOKUP, Intent.COST, Intent.CATALOG_SEARCH) and not (
            own.duration_h and before.intent is Intent.PRICE_LOOKUP
        ):
            return before.intent
        if (
            "price_cue" in reading.flags
            and (own.instance or own.gpus)
            and re.search(r"price|pricing|价格|单价|报价", reading.low)
        ):
            return Intent.PRICE_LOOKUP
        return Intent.COST if running or own.duration_h else Intent.PRICE_LOOKUP

    def _merge(self, reading: Reading, before: Question, intent: Intent) -> Slots:
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
        changes["task"] = _task(reading, had)
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
            and period_hours(reading.low)
            and not own.budget
        ):
            if before.intent is not Intent.COST or had.duration_h is None:
                changes["duration_h"] = period_hours(reading.low)
        if own.instance and not own.gpus:
            changes.setdefault("provider", had.provider)
        changes["metric"] = _metric_after(reading, before, intent)
        merged = had.with_(**changes)
        if merged.tokens and merged.task is None and intent in (Intent.TIME, Intent.COST, Intent.SIZING):
            merged = merged.with_(task=Task.PRETRAIN)
        return merged

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
        compared = before_intent is Intent.COMPARE and re.match(r"(?:and|加上|还有|和|再加|plus|\+)", reading.low)
        if (compared or "add" in reading.turn) and not re.search(r"换|instead|switch|改", reading.low):
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
            if not sized and not _VERSION_WORDS.search(reading.low):
                return (new,)
            count = new.count if new.count is not None and not _SINGLE_OF.search(reading.low) else gpu.count
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
        if "add" in reading.turn and re.search(r"add|too|as well|也|加", reading.low):
            return (*old, *(m for m in carried if m not in old))
        return carried

    def _of_family(self, reading: Reading, model: ModelSlot, old: Sequence[ModelSlot]) -> ModelSlot:
        """A bare size takes the family of the thread where that family has the size: `235b version` after Qwen3-30B-A3B."""
        if model.name is not None or not old or old[0].name is None or model.params_b is None:
            return model
        spans = self.models.find(old[0].name.lower(), reading.vocabulary_mentions(old[0].name.lower()), ())
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


_FEASIBLE = re.compile(
    r"行不行|行吗|行么|够吗|够不够|够用|能不能|能跑|能训|能装|放得下|跑得动|可以吗|能否|能.{0,12}吗|^(?:ok,? |so |and )?(?:can|could|will|would|does|is|are) .{0,60}(?:fit|enough|run|work|do it|possible|handle|hold)|\bfits?\b|enough|possible|^can "
)
_HOW_MUCH_MONEY = re.compile(
    r"how much (?:is (?:that|it|this)|per |a (?:month|day|year)|for (?:a|the) (?:month|day|year)|would (?:that|it)|does (?:that|it)|will (?:that|it))|^(?:and )?(?:so )?how much\?*$|^(?:and )?(?:per|a) (?:month|year|day)\?*$"
)
_SPEED_WORDS = re.compile(r"tok|吞吐|速度|throughput|latency|快|延迟|时延|tps|slow|fast|qps")
_SINGLE_OF = re.compile(r"\d\s?g的?卡|那款|版")


_FULL = re.compile(r"(?<![a-z])full(?![a-z])(?! (?:context|window|\d|version|node|speed))")


def _task(reading: Reading, had: Slots) -> Task | None:
    """A weak word (`run`, `train`) does not undo what the thread knows better."""
    new = reading.slots.task
    if new is None:
        return Task.FULL_FINETUNE if had.task in TRAINING_TASKS and _FULL.search(reading.low) else had.task
    if new is Task.TRAIN and had.task in TRAINING_TASKS:
        return had.task
    if new is Task.FINETUNE and had.task in (Task.LORA, Task.QLORA, Task.FULL_FINETUNE) and "set_task" not in reading.turn:
        return had.task
    if (
        new is Task.INFERENCE
        and had.task in TRAINING_TASKS
        and _WEAK_RUN.search(reading.low)
        and not _SPEED_WORDS.search(reading.low)
    ):
        words = {reading.low[m.start : m.end] for m in reading.mentions if m.kind == "task"}
        if all(_WEAK_RUN.fullmatch(word) or word in ("跑得动", "跑起来") for word in words):
            return had.task
    return new


def _metric_after(reading: Reading, before: Question, intent: Intent) -> str | None:
    from bot.understand.reading import metric_of

    named, had = metric_of(reading, intent, default=intent is not before.intent), before.slots.metric
    if named:
        return named
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
