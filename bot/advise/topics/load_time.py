"""How long do weights take to load? Size x 8 over the rate, for the rate said and for the usual ones."""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Table, say
from bot.estimator.infrastructure import transfer_s

_BYTES = {"fp32": 4.0, "fp8": 1.0, "int8": 1.0, "int4": 0.52, "nf4": 0.52, "fp4": 0.56}
_RATES_GBPS = (2.0, 10.0, 25.0, 100.0)
_COLUMNS = (say("topics.col_rate"), say("topics.col_time"))


def answer(inputs: Inputs) -> Answer | None:
    size_gb = _size_gb(inputs)
    if size_gb is None:
        return None
    gbps = inputs.value("network_gbps")
    rates = sorted({*_RATES_GBPS, gbps})
    rows = tuple((Cell(say("topics.rate", gbps=r)), Cell(transfer_s(size_gb, r) / 3600, "hours")) for r in rates)
    headline = say("topics.load_time", gb=size_gb, gbps=gbps, hours=transfer_s(size_gb, gbps) / 3600)
    return inputs.answer(
        headline,
        body=(say("topics.load_advice"),),
        table=Table(_COLUMNS, rows),
        assumptions=inputs.assume("network_gbps"),
        sources=inputs.sources("network_gbps", claims=("C002-38", "C002-54")),
    )


def _size_gb(inputs: Inputs) -> float | None:
    """The size said, else the weights of the model in the precision said (16 bit otherwise)."""
    stated = next((gb for gb, _ in inputs.reading.sizes_gb), None)
    if stated is not None:
        return stated
    params_b = inputs.params_b
    return params_b * _BYTES.get(inputs.question.slots.precision or "", 2.0) if params_b else None
