"""Courtesies, refusals and questions back: what is said when there is nothing to estimate."""

from __future__ import annotations

from bot.advise.setup import gpu_label
from bot.answer import Answer, Choice, Say, say
from bot.question import Action, Intent, Problem, Question

_EXAMPLES = ("fit", "serve", "price", "compare")
# What helps to fill the slot that is missing: likely messages, as buttons.
_LIKELY = {
    "models": ("model_7b", "model_70b", "model_r1"),
    "gpus": ("card_a100", "card_h100", "card_4090"),
    "task": ("task_serve", "task_lora", "task_full"),
    "recommend": ("task_serve", "task_lora", "task_full"),
    "oom": ("example_oom", "example_fit"),
    "compare": ("task_compare", "example_fit"),
}


def answer_help(question: Question) -> Answer:
    """What the bot does, with examples that can be pressed."""
    return Answer(
        question=question,
        headline=say("help.headline"),
        language=question.language,
        action=Action.HELP,
        answered_from="help",
        body=(say("help.can"), say("help.follow_up"), say("help.commands")),
        choices=_choices(tuple(f"example_{name}" for name in _EXAMPLES)),
        private=True,
    )


def answer_ack(question: Question) -> Answer:
    return Answer(question, say("help.ack"), question.language, action=Action.ACK, answered_from="help")


def answer_decline(question: Question) -> Answer:
    """Not for us: what is, and something to try."""
    return Answer(
        question=question,
        headline=say("help.decline"),
        language=question.language,
        action=Action.DECLINE,
        answered_from="help",
        choices=_choices(("example_fit", "example_price")),
        private=True,
    )


def ask_back(question: Question, slot: str) -> Answer:
    """One question back, with buttons for the likely answers."""
    key = f"help.ask_{slot}" if slot in _LIKELY else "help.ask_other"
    named = question.slots.gpus[0].name if question.slots.gpus else None
    cards = gpu_label(named) if named else None
    return Answer(
        question=question,
        headline=say(key, gpu=cards),
        language=question.language,
        action=Action.CLARIFY,
        answered_from="help",
        body=(say("help.copy_example"),),
        choices=_choices(_LIKELY.get(slot, ("example_fit", "example_serve"))),
    )


def answer_problems(question: Question) -> Answer | None:
    """The answer to a question that cannot be used as it stands; None where an answer is possible all the same."""
    sized = question.config is not None or any(slot.params_b for slot in question.slots.models)
    blocking = [p for p in question.problems if p.code in _BLOCKING and not (p.code == "unknown_model" and sized)]
    if not blocking:
        return None
    invalid = [problem for problem in blocking if problem.code in ("impossible_quantity", "never_sold")]
    lines = tuple(_problem_said(problem) for problem in blocking)
    rejected = question.action == Action.REJECT_INVALID or bool(invalid)
    asks_fit = question.intent == Intent.FEASIBILITY
    return Answer(
        question=question,
        headline=say("problem.all", items=lines),
        language=question.language,
        verdict="no" if asks_fit and any(p.code == "never_sold" for p in invalid) else None,
        action=Action.REJECT_INVALID if rejected else Action.CLARIFY,
        answered_from="help",
        body=tuple(say("problem.near", items=p.near) for p in blocking if p.near) or (say("help.copy_example"),),
        choices=_choices(("example_fit", "example_serve")),
    )


_BLOCKING = frozenset(
    {"impossible_quantity", "unknown_gpu", "unknown_model", "never_sold", "unknown_timezone", "too_long", "other_language"}
)


def _problem_said(problem: Problem) -> Say:
    return say(f"problem.{problem.code}", said=problem.said, slot=problem.slot, near=problem.near)


def _choices(names: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(Choice(say(f"choice.{name}"), say(f"choice.{name}_message")) for name in names)
