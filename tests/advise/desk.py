"""A question put to one module without the parser: `put("prices", "H100 price", gpus=[card("H100", 80)])`."""

import importlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.advise.context import AdviceContext, Library
from bot.answer import Answer, Text
from bot.catalog.offers import Offers
from bot.compose import Composer
from bot.compose.terminal import render_page
from bot.folder import Folder
from bot.question import GpuSlot, Intent, ModelSlot, Money, Question, Reader, Slots, Task

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
LIBRARY = Library(Folder.knowledge())
_INTENTS = {"lookup": "spec_lookup", "prices": "price_lookup"}


def card(name: str | None, memory_gb: float | None = None, count: int | None = None, form: str | None = None) -> GpuSlot:
    return GpuSlot(name, memory_gb, count, form)


def model(name: str | None, params_b: float | None = None) -> ModelSlot:
    return ModelSlot(name, params_b)


def money(amount: float, currency: str | None = "USD", period: Any = "hour") -> Money:
    return Money(amount, currency, period)


@dataclass(frozen=True)
class Told:
    answer: Answer
    reader: Reader

    @property
    def words(self) -> str:
        """The whole reply on one line, as a person reads it."""
        page = Composer().page(self.answer, reader=self.reader)
        return " ".join(render_page(page, colour=False).split())

    @property
    def headline_values(self) -> dict[str, Any]:
        assert isinstance(self.answer.headline, Text)
        return dict(self.answer.headline.values)

    @property
    def assumed(self) -> dict[str, object]:
        return {item.slot: item.value for item in self.answer.assumptions}


def put(module: str, text: str, *, offers: Offers | None = None, currency: str = "USD", **slots: Any) -> Told:
    """The answer of `bot.advise.<module>` to slots as given. Without `offers`, the shipped prices of the day `NOW`."""
    for name in ("gpus", "models"):
        slots[name] = tuple(slots.get(name, ()))
    if "task" in slots:
        slots["task"] = Task(slots["task"])
    language = "zh" if re.search(r"[\u4e00-\u9fff]", text) else "en"
    intent = _INTENTS.get(module, module)
    question = Question(text, Intent(intent), Slots(**slots), language=language)  # type: ignore[arg-type]
    reader = Reader(currency=currency)
    context = AdviceContext(_with_offers(offers) if offers else LIBRARY, NOW, reader)
    answer = getattr(importlib.import_module(f"bot.advise.{module}"), f"answer_{intent}")(question, context)
    return Told(answer, reader)


def _with_offers(offers: Offers) -> Library:
    library = Library(Folder.knowledge())
    library._offers[library.folder.stamp("prices/*.csv")] = offers
    return library
