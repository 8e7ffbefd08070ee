"""Workloads and estimates as JSON: the keys of `suanli estimate`, nothing computed here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from pydantic import ValidationError

from bot.answer import Band
from bot.catalog.records import GpuSpec, ModelSpec
from bot.catalog.specs import Specs
from bot.errors import InvalidWorkload, UnknownName
from bot.estimator import (
    EstimatorData,
    Hardware,
    Parallelism,
    ServingEstimate,
    ServingWorkload,
    TrainingEstimate,
    TrainingWorkload,
    estimate_serving,
    estimate_training,
    longest_training_seq,
)

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*b(?![a-z])", re.IGNORECASE)


def estimate_item(item: Mapping[str, Any], specs: Specs, data: EstimatorData) -> dict[str, Any]:
    """One line of `estimate --jsonl`. Raises UnknownName, InvalidWorkload, UnsupportedWorkload."""
    kind = item.get("kind")
    if kind == "training":
        workload = training_workload(item, specs)
        estimate = estimate_training(workload, data)
        longest = longest_training_seq(workload, data) if estimate.fits else None
        return training_json(replace(estimate, max_seq_len=longest))
    if kind == "serving":
        return serving_json(estimate_serving(serving_workload(item, specs), data))
    raise InvalidWorkload("kind", kind, "training or serving")


def training_workload(item: Mapping[str, Any], specs: Specs) -> TrainingWorkload:
    values = {key: value for key, value in item.items() if key in _TRAINING_KEYS and value is not None}
    layout = {k: v for k, v in (values.pop("parallelism", None) or {}).items() if k in _LAYOUT_KEYS}
    _as_tuples(values, "offload", "checkpointing_detail", "lora_targets")
    return TrainingWorkload(
        model=_model(item.get("model"), specs),
        hardware=_hardware(item, specs),
        parallelism=Parallelism(**layout),
        **values,
    )


def serving_workload(item: Mapping[str, Any], specs: Specs) -> ServingWorkload:
    values = {key: value for key, value in item.items() if key in _SERVING_KEYS and value is not None}
    return ServingWorkload(model=_model(item.get("model"), specs), hardware=_hardware(item, specs), **values)


def training_json(estimate: TrainingEstimate) -> dict[str, Any]:
    return _public(estimate)


def serving_json(estimate: ServingEstimate) -> dict[str, Any]:
    answer = _public(estimate)
    answer["decode_tokens_per_s"] = {
        "per_request": answer.pop("decode_tokens_per_s_per_request", None),
        "total": answer.pop("decode_tokens_per_s_total", None),
    }
    return answer


_TRAINING_KEYS = {f.name for f in fields(TrainingWorkload)} - {"model", "hardware"}
_SERVING_KEYS = {f.name for f in fields(ServingWorkload)} - {"model", "hardware"}
_LAYOUT_KEYS = {f.name for f in fields(Parallelism)}


def _as_tuples(values: dict[str, Any], *names: str) -> None:
    for name in names:
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])


def _model(given: Any, specs: Specs) -> ModelSpec:
    """A catalogue name, or an object whose keys win over the catalogue; else the size from the name."""
    if isinstance(given, str):
        known = specs.find_model(given)
        if known is not None:
            return known
        size = _SIZE.search(given)
        if size is None:
            raise UnknownName("model", given)
        return ModelSpec(name=given, family=given, params_b=float(size.group(1)), shape_known=False)
    if not isinstance(given, Mapping) or not given.get("name"):
        raise InvalidWorkload("model", given, "a name, or an object with at least a name")
    name = str(given["name"])
    known = specs.find_model(name)
    base: dict[str, Any] = known.model_dump() if known else {"family": name}
    own = {k: v for k, v in given.items() if k in ModelSpec.model_fields and v is not None}
    merged = {**base, **own, "name": name}
    if not merged.get("params_b"):
        size = _SIZE.search(name)
        merged["params_b"] = float(size.group(1)) if size else None
    merged.setdefault("shape_known", bool(merged.get("layers") and merged.get("hidden")))
    try:
        return ModelSpec.model_validate(merged)
    except ValidationError as exc:
        first = exc.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidWorkload(f"model.{field}", first["input"], first["msg"]) from exc


def _hardware(item: Mapping[str, Any], specs: Specs) -> Hardware:
    name = item.get("gpu")
    gpu: GpuSpec | None = specs.gpu(name) if name else None
    for key in ("gpu_memory_gb", "gpu_power_w", "n_gpus", "internode_gbps"):
        value = item.get(key)
        if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or value <= 0):
            raise InvalidWorkload(key, value, "a number above 0")
    return Hardware(
        gpu=gpu,
        memory_gb=item.get("gpu_memory_gb"),
        power_w=item.get("gpu_power_w"),
        n_gpus=item.get("n_gpus"),
        nvlink=item.get("nvlink"),
        internode_gbps=item.get("internode_gbps"),
    )


def _public(estimate: TrainingEstimate | ServingEstimate) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for f in fields(estimate):
        value = getattr(estimate, f.name)
        if value is None or f.name in ("sum", "basis"):
            continue
        if f.name == "assumptions":
            out[f.name] = [{"slot": a.slot, "value": a.value, "why": a.why} for a in value]
        elif isinstance(value, Band):
            out[f.name] = band_json(value)
        elif isinstance(value, Mapping):
            out[f.name] = {key: round(number, 4) for key, number in value.items()}
        elif isinstance(value, tuple):
            out[f.name] = list(value)
        else:
            out[f.name] = value
    return out


def band_json(band: Band) -> dict[str, float]:
    """Six significant figures: enough for any reader, and equal on every machine."""
    return {"low": _figures(band.low), "best": _figures(band.best), "high": _figures(band.high)}


def _figures(value: float) -> float:
    return float(f"{value:.6g}")
