"""An answer and its reply as the JSON of `suanli ask --json` (README, "Machine-readable commands")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.answer import Alternative, Answer, Bilingual, Caveat, Cost, Say, Scenario, Source, Text
from bot.cli.workloads import band_json, serving_json, training_json
from bot.compose import Reply
from bot.estimator import ServingEstimate, TrainingEstimate
from bot.question import Action, Slots

Speak = Callable[[Say | str], str]


def answer_json(answer: Answer, reply: Reply, speak: Speak) -> dict[str, Any]:
    """Keys that do not apply are null or empty."""
    question = answer.question
    return {
        "intent": question.intent.value,
        "act": question.act.value,
        "action": _action(answer).value,
        "language": answer.language,
        "verdict": answer.verdict,
        "headline": reply.headline,
        "slots": slots_json(question.slots),
        "assumptions": [
            {"slot": item.slot, "value": _plain(item.value, speak), "why": speak(item.why)} for item in answer.assumptions
        ],
        "answered_from": answer.answered_from,
        "faq_id": answer.faq_id,
        "faq_candidates": [{"id": key, "score": round(score, 4)} for key, score in answer.faq_candidates],
        "estimate": _estimate_json(answer.main),
        "scenarios": [_scenario_json(scenario, speak) for scenario in answer.scenarios],
        "alternatives": [_alternative_json(way, speak) for way in answer.alternatives],
        "caveats": [_caveat_json(caveat, speak) for caveat in answer.caveats],
        "sources": [_source_json(source, speak) for source in answer.sources],
        "cost": _cost_json(answer.cost),
        "catalog_date": answer.catalog_date.isoformat() if answer.catalog_date else None,
        "reply": {"text": reply.text, "blocks": list(reply.blocks)},
    }


def _action(answer: Answer) -> Action:
    """An answer under a stated assumption ("Foo-13B, as a 13B of the usual shape") is a clarification too."""
    clarified = answer.question.action == Action.CLARIFY and answer.action == Action.ANSWER
    return Action.CLARIFY if clarified else answer.action


def slots_json(slots: Slots) -> dict[str, Any]:
    from bot.cli.questions import slots_json as of_question

    return of_question(slots)


def _estimate_json(scenario: Scenario | None) -> dict[str, Any] | None:
    """The object of `estimate --jsonl`, with the counts that only a question has."""
    if scenario is None or scenario.estimate is None:
        return None
    estimate = scenario.estimate
    made = training_json(estimate) if isinstance(estimate, TrainingEstimate) else serving_json(estimate)
    assert isinstance(estimate, TrainingEstimate | ServingEstimate)
    made["fits"] = scenario.verdict
    counts = {"n_gpus": scenario.n_gpus, "min_gpus": scenario.min_gpus, "min_gpus_yes": scenario.min_gpus_yes}
    longest = scenario.max_seq_len if scenario.max_seq_len is not None else estimate.max_seq_len
    return {**made, **counts, "max_seq_len": longest}


def _scenario_json(scenario: Scenario, speak: Speak) -> dict[str, Any]:
    return {
        "task": scenario.task,
        "label": speak(scenario.label),
        "verdict": scenario.verdict,
        "estimate": _estimate_json(scenario),
    }


def _alternative_json(way: Alternative, speak: Speak) -> dict[str, Any]:
    return {
        "label": speak(way.label),
        "gpu": way.gpu,
        "n_gpus": way.n_gpus,
        "method": way.method,
        "verdict": way.verdict,
        "memory_gib_per_gpu": band_json(way.memory_gib_per_gpu),
        "cost": _cost_json(way.cost),
    }


def _caveat_json(caveat: Caveat, speak: Speak) -> dict[str, Any]:
    return {"rule": caveat.rule, "text": speak(caveat.text), "claims": list(caveat.claims)}


def _source_json(source: Source, speak: Speak) -> dict[str, Any]:
    read_on = source.read_on.isoformat() if source.read_on else None
    return {"title": speak(source.name), "url": source.url, "read_on": read_on}


def _cost_json(cost: Cost | None) -> dict[str, Any] | None:
    if cost is None:
        return None
    return {
        "amount": band_json(cost.amount),
        "currency": cost.currency,
        "price_per_gpu_hour": cost.price_per_gpu_hour,
        "provider": cost.provider,
        "billing": cost.billing,
        "region": cost.region,
        "read_on": cost.read_on.isoformat() if cost.read_on else None,
        "source": cost.source.url if cost.source else None,
    }


def _plain(value: object, speak: Speak) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(item, speak) for item in value]
    return speak(value) if isinstance(value, Text | Bilingual) else str(value)
