"""Where the figures of a computed answer come from: the rows of the model and the cards, and what the sum is fitted on."""

from __future__ import annotations

from bot.advise.context import AdviceContext
from bot.advise.rules import corrected_claims
from bot.answer import Answer, Source
from bot.faq.claims import load_claims

_FITTED = "measurements"  # key of sources.yaml: the published runs that the estimator's constants are fitted on


def sources_behind(answer: Answer, context: AdviceContext) -> tuple[Source, ...]:
    """The answer's own sources, or for an estimate without any the rows that it was computed from; then its corrections'."""
    claims = load_claims(context.folder)
    own = answer.sources or _computed_from(answer, context)
    return tuple(dict.fromkeys((*own, *claims.sources_of(*sorted(corrected_claims(answer))))))


def _computed_from(answer: Answer, context: AdviceContext) -> tuple[Source, ...]:
    if answer.answered_from not in ("estimator", "catalog"):
        return ()
    slots, specs = answer.question.slots, context.specs
    gpus = (specs.find_gpu(slot.name) for slot in slots.gpus if slot.name)
    models = (specs.find_model(slot.name) for slot in slots.models if slot.name)
    found = [Source(model.name, model.source, model.read_on, model.standing) for model in models if model is not None]
    found += [gpu.as_source() for gpu in gpus if gpu is not None]
    if answer.main is not None and answer.main.estimate is not None:
        found.append(load_claims(context.folder).sources[_FITTED].as_source())
    return tuple(found)
