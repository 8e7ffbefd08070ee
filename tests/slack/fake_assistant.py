"""A road short enough to see through: fixed readings and answers, so that these tests are about Slack alone."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from bot.answer import Answer, Bilingual, Choice, Scenario, SumLine, say
from bot.assistant import Assistant
from bot.compose import Composer
from bot.question import Act, Action, GpuSlot, Intent, ModelSlot, Question, Reader, Slots, Task, Thread


class FakeUnderstanding:
    """Sizes like 70B, A100 and H100, LoRA; "why", "thanks", "help"; "boom" breaks. The rest is out of scope."""

    def read(self, message: str, before: Question | None = None) -> Question:
        text, slots = message.lower(), before.slots if before else Slots()
        if "boom" in text:
            raise RuntimeError("broken on purpose")
        language = "zh" if re.search("[一-鿿]", text) else before.language if before else "en"
        if text in ("help", "帮助"):
            return Question(message, Intent.OUT_OF_SCOPE, language=language, action=Action.HELP)
        if "thanks" in text:
            return replace(before or Question(message, Intent.OUT_OF_SCOPE), act=Act.ACK, action=Action.ACK)
        if text.startswith("why") and before:
            return replace(before, act=Act.WHY, text=message)
        changes: dict[str, object] = {}
        if size := re.search(r"(\d+)b", text):
            changes["models"] = (ModelSlot(None, float(size.group(1))),)
        if gpu := re.search(r"[ah]100", text):
            changes["gpus"] = (GpuSlot(gpu.group().upper(), None, None),)
        if "lora" in text:
            changes["task"] = Task.LORA
        if not changes:
            return Question(message, Intent.OUT_OF_SCOPE, language=language, action=Action.DECLINE)
        now = slots.with_(**changes)
        act = Act.SET if before and "models" not in changes else Act.NEW
        return Question(message, Intent.FEASIBILITY, now, language=language, act=act, changed=now.changed_from(slots))


class FakeAdvisor:
    def advise(self, question: Question, thread: Thread, *, now: datetime, reader: Reader) -> Answer:
        size = f"{question.slots.models[0].params_b:g}B" if question.slots.models else "?"
        gpu = question.slots.gpus[0].name if question.slots.gpus else "?"
        told = f"{size} on {gpu}{' with LoRA' if question.slots.task is Task.LORA else ''}"
        private = question.action in (Action.HELP, Action.DECLINE)
        if private:
            told = "I answer questions about GPUs"
        if question.act is Act.WHY:
            told = f"because {told}" if thread.answer else "lost"
        return Answer(
            question=question,
            headline=Bilingual(f"Fits: {told}.", f"可以：{told}。"),
            language=question.language,
            action=question.action,
            main=None if private else Scenario("lora", Bilingual("x", "x"), "yes", None),
            sum=() if private or size == "1B" else (SumLine(say("reply.adjust"), 40.0, "GiB"),),
            choices=() if private else (Choice(Bilingual("Compare H100", "对比 H100"), "compare with H100"),),
            private=private,
        )


def fake_assistant() -> Assistant:
    return Assistant(FakeUnderstanding(), FakeAdvisor(), Composer())  # type: ignore[arg-type]
