"""What an engine does by default, of the version named: `knowledge/engines.yaml` as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from bot.estimator.data import EstimatorData

_NUMBERS = re.compile(r"\d+(?:\.\d+)*")
_YEAR_MONTH = re.compile(r"(20\d\d)(?:-(\d\d))?")

_BUILD = re.compile(r"build (\d{3,6})")  # of llama.cpp

Cache = Literal["paged", "static", "eager"]


@dataclass(frozen=True, slots=True)
class Engine:
    """Settings that an estimate needs. `known` False: an engine without data, so the bands are wider."""

    name: str
    title: str
    known: bool
    utilisation: float | None
    of_free: bool
    static: bool
    cache: Cache
    split: Literal["tensor", "layers"]
    block: int
    batched_tokens: int | None  # None: as many as max_model_len
    small_card_tokens: int | None
    chunk_above: int | None
    chunk: int | None
    latent: bool
    windowed: bool
    flash: bool  # fused attention without being asked for
    max_seqs: int
    loads: tuple[str, ...] | None
    needs: tuple[tuple[str, float], ...]  # formats whose kernels want a compute capability, with it
    kv_follows_weights: bool
    burst: bool
    checks_context: bool
    repeats_heads: bool
    half_sums: bool
    host_embedding: bool
    serves: bool  # a server with its own runtime, not a script's process
    source: str | None

    def loads_format(self, name: str) -> bool:
        return self.loads is None or name in self.loads or (name.startswith("gguf_") and "gguf" in self.loads)

    def needed_for(self, name: str) -> float | None:
        """Compute capability that this engine's kernels for a format want. AWQ in vLLM: 7.5, so not V100 (7.0)."""
        return dict(self.needs).get(name)


@lru_cache(maxsize=512)
def engine_of(name: str, version: str | None, data: EstimatorData) -> Engine:
    """The engine's row over the defaults, at `version` (newest where the version cannot be read)."""
    table = data.engines
    own: Mapping[str, Any] = table.get("engines", {}).get(name) or {}
    row: dict[str, Any] = {**table.get("default", {}), **own}
    version = next((since for mark, since in row.get("marks", {}).items() if version and mark in version), version)
    released: Mapping[str, str] = {**table.get("released", {}), **_builds(table)}
    steps = row.get("batched_tokens") or [{}]
    step = next((s for s in steps if _reached(version, s.get("since"), released)), steps[-1])
    chunked = row.get("chunk_above") is not None and step.get("tokens") is None
    return Engine(
        name=name,
        title=row.get("title", name),
        known=bool(own),
        utilisation=row.get("utilisation"),
        of_free=bool(row.get("of_free")),
        static=bool(row.get("static")),
        cache=row.get("cache", "paged"),
        split=row.get("split", "tensor"),
        block=row.get("block", 16),
        batched_tokens=step.get("tokens"),
        small_card_tokens=step.get("small_card_tokens"),
        chunk_above=row.get("chunk_above") if chunked else None,
        chunk=row.get("chunk") if chunked else None,
        latent=_reached(version, row.get("latent_since"), released),
        flash=_reached(version, row.get("flash_since"), released),
        windowed=_reached(version, row.get("window_since"), released),
        max_seqs=row.get("max_seqs", 256),
        loads=tuple(row["loads"]) if row.get("loads") else None,
        needs=tuple((row.get("needs") or {}).items()),
        kv_follows_weights=bool(row.get("kv_follows_weights")),
        burst=bool(row.get("burst")),
        repeats_heads=bool(row.get("repeats_heads")),
        half_sums=bool(row.get("half_sums")),
        host_embedding=bool(row.get("host_embedding")),
        serves=bool(row.get("serves", True)),
        checks_context=bool(row.get("checks_context")),
        source=row.get("source"),
    )


def is_before(version: str | None, until: str, data: EstimatorData) -> bool:
    """Whether a version is known to be older than `until`."""
    released = {**data.engines.get("released", {}), **_builds(data.engines)}
    return version is not None and not _reached(version, until, released)


def _reached(version: str | None, since: str | bool | None, released: Mapping[str, str]) -> bool:
    """Whether `version` is `since` or newer. A version that is a date is compared with the month of the release."""
    if since is None or isinstance(since, bool):
        return since is not False
    if version is None:
        return True
    dated = _YEAR_MONTH.search(version)
    if dated:
        month = f"{dated.group(1)}-{dated.group(2) or '06'}"
        return month >= (since if _YEAR_MONTH.match(since) else released.get(since, "9999"))
    build = _BUILD.search(version)
    if build:
        return int(build.group(1)) >= int(released.get(f"build {since}", 0))
    if _YEAR_MONTH.match(since):
        return True
    numbers = _NUMBERS.match(version.strip())
    return numbers is None or _parts(numbers.group()) >= _parts(since)


def _builds(table: Mapping[str, Any]) -> dict[str, str]:
    return {f"build {month}": str(number) for month, number in table.get("builds", {}).items()}


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
