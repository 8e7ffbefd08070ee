"""The question that a turn of a thread asks: another one than before, or None where it only changes values."""

from __future__ import annotations

from bot.question import Intent, Question
from bot.understand.intents import IntentChoice
from bot.understand.patterns import Patterns
from bot.understand.reading import Reading


class TurnIntent:
    """Decides by the flags of the turn, in order of how much they say, and by what the thread is about."""

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns

    def asked(self, reading: Reading, choice: IntentChoice, before: Question) -> Intent | None:
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
        if (reading.slots.unit_price or reading.slots.budget) and not self.patterns["asks"].search(low):
            return None
        if reading.slots.unit_price:
            return Intent.COST
        if self.patterns["how_many_then"].search(low) or ("many_card" in flags and "metric_spec" not in flags):
            return Intent.SIZING
        if "oom" in flags:
            return Intent.DIAGNOSE_OOM
        if "energy_word" in flags:
            return Intent.COST
        if "time_cue" in flags and "speed_cue" not in flags:
            return Intent.TIME
        if {"speed_cue", "qps"} & flags and not self._only_users(reading):
            return Intent.THROUGHPUT
        if self._prices_of_each(reading, before):
            return Intent.PRICE_LOOKUP
        if "price_cue" in flags or "money_cue" in flags:
            return self._money(reading, before, running)
        if running and self.patterns["how_much_money"].search(low):
            return Intent.COST
        long = reading.slots.duration_h is not None and reading.slots.duration_h >= 24
        if before.intent is Intent.PRICE_LOOKUP and (long or self.patterns["per_period"].search(low)):
            return Intent.COST
        if self.patterns["if_rented"].search(low) and running:
            return Intent.COST
        if (
            "versus_strong" in flags
            and ("gpus2" in flags or self.patterns["compares"].search(low))
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
            and self.patterns["asks"].search(low)
            and not reading.slots.models
            and (running or before.intent in (Intent.PRICE_LOOKUP, Intent.CATALOG_SEARCH))
        ):
            return Intent.SPEC_LOOKUP if before.intent not in (Intent.FAQ,) else None
        if "fits_which" in flags:
            return Intent.FEASIBILITY
        if "choice" in flags and before.intent is not Intent.COMPARE:
            return Intent.RECOMMEND
        if before.intent is not Intent.FEASIBILITY and self.patterns["feasible"].search(low):
            return Intent.FEASIBILITY if (running or reading.slots.models) else None
        if "list_cue" in flags and not running:
            return Intent.CATALOG_SEARCH
        return None

    def _only_users(self, reading: Reading) -> bool:
        """`and 32 users`, `并发 50` set a value; `how many users` asks for one."""
        own = reading.slots
        return (
            own.concurrency is not None
            and "how_many" not in reading.flags
            and not self.patterns["speed_words"].search(reading.low)
        )

    def _prices_of_each(self, reading: Reading, before: Question) -> bool:
        """`how much per hour each?` after a comparison: what the cards cost, not what the job does."""
        money = {"price_cue", "money_cue", "asks_price"} & reading.flags or self.patterns["how_much_money"].search(
            reading.low
        )
        period = self._for_a_period(reading)
        several = len(before.slots.gpus) > 1 and not reading.slots.duration_h
        return bool(several and money and not period and self.patterns["price_of_each"].search(reading.low))

    def _money(self, reading: Reading, before: Question, running: bool) -> Intent:
        own = reading.slots
        stated_only = (own.unit_price or own.budget) and not self.patterns["asks"].search(reading.low)
        if stated_only:
            return before.intent
        if before.intent in (Intent.PRICE_LOOKUP, Intent.COST, Intent.CATALOG_SEARCH) and not (
            own.duration_h and before.intent is Intent.PRICE_LOOKUP
        ):
            return before.intent
        if "price_cue" in reading.flags and (own.instance or own.gpus) and self.patterns["price_word"].search(reading.low):
            return Intent.PRICE_LOOKUP
        if self.patterns["price_by_the_hour"].search(reading.low) and not own.duration_h:
            return Intent.PRICE_LOOKUP
        return Intent.COST if running or own.duration_h or self._for_a_period(reading) else Intent.PRICE_LOOKUP

    def _for_a_period(self, reading: Reading) -> bool:
        """`per month`, `一个月多少钱`: what it costs to keep, not what an hour does."""
        return any(
            self.patterns[name].search(reading.low) for name in ("per_period", "per_month", "per_year", "asked_month")
        )
