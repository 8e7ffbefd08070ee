"""Routes a question to the module of its intent and adds what every answer carries."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime

from bot.advise.capability import answer_capability
from bot.advise.context import AdviceContext, Library
from bot.advise.corrections import corrections
from bot.advise.faq import faq_instead, or_entry
from bot.advise.follow_up import with_changes
from bot.advise.glossary import answer_term
from bot.advise.help import answer_ack, answer_decline, answer_help, answer_problems, ask_back
from bot.advise.open_question import answer_open
from bot.advise.provenance import sources_behind
from bot.advise.set_ups import with_set_up
from bot.advise.sold import with_sold_memory
from bot.advise.topics import answer_topic
from bot.answer import Answer
from bot.question import Act, Action, Intent, Problem, Question, Reader, Thread

_SPEED = re.compile(r"tok|t/s|tps|mfu", re.IGNORECASE)
Module = Callable[[Question, AdviceContext], Answer]

# Courtesies and refusals carry no caveats.
_SUBSTANCE = frozenset({Action.ANSWER, Action.CLARIFY})

# The module of each intent is imported when it is first asked for, so that one answer loads one module.
_MODULES = {
    Intent.FEASIBILITY: "feasibility",
    Intent.SIZING: "sizing",
    Intent.RECOMMEND: "recommend",
    Intent.COMPARE: "compare",
    Intent.COST: "cost",
    Intent.TIME: "time",
    Intent.THROUGHPUT: "throughput",
    Intent.PRICE_LOOKUP: "prices",
    Intent.SPEC_LOOKUP: "lookup",
    Intent.CATALOG_SEARCH: "catalog_search",
    Intent.FAQ: "faq",
    Intent.DIGEST: "digest",
    Intent.DIAGNOSE_OOM: "diagnose",
}
# Where one figure of an estimate may be all that is asked for: how many users, how long a context.
_FIGURED = frozenset({Intent.FEASIBILITY, Intent.SIZING, Intent.THROUGHPUT})
_FUNCTIONS = {
    Intent.PRICE_LOOKUP: "answer_price_lookup",
    Intent.SPEC_LOOKUP: "answer_spec_lookup",
    Intent.DIAGNOSE_OOM: "answer_diagnose_oom",
}


class Advisor:
    """Holds the library; every question gets its own context."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def advise(self, question: Question, thread: Thread, *, now: datetime, reader: Reader) -> Answer:
        context = AdviceContext(self.library, now, reader, thread)
        question = with_sold_memory(with_set_up(question, context), context)
        answer = _own_subject(question, context) or or_entry(_routed(question, context), context)
        return _completed(answer, context)


def _own_subject(question: Question, context: AdviceContext) -> Answer | None:
    """A term that is asked for, or a sum around the cards (load times, energy, own or rent), whatever the intent."""
    if question.act == Act.WHY or any(problem.code != "missing" for problem in question.problems):
        return None
    return _claimed(question, context) or answer_term(question, context) or answer_topic(question, context)


def _claimed(question: Question, context: AdviceContext) -> Answer | None:
    """A speed that the message states, where there is one."""
    if not any(char.isdigit() for char in question.text) or not _SPEED.search(question.text):
        return None
    answer: Answer | None = _function("speed_claims", "answer_claimed_speed")(question, context)
    return answer


def _routed(question: Question, context: AdviceContext) -> Answer:
    """Problems first, then what a card can do, courtesies, and the module of the intent."""
    wrong = answer_problems(question)
    if wrong is not None:
        return wrong
    if question.act == Act.WHY:
        return _function("explain", "answer_why")(question, context)
    able = answer_capability(question, context)
    if able is not None:
        return able
    if question.action == Action.HELP:
        return answer_help(question)
    if question.action == Action.ACK:
        return answer_ack(question)
    if question.action == Action.DECLINE or (question.intent, question.action) == (Intent.OUT_OF_SCOPE, Action.ANSWER):
        return faq_instead(question, context) or answer_decline(question)
    missing = [problem.slot for problem in question.problems if problem.code == "missing" and not _told(problem, question)]
    if missing:
        return answer_open(question, missing[0], context) or ask_back(question, missing[0])
    module = _module(question.intent)
    if module is None:
        return ask_back(question, "task")
    figure: Answer | None = None
    if question.intent in _FIGURED:
        figure = _function("asked_figure", "answer_figure")(question, context)
    return figure or module(question, context)


def _told(problem: Problem, question: Question) -> bool:
    """What is wanted of a lone card (`H800`) follows from the model that the thread is about."""
    return problem.slot == "metric" and bool(question.slots.models)


def answer_as(question: Question, context: AdviceContext) -> Answer | None:
    """What the module of the question's intent says, without what every answer carries; modules may build on it."""
    module = _module(question.intent)
    return module(question, context) if module else None


def _module(intent: Intent) -> Module | None:
    name = _MODULES.get(intent)
    return _function(name, _FUNCTIONS.get(intent, f"answer_{intent.value}")) if name else None


def _function(module: str, name: str) -> Module:
    function: Module = getattr(importlib.import_module(f"bot.advise.{module}"), name)
    return function


def _completed(answer: Answer, context: AdviceContext) -> Answer:
    """Adds what every answer carries: corrections, caveats, near FAQ entries, what a follow-up kept, the catalog's date."""
    question = answer.question
    before = context.thread.question
    if answer.action in _SUBSTANCE and question.act != Act.WHY:
        settled = context.faq.entry(answer.faq_id).claims if answer.faq_id else ()
        answer = replace(
            with_changes(answer, before),
            corrections=answer.corrections or corrections(question, context, settled=settled),
            catalog_date=_catalog_date(context),
        )
        fired = context.rules.fire(question, answer, now=context.now, settled=settled)
        answer = replace(answer, caveats=(*answer.caveats, *fired), sources=sources_behind(answer, context))
        answer = _led_by_correction(answer)
    if not answer.faq_candidates and question.text:
        answer = replace(answer, faq_candidates=context.faq.search(question.text, question))
    return answer


def _led_by_correction(answer: Answer) -> Answer:
    """Where a looked-up answer meets a wrong figure in the message, the correction is the conclusion."""
    if not answer.corrections or answer.answered_from not in ("catalog", "faq"):
        return answer
    first, *rest = answer.corrections
    return replace(answer, headline=first, corrections=tuple(rest), body=(answer.headline, *answer.body))


def _catalog_date(context: AdviceContext) -> date | None:
    """The day of the newest price snapshot."""
    return max(context.offers.snapshots, default=None)
