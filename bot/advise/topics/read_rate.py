"""What must storage deliver? Text by its tokens, other data by size over time."""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, say
from bot.estimator.infrastructure import text_read_mb_s


def answer(inputs: Inputs) -> Answer | None:
    days = inputs.days
    slots = inputs.question.slots
    stated = next((gb for gb, _ in inputs.reading.sizes_gb), None)
    size_gb = slots.dataset_gb or stated
    if size_gb and days:
        rate = size_gb * 1000 * (slots.epochs or 1) / (days * 86400)
        headline = say("topics.read_by_size", gb=size_gb, days=days, epochs=slots.epochs or 1, mb_s=rate)
        return inputs.answer(headline, body=(say("topics.read_advice"),), sources=inputs.sources(claims=("C002-49",)))
    n_gpus = inputs.n_gpus
    if n_gpus is None:
        return None
    family = "A100" if inputs.gpu and inputs.gpu.name.startswith(("A100", "A800")) else "H100"
    each = inputs.value("tokens_per_s_per_gpu", of=family)
    per_token = inputs.value("bytes_per_token")
    headline = say("topics.read_text", n=n_gpus, gpu=inputs.gpu.title if inputs.gpu else family, tokens_per_s=each * n_gpus,
                   mb_s=text_read_mb_s(each * n_gpus, per_token))  # fmt: skip
    return inputs.answer(
        headline,
        body=(say("topics.read_advice"),),
        assumptions=inputs.assume("bytes_per_token", tokens_per_s_per_gpu=each),
        sources=inputs.sources("tokens_per_s_per_gpu", claims=("C002-49",)),
    )
