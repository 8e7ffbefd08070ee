"""A bound that costs nothing: where the weights alone are more than the cards, a search need not lay anything out.

Of a full training with AdamW the moments are counted too.
"""

from __future__ import annotations

from bot.catalog.records import GIB
from bot.estimator.architecture import with_usual_shape
from bot.estimator.cards import usable_gib
from bot.estimator.data import EstimatorData
from bot.estimator.workload import ServingWorkload, TrainingWorkload

_SURELY = 0.8  # of the weights, below the low end of every band
_QUANTISED = ("qlora", "q_galore")
_FULL = ("pretrain", "full_finetune")
# Bytes of a parameter in training: quantised to 4 bit; in 16 bit; with two moments in 16 bit.
_FOUR_BIT, _WEIGHT, _WITH_MOMENTS = 0.5, 2.0, 6.0


def is_outweighed(workload: ServingWorkload | TrainingWorkload, n_gpus: int, data: EstimatorData) -> bool:
    """Whether an even share of the weights is over the card, so that the verdict is `no` in every layout.

    Llama-3-70B for LoRA: 0.8 x 2 x 70e9 bytes are 104 GiB at least, so 4 cards of 24 GB are outweighed and 8 are not.
    """
    usable = usable_gib(workload.hardware)
    return usable is not None and _least_bytes(workload, data) > usable * GIB * n_gpus


def _least_bytes(workload: ServingWorkload | TrainingWorkload, data: EstimatorData) -> float:
    if isinstance(workload, ServingWorkload):
        return _SURELY * _served_bytes(workload, data)
    return _SURELY * workload.model.params_b * 1e9 * _trained_bytes(workload)


def _trained_bytes(workload: TrainingWorkload) -> float:
    if workload.offload:
        return 0.0
    if workload.quant is not None or workload.method in _QUANTISED:
        return _FOUR_BIT
    return _WITH_MOMENTS if workload.method in _FULL and workload.optimizer in (None, "adamw") else _WEIGHT


def _served_bytes(workload: ServingWorkload, data: EstimatorData) -> float:
    from bot.estimator.formats import native_format, weight_bytes  # here, so that training does not load what serving needs

    model = with_usual_shape(workload.model)
    weights = weight_bytes(model, workload.weights_format or native_format(model), data)
    return weights.attention + weights.mlp + weights.experts
