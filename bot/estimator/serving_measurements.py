"""Published measurements of served models: read, compared with estimates, and the nearest one found for an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from bot.answer import Band, Measured, Source
from bot.catalog.specs import Specs
from bot.estimator.estimate import ServingEstimate
from bot.estimator.measured_rows import made_of_rows, model_of_row
from bot.estimator.workload import Hardware, ServingWorkload
from bot.folder import Folder

_FILE = "measurements/serving.csv"
_WHOLE = ("tp", "pp", "layer_split", "max_model_len", "input_len", "output_len", "max_num_seqs")


@dataclass(frozen=True, slots=True)
class ServingMeasurement:
    """One figure of one run. `quantity` is a key of the serving answer or one of those named in the file's header."""

    id: str
    workload: ServingWorkload
    quantity: str
    value: float
    unit: str
    source: Source

    @property
    def group(self) -> str:
        """Runs that share their faults: one source, model and card."""
        gpu = self.workload.hardware.gpu
        return f"{self.source.url}|{self.workload.model.name}|{gpu.name if gpu else self.workload.hardware.memory_gb}"


def load_serving_measurements(folder: Folder, specs: Specs) -> tuple[ServingMeasurement, ...]:
    """Every row of `measurements/serving.csv`. Raises KnowledgeError naming each row that cannot be used."""
    return made_of_rows(folder.csv(_FILE, "id"), lambda values: _measurement(values, specs))


def estimated(estimate: ServingEstimate, measurement: ServingMeasurement) -> Band | None:
    """What the estimate says about the measured quantity, as a band in its unit; None where it says nothing."""
    quantity, load = measurement.quantity, measurement.workload
    if quantity in ("weights_gib_per_gpu", "file_size_gib", "kv_bytes_per_token"):
        exact = getattr(estimate, quantity)
        return None if exact is None else Band.exact(exact)
    output, prompt = load.output_len or 1, load.input_len or 0
    if quantity in ("request_tokens_per_s", "request_all_tokens_per_s"):
        tokens = output + (prompt if quantity == "request_all_tokens_per_s" else 0)
        return _inverse(_request_s(estimate, output), tokens)
    if quantity == "batch_s":
        return _request_s(estimate, output)
    if quantity == "fits":
        return None
    renamed = {
        "decode_tokens_per_s": "decode_tokens_per_s_per_request",
        "decode_tokens_per_s_total": "decode_tokens_per_s_total",
    }
    band: Band | None = getattr(estimate, renamed.get(quantity, quantity))
    return band


def nearest_serving(workload: ServingWorkload, measurements: Iterable[ServingMeasurement]) -> Measured | None:
    """The most alike published run of the same model (or one within a third of its size), speeds first; None if none is."""
    telling = (m for m in measurements if m.quantity in _TELLING)
    best = min(((_distance(workload, m), m) for m in telling), key=lambda pair: pair[0], default=None)
    if best is None or best[0] > _TOO_FAR:
        return None
    found = best[1]
    return Measured(_described(found), found.value, found.unit, found.source)


_USUAL_ENGINE = "vllm"  # what is compared with where the question names no engine
_TOO_FAR = 4.0
_TELLING = {
    "decode_tokens_per_s": 0.0,
    "request_tokens_per_s": 0.0,
    "throughput_tokens_per_s": 0.3,
    "ttft_ms": 0.6,
    "memory_gib_total": 0.8,
}


def _distance(workload: ServingWorkload, measurement: ServingMeasurement) -> float:
    """0 for the same run; a doubling of size, count, length or load counts 1, another card, format or engine 1 to 2."""
    other = measurement.workload
    gpu, theirs = workload.hardware.gpu, other.hardware.gpu
    distance = _TELLING[measurement.quantity]
    if workload.model.name != other.model.name:
        distance += 1 + 2 * _doublings(workload.model.params_b, other.model.params_b)
        distance += 1.5 if workload.model.is_moe != other.model.is_moe else 0
    if gpu is None or theirs is None:
        distance += 2
    elif gpu.id != theirs.id:
        distance += 0.3 if gpu.name.split("-")[0] == theirs.name.split("-")[0] else 2
    distance += 1.5 * ((workload.weights_format or "bf16") != (other.weights_format or "bf16"))
    distance += _doublings(workload.hardware.n_gpus or 1, other.hardware.n_gpus or 1)
    if other.engine and (workload.engine or _USUAL_ENGINE) != other.engine:
        distance += 1
    if isinstance(workload.concurrency, int) and isinstance(other.concurrency, int):
        distance += 0.5 * _doublings(workload.concurrency, other.concurrency)
    return distance


def _doublings(one: float, other: float) -> float:
    return abs(math.log2(one / other))


def _card(hardware: Hardware) -> str:
    if hardware.gpu is not None:
        return hardware.gpu.name
    return f"{hardware.memory_gb:g} GB" if hardware.memory_gb else "one card"


def _described(measurement: ServingMeasurement) -> str:
    """`Qwen2-72B bf16, 2 x A100-80G-SXM, vllm 0.4.2, 1 in / 2048 out, 1 request: request_tokens_per_s`."""
    load = measurement.workload
    parts = [
        f"{load.model.name} {load.weights_format or ''}".strip(),
        f"{load.hardware.n_gpus or 1} × {_card(load.hardware)}",
        f"{load.engine or ''} {load.engine_version or ''}".strip(),
    ]
    if load.input_len is not None or load.output_len is not None:
        parts.append(f"{load.input_len or 0} + {load.output_len or 0} tokens")
    if load.concurrency:
        parts.append(f"× {load.concurrency}")
    return ", ".join(part for part in parts if part)


def _request_s(estimate: ServingEstimate, output: int) -> Band | None:
    first, each = estimate.ttft_ms, estimate.tpot_ms
    if first is None or each is None:
        return None
    more = output - 1
    return Band(*((f + more * t) / 1000 for f, t in zip(_ends(first), _ends(each), strict=True)))


def _ends(band: Band) -> tuple[float, float, float]:
    return band.low, band.best, band.high


def _inverse(band: Band | None, count: float) -> Band | None:
    return None if band is None else Band(count / band.high, count / band.best, count / band.low)


def _measurement(values: dict[str, Any], specs: Specs) -> ServingMeasurement:
    def number(key: str) -> float | None:
        return float(values[key]) if key in values else None

    def whole(key: str) -> int | None:
        return int(float(values[key])) if key in values else None

    concurrency = values.get("concurrency")
    counts: dict[str, Any] = {key: whole(key) for key in _WHOLE}
    gpu = specs.find_gpu(values["gpu"]) if "gpu" in values else None
    if "gpu" in values and gpu is None:
        raise ValueError(f"gpu: {values['gpu']!r} is not in gpus.csv")
    workload = ServingWorkload(
        model=model_of_row(values, specs),
        hardware=Hardware(gpu=gpu, memory_gb=number("gpu_memory_gb"), n_gpus=whole("n_gpus")),
        weights_format=values.get("weights_format"),
        kv_dtype=values.get("kv_dtype"),
        engine=values.get("engine"),
        engine_version=values.get("engine_version"),
        concurrency="max" if concurrency == "max" else whole("concurrency"),
        gpu_memory_utilization=number("gpu_memory_utilization"),
        enforce_eager=True if values.get("enforce_eager") == "true" else None,
        **counts,
    )
    source = Source(values["source_kind"], values["source"], date.fromisoformat(values["read_on"]), "measured")
    return ServingMeasurement(values["id"], workload, values["quantity"], float(values["value"]), values["unit"], source)
