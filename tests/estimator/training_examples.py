"""Workloads in a line, and the facts they are estimated from."""

from __future__ import annotations

from functools import lru_cache

from bot.catalog.records import ModelSpec
from bot.catalog.specs import Specs, load_specs
from bot.estimator import EstimatorData, Hardware, Parallelism, TrainingWorkload, load_estimator_data
from bot.folder import Folder

A100 = "A100-80G-SXM"
FSDP = {"fsdp": "full_shard"}


@lru_cache(maxsize=1)
def specs() -> Specs:
    return load_specs(Folder.knowledge())


@lru_cache(maxsize=1)
def data() -> EstimatorData:
    return load_estimator_data(Folder.knowledge())


def training(
    model: str | float, gpu: str | None = A100, n: int | None = 1, layout: dict | None = None, **keys
) -> TrainingWorkload:
    """`training("Llama-3.1-8B", method="lora")`; a number is a dense model of that size in 1e9."""
    known = specs().model(model) if isinstance(model, str) else dense(model)
    hardware = Hardware(gpu=specs().gpu(gpu) if gpu else None, n_gpus=n)
    return TrainingWorkload(model=known, hardware=hardware, parallelism=Parallelism(**(layout or {})), **keys)


def dense(params_b: float) -> ModelSpec:
    return ModelSpec(name=f"{params_b:g}B", family="any", params_b=params_b, shape_known=False)
