"""Where the figures of a computed answer come from: the rows of the model and the cards, and what the sum is fitted on."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.advise.rules import corrected_claims
from bot.answer import Answer, Source
from bot.faq.claims import load_claims

_FITTED = "measurements"  # key of sources.yaml: the published runs that the estimator's constants are fitted on


def sources_behind(answer: Answer, context: AdviceContext) -> tuple[Source, ...]:
    """The answer's own sources and, for an estimate, the rows that it was computed from; then those of its corrections."""
    claims = load_claims(context.folder)
    estimated = answer.answered_from == "estimator" or (answer.answered_from == "catalog" and not answer.sources)
    computed = _computed_from(answer, context) if estimated else ()
    return tuple(dict.fromkeys((*answer.sources, *computed, *claims.sources_of(*sorted(corrected_claims(answer))))))


def _computed_from(answer: Answer, context: AdviceContext) -> tuple[Source, ...]:
    """The cards and models that are named or assumed, and what the estimator's constants are fitted on."""
    slots, specs = answer.question.slots, context.specs
    assumed = [(item.slot, str(item.value)) for item in answer.assumptions]
    cards = [slot.name for slot in slots.gpus if slot.name] or [v for slot, v in assumed if slot.startswith("gpus[")]
    names = [slot.name for slot in slots.models if slot.name] or [v for slot, v in assumed if slot.startswith("models[")]
    gpus = (specs.find_gpu(name) for name in cards)
    models = (specs.find_model(name) for name in names)
    found = [gpu.as_source() for gpu in gpus if gpu is not None]
    found += [Source(model.name, model.source, model.read_on, model.standing) for model in models if model is not None]
    if answer.main is not None and answer.main.estimate is not None:
        found.append(replace(load_claims(context.folder).sources[_FITTED].as_source(), kind="fitted"))
    return tuple(found)
