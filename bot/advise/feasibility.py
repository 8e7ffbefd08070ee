"""Does it fit? One reading for a question that says the method, a table of three for "fine-tune" alone."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.fit import Group, fit_answer, groups_of
from bot.advise.help import ask_back
from bot.advise.ladder import savings_of, way_out
from bot.advise.phrases import cards_said, counts_said, is_over, safe_said
from bot.advise.readings import Reading, host_limit_gib
from bot.advise.refusals import refusal_of
from bot.advise.setup import Cards, cards_in, subjects_in
from bot.answer import Answer, Say, Text, say
from bot.estimator import TrainingEstimate
from bot.question import Question


def answer_feasibility(question: Question, context: AdviceContext) -> Answer:
    subjects, cards = subjects_in(question, context), cards_in(question, context)
    if not subjects:
        return _without_size(question, cards, context)
    if question.slots.qps and cards:
        from bot.advise.throughput import answer_throughput

        return answer_throughput(question, context)
    if not cards:
        from bot.advise.sizing import answer_sizing

        return answer_sizing(question, context)
    groups = groups_of(question, subjects, cards, context)
    if all(reading.task == "inference" for group in groups for reading in group.readings):
        from bot.advise.serving import serving_answer

        return serving_answer(question, groups, context)
    return fit_answer(question, groups, headline_of(groups, context), context)


def _without_size(question: Question, cards: tuple[Cards, ...], context: AdviceContext) -> Answer:
    """A family and cards: the largest of the family that they hold. No model: what can be said all the same."""
    if cards and question.slots.models:
        if not _has_family(question, context):
            asked_back = ask_back(question, "models")
            return replace(asked_back, headline=say("feasibility.unknown_family", name=question.slots.models[0].name))
        from bot.advise.largest import answer_largest

        return answer_largest(question, context)
    from bot.advise.open_question import answer_open

    return answer_open(question, "models", context) or ask_back(question, "models")


def _has_family(question: Question, context: AdviceContext) -> bool:
    """The catalog has models of the name; images and speech are made by models that it lacks."""
    named = tuple(slot.name.casefold() for slot in question.slots.models if slot.name)
    return not named or any(model.name.casefold().startswith(named) for model in context.specs.models)


def headline_of(groups: list[Group], context: AdviceContext) -> Say:
    """The conclusion: for one reading its verdict, for several each in a few words, the best first."""
    first = groups[0]
    if len(groups) > 1:
        return say("feasibility.several", items=tuple(_in_short(group, groups) for group in groups))
    if len(first.readings) > 1:
        return _open_headline(first, context)
    return verdict_headline(first.main, context)


def verdict_headline(main: Reading, context: AdviceContext) -> Text:
    over = main.verdict == "tight" and is_over(main)
    step = way_out(savings_of(main, context)) if main.verdict == "no" or over else None
    common = {
        "model": main.subject.label,
        "method": main.label,
        "cards": cards_said(main.n_gpus, main.cards),
        "n": main.n_gpus,
        "memory": main.memory,
        "usable": main.usable_gib,
        "counts": counts_said(main.counts),
        "safe": safe_said(main.counts) if main.counts.n_sure else None,
        "longest": main.longest,
        "least": main.counts.n_least,
        "step": step.change if step else None,
        "left": step.left_gib if step else None,
    }
    if main.refused is not None:
        return say("feasibility.refused", why=refusal_of(main), **common)
    if main.estimate is None or main.verdict is None:
        return say("feasibility.unknown", **common)
    if main.verdict == "tight" and main.estimate.fits == "yes":
        return say("feasibility.tight_host", host=_host_gib(main), **common)
    if main.verdict == "no" and main.estimate.fits != "no":
        most = host_limit_gib(main.cards, main.n_gpus, context)
        return say(
            "feasibility.no_host", host=_host_gib(main), most=most, told=main.cards.host_ram_gib is not None, **common
        )
    if over:
        return say("feasibility.tight_over", **common)
    return say(f"feasibility.{main.verdict}", **common)


def _host_gib(reading: Reading) -> float | None:
    return reading.estimate.host_ram_gib if isinstance(reading.estimate, TrainingEstimate) else None


def _open_headline(group: Group, context: AdviceContext) -> Text:
    """Yes with the method that fits; what the others need."""
    main = group.main
    others = tuple(_also(reading) for reading in group.readings if reading is not main)
    if main.verdict in ("yes", "tight"):
        return say(
            f"feasibility.open_{main.verdict}",
            method=main.label,
            cards=cards_said(main.n_gpus, main.cards),
            n=main.n_gpus,
            memory=main.memory,
            usable=main.usable_gib,
            rest=others,
        )
    everything = tuple(_also(reading, too=False) for reading in group.readings)
    trained = next((reading for reading in group.readings if reading.task != "inference"), main)
    fitting = any(reading.verdict in ("yes", "tight") for reading in group.readings)
    step = way_out(savings_of(trained, context)) if main.cards.count and not fitting else None
    if step is not None:
        return say(
            "feasibility.open_only",
            step=step.change,
            method=trained.label,
            cards=cards_said(trained.n_gpus, trained.cards),
            n=trained.n_gpus,
            memory=trained.memory,
            left=step.left_gib,
            usable=trained.usable_gib,
            rest=everything,
        )
    return say(
        "feasibility.open_no",
        only=fitting,
        serving=main.task == "inference",
        method=main.label,
        cards=cards_said(main.n_gpus, main.cards),
        rest=everything,
    )


def _also(reading: Reading, *, too: bool = True) -> Text:
    """Another method in a few words: its memory where it fits as well, else the count that it needs."""
    if reading.verdict in ("yes", "tight"):
        return say(f"feasibility.also_{reading.verdict}", method=reading.label, memory=reading.memory, too=too)
    if reading.refused is not None:
        return say("feasibility.also_refused", method=reading.label, why=refusal_of(reading))
    if reading.counts.n_least is None:
        return say("feasibility.also_none", method=reading.label)
    return say("feasibility.also_no", method=reading.label, counts=counts_said(reading.counts))


def _in_short(group: Group, groups: list[Group]) -> Text:
    reading = group.main
    several_models = len({other.subject.label for other in groups}) > 1
    several_cards = len({(other.cards.label, other.main.n_gpus) for other in groups}) > 1
    return say(
        "feasibility.short",
        model=reading.subject.label if several_models else None,
        cards=cards_said(reading.n_gpus, reading.cards) if several_cards else None,
        method=reading.label,
        verdict=reading.verdict,
        memory=reading.memory,
        counts=counts_said(reading.counts) if reading.verdict == "no" else None,
    )
