"""What the catalog's files must satisfy beyond their types: ids and names used once, sources given, sound figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import TypeVar

from pydantic import BaseModel

from bot.answer import Standing
from bot.catalog.limits import load_limits
from bot.catalog.offers import load_offers, load_providers, usd_per_gpu_hour
from bot.catalog.records import GpuSpec, Instance, ModelSpec, Offer
from bot.catalog.specs import load_specs, normal_key
from bot.errors import KnowledgeError
from bot.folder import Folder, Row, validate_rows

M = TypeVar("M", bound=BaseModel)

_FILE_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})")
_MOST_WATTS = 3000
_UNDATED: tuple[Standing, ...] = ("recalled", "assumed", "derived")


def check_catalog(folder: Folder) -> list[str]:
    """Every problem of GPUs, families, models, instances, providers and prices, as `file:line field: what`."""
    try:
        specs = load_specs(folder)
    except KnowledgeError as exc:
        return exc.problems
    problems = [
        *_twice(folder, "gpus.csv", "id"),
        *_twice(folder, "models.csv", "name"),
        *_names(folder),
        *_rows(folder, "gpus.csv", "id", GpuSpec, _gpu_faults),
        *_rows(folder, "models.csv", "name", ModelSpec, _model_faults),
    ]
    for load in (load_limits, load_providers, lambda where: load_offers(where, specs)):
        try:
            load(folder)
        except KnowledgeError as exc:
            problems += exc.problems
    if problems:
        return problems
    return [
        *_provider_names(folder),
        *_rows(folder, "instances.csv", None, Instance, _instance_faults),
        *_instances_twice(folder),
        *_price_faults(folder),
    ]


def _twice(folder: Folder, name: str, key: str) -> Iterator[str]:
    """Ids used twice within one file; a later layer may replace a row, a file may not repeat one."""
    seen: dict[tuple[str, str], int] = {}
    for row in folder.csv(name):
        identity = (row.file, row.values.get(key, ""))
        if not identity[1]:
            yield f"{row.file}:{row.line} {key}: is missing"
        elif identity in seen:
            yield f"{row.file}:{row.line} {key}: {identity[1]} is used in line {seen[identity]} too"
        seen[identity] = row.line


def _names(folder: Folder) -> Iterator[str]:
    """Spellings that would mean two cards, or two models."""
    families = folder.csv("gpu_families.csv", "name")
    gpus = folder.csv("gpus.csv", "id")
    default_of = {normal_key(f.values["name"]): f.values.get("default") for f in families}
    yield from _clashes(
        (row, owner, normal_key(name))
        for row, fields, owner in (
            *((row, ("name", "title", "aliases"), row.values["id"]) for row in gpus),
            *((row, ("name", "aliases"), row.values["name"]) for row in families),
        )
        for name in _spellings(row, fields)
        if not (owner in default_of.values() and normal_key(name) in default_of)
    )
    models = folder.csv("models.csv", "name")
    yield from _clashes((r, r.values["name"], normal_key(n)) for r in models for n in _spellings(r, ("name", "aliases")))


def _spellings(row: Row, fields: Iterable[str]) -> list[str]:
    return [name.strip() for field in fields for name in row.values.get(field, "").split(";") if name.strip()]


def _clashes(named: Iterable[tuple[Row, str, str]]) -> Iterator[str]:
    owners: dict[str, str] = {}
    for row, owner, key in named:
        if owners.setdefault(key, owner) != owner:
            yield f"{row.file}:{row.line} aliases: {key!r} is a name of {owners[key]} too"


def _rows(
    folder: Folder, name: str, key: str | None, model: type[M], faults: Callable[[M], Iterable[tuple[str, str]]]
) -> Iterator[str]:
    rows = folder.csv(name, key)
    try:
        records = validate_rows(rows, model, lists=("aliases",))
    except KnowledgeError as exc:
        yield from exc.problems
        return
    for row, record in zip(rows, records, strict=True):
        for field, fault in faults(record):
            yield f"{row.file}:{row.line} {field}: {fault}"


def _gpu_faults(gpu: GpuSpec) -> Iterator[tuple[str, str]]:
    yield from _source_faults(gpu.standing, gpu.source, gpu.read_on)
    if gpu.standing == "recalled" and not gpu.crosscheck:
        yield "crosscheck", "a recalled figure names what it was compared with"
    if gpu.usable_gib > gpu.memory_gb:
        yield "usable_gib", f"{gpu.usable_gib:g} is more than the {gpu.memory_gb:g} GB sold"
    if gpu.tdp_w is not None and not 0 < gpu.tdp_w <= _MOST_WATTS:
        yield "tdp_w", f"{gpu.tdp_w:g} W is no power of one card"
    if gpu.link is None and (gpu.link_domain != 1 or gpu.link_gbs):
        yield "link", "a link speed or domain without a link"
    if gpu.bf16_tflops and gpu.fp8_tflops and gpu.fp8_tflops < gpu.bf16_tflops:
        yield "fp8_tflops", f"{gpu.fp8_tflops:g} is below the {gpu.bf16_tflops:g} of bf16; rates swapped?"
    if gpu.fp32_tflops and gpu.bf16_tflops and gpu.fp32_tflops > gpu.bf16_tflops:
        yield "fp32_tflops", f"{gpu.fp32_tflops:g} is above the {gpu.bf16_tflops:g} of bf16; rates swapped?"


def _model_faults(model: ModelSpec) -> Iterator[tuple[str, str]]:
    yield from _source_faults(model.standing, model.source, model.read_on)
    if model.active_params_b and model.active_params_b >= model.params_b:
        yield "active_params_b", f"{model.active_params_b:g} is not below the {model.params_b:g} in all"
    if model.active_params_b and not model.moe_experts and model.layers:
        yield "moe_experts", "active parameters without experts"
    if model.heads and model.kv_heads and model.heads % model.kv_heads:
        yield "kv_heads", f"{model.kv_heads} does not divide {model.heads} heads"
    if model.moe_topk and model.moe_experts and model.moe_topk > model.moe_experts:
        yield "moe_topk", f"{model.moe_topk} of {model.moe_experts} experts"


def _instance_faults(instance: Instance) -> Iterator[tuple[str, str]]:
    yield from _source_faults(instance.standing, instance.source, instance.read_on)
    if instance.gpu_count < 1:
        yield "gpu_count", f"{instance.gpu_count} is no count"


def _source_faults(standing: Standing, source: str | None, read_on: date | None) -> Iterator[tuple[str, str]]:
    if not source:
        yield "source", "is missing"
    if read_on is None and standing not in _UNDATED:
        yield "read_on", f"a {standing} figure has the day on which its source was opened"
    if read_on is not None and standing == "recalled":
        yield "read_on", "a recalled figure was not read; leave it empty or change the standing"


def _provider_names(folder: Folder) -> Iterator[str]:
    owners: dict[str, str] = {}
    for provider in load_providers(folder):
        for name in (provider.id, provider.name, *provider.aliases):
            if owners.setdefault(normal_key(name), provider.id) != provider.id:
                yield f"knowledge/providers.yaml {provider.id} aliases: {name!r} is a name of {owners[normal_key(name)]} too"
        if bool(provider.note_en) != bool(provider.note_zh):
            yield f"knowledge/providers.yaml {provider.id} note: one language is missing"


def _instances_twice(folder: Folder) -> Iterator[str]:
    seen: dict[tuple[str, str], int] = {}
    for row in folder.csv("instances.csv"):
        key = (row.values["provider"], row.values["instance"])
        if key in seen:
            yield f"{row.file}:{row.line} instance: {key[1]} is in line {seen[key]} too"
        seen[key] = row.line


def _price_faults(folder: Folder) -> Iterator[str]:
    """Prices outside the range of their card, read after their file's day, or given twice for one day."""
    limits = load_limits(folder)
    for name in folder.names("prices/*.csv"):
        rows = folder.csv(name)
        day = _FILE_DATE.search(name)
        seen: set[object] = set()
        if day is None:
            yield f"knowledge/{name}: the name of a price file begins with its day, like 2026-11-09.csv"
            continue
        for row, offer in zip(rows, validate_rows(rows, Offer), strict=True):
            outside = limits.outside(offer.gpu, usd_per_gpu_hour(offer), offer.billing)
            if outside:
                yield f"{row.file}:{row.line} price_per_gpu_hour: {offer.price_per_gpu_hour} is {outside}"
            if offer.read_on > date.fromisoformat(day[1]):
                yield f"{row.file}:{row.line} read_on: {offer.read_on} is after the day of the file"
            if (offer.key, offer.read_on) in seen:
                yield f"{row.file}:{row.line} provider: this offer has a price for {offer.read_on} already"
            seen.add((offer.key, offer.read_on))
