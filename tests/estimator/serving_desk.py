"""The words of the serving tests: a workload in one line, estimated with the project's own knowledge."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bot.catalog.specs import Specs, load_specs
from bot.estimator import EstimatorData, Hardware, ServingEstimate, ServingWorkload, estimate_serving, load_estimator_data
from bot.folder import Folder


@lru_cache(maxsize=1)
def specs() -> Specs:
    return load_specs(Folder.knowledge())


@lru_cache(maxsize=1)
def data() -> EstimatorData:
    return load_estimator_data(Folder.knowledge())


def workload(model: str, gpu: str | None = "A100-80G-SXM", n_gpus: int = 1, **more: Any) -> ServingWorkload:
    memory_gb = more.pop("memory_gb", None)
    card = specs().gpu(gpu) if gpu else None
    return ServingWorkload(
        model=specs().model(model), hardware=Hardware(gpu=card, memory_gb=memory_gb, n_gpus=n_gpus), **more
    )


def serve(model: str, gpu: str | None = "A100-80G-SXM", n_gpus: int = 1, **more: Any) -> ServingEstimate:
    return estimate_serving(workload(model, gpu, n_gpus, **more), data())
