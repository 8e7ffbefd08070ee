"""A bound that costs nothing: where the weights alone are more than the cards, a search need not lay anything out."""

from __future__ import annotations

from bot.catalog.records import GIB
from bot.estimator.architecture import with_usual_shape
from bot.estimator.cards import usable_gib
from bot.estimator.data import EstimatorData
from bot.estimator.workload import ServingWorkload, TrainingWorkload

_SURELY = 0.8  # of the weights, below the low end of every band
_QUANTISED = ("qlora", "q_galore")
_LEAST_BYTES = {True: 0.4, False: 1.6}  # of a weight in training, quantised and in 16 bit, as surely


def is_outweighed(workload: ServingWorkload | TrainingWorkload, n_gpus: int, data: EstimatorData) -> bool:
    """Whether an even share of the weights is over the card, so that the verdict is `no` in every layout.

    Llama-3-70B for LoRA: 1.6 x 70e9 bytes are 104 GiB at least, so 4 cards of 24 GB are outweighed and 8 are not.
    """
    usable = usable_gib(workload.hardware)
    return usable is not None and _least_bytes(workload, data) > usable * GIB * n_gpus


def _least_bytes(workload: ServingWorkload | TrainingWorkload, data: EstimatorData) -> float:
    if isinstance(workload, TrainingWorkload):
        if workload.offload:
            return 0.0
        is_quantised = workload.quant is not None or workload.method in _QUANTISED
        return workload.model.params_b * 1e9 * _LEAST_BYTES[is_quantised]
    return _SURELY * _served_bytes(workload, data)


def _served_bytes(workload: ServingWorkload, data: EstimatorData) -> float:
    from bot.estimator.formats import native_format, weight_bytes  # here, so that training does not load what serving needs

    model = with_usual_shape(workload.model)
    weights = weight_bytes(model, workload.weights_format or native_format(model), data)
    return weights.attention + weights.mlp + weights.experts
