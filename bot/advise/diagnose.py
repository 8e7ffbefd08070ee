"""It ran out of memory: what the job needs by the sum, what the log says, and the steps that save most, in order."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.fit import fit_answer, groups_of
from bot.advise.help import ask_back
from bot.advise.ladder import savings_of
from bot.advise.oom_log import OomLog, read_oom_log
from bot.advise.phrases import cards_said, counts_said
from bot.advise.readings import Reading
from bot.advise.refusals import refusal_of
from bot.advise.setup import cards_in, subjects_in, usual_cards
from bot.answer import Answer, Cell, Saving, Say, Table, Text, say
from bot.question import Question, Task

_COLUMNS = (say("column.step"), say("column.saved"), say("column.left"), say("column.verdict"))


def answer_diagnose_oom(question: Question, context: AdviceContext) -> Answer:
    log = read_oom_log(question.text)
    subjects = subjects_in(question, context)
    if not subjects:
        asked = ask_back(question, "oom")
        return replace(asked, body=(*_log_lines(log), say("oom.general"), *asked.body))
    cards = cards_in(question, context) or (usual_cards(context),)
    groups = groups_of(_likely(question), subjects[:1], cards[:1], context)
    main = _suspect(groups[0].readings)
    group = replace(groups[0], readings=(main,), main=main)
    savings = savings_of(main, context)
    answer = fit_answer(question, [group], _headline(main, savings), context)
    lines = (*_log_lines(log), *_causes(main, log), *_counts_line(main))
    table = Table(_COLUMNS, tuple(_rung(step) for step in savings)) if savings else answer.table
    return replace(answer, body=lines, table=table, savings=savings, sources=())


def _likely(question: Question) -> Question:
    """A fine-tuning that does not say its method and runs out of memory is read as full: the others need far less."""
    full = {Task.FINETUNE: Task.FULL_FINETUNE, Task.TRAIN: Task.FULL_FINETUNE}
    task = question.slots.task
    return replace(question, slots=question.slots.with_(task=full[task])) if task in full else question


def _suspect(readings: tuple[Reading, ...]) -> Reading:
    """Of several readings the first that does not fit, for that is what happened."""
    return next((reading for reading in readings if reading.verdict != "yes"), readings[0])


def _headline(main: Reading, savings: tuple[Saving, ...]) -> Text:
    common = {
        "method": main.label,
        "model": main.subject.label,
        "cards": cards_said(main.n_gpus, main.cards),
        "n": main.n_gpus,
        "memory": main.memory,
        "usable": main.usable_gib,
    }
    if main.refused is not None:
        return say("feasibility.refused", why=refusal_of(main), **common)
    if main.estimate is None or main.verdict is None:
        return say("feasibility.unknown", **common)
    first = next((step for step in savings if step.verdict == "yes"), None)
    return say(f"oom.{main.verdict}", step=first.change if first else None, left=first.left_gib if first else None, **common)


def _log_lines(log: OomLog) -> tuple[Say, ...]:
    if not log.found:
        return ()
    items = tuple(say(f"oom.read_{name}", value=value) for name, value in log.found)
    lines: list[Say] = [say("oom.read", items=items)]
    if log.is_fragmented:
        lines.append(say("oom.fragmented", value=log.unallocated))
    if log.shared_gib:
        lines.append(say("oom.shared", value=log.shared_gib))
    return tuple(lines)


def _causes(main: Reading, log: OomLog) -> tuple[Say, ...]:
    """Where the sum says that it should fit: what is usually different from what was assumed."""
    if main.verdict != "yes" or log.is_fragmented:
        return ()
    return (say("oom.causes_serving" if main.task == "inference" else "oom.causes_training"),)


def _counts_line(main: Reading) -> tuple[Say, ...]:
    if main.verdict == "yes" or main.counts.n_least is None or main.counts.n_least <= main.n_gpus:
        return ()
    return (say("oom.counts", counts=counts_said(main.counts, main.cards.label)),)


def _rung(step: Saving) -> tuple[Cell, ...]:
    return (
        Cell(say("cell.start", text=step.change)),
        Cell(step.saved_gib, "gib"),
        Cell(step.left_gib, "gib"),
        Cell(step.verdict, "verdict"),
    )
