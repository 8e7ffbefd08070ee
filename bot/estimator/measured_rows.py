"""What reading published runs has in common, for training and serving: each row made, each unusable row named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from bot.catalog.records import ModelSpec
from bot.catalog.specs import Specs
from bot.errors import KnowledgeError
from bot.folder import Row

T = TypeVar("T")


def made_of_rows(rows: Iterable[Row], make: Callable[[dict[str, Any]], T]) -> tuple[T, ...]:
    """`make` of every row's values. Raises KnowledgeError naming each row that cannot be used, by file and line."""
    made, problems = [], []
    for row in rows:
        try:
            made.append(make(row.values))
        except (KeyError, ValueError) as exc:
            problems.append(f"{row.file}:{row.line} {row.values.get('id')}: {exc}")
    if problems:
        raise KnowledgeError(problems)
    return tuple(made)


def model_of_row(values: dict[str, Any], specs: Specs) -> ModelSpec:
    """The catalog's model of the cell `model`, with the keys of `shape` ("layers=40;hidden=6144") over it."""
    name = values["model"]
    known = specs.find_model(name)
    own = dict(pair.split("=", 1) for pair in values.get("shape", "").split(";") if pair)
    if known is not None and not own:
        return known
    base: dict[str, Any] = known.model_dump() if known else {"family": name}
    shaped = bool(own.get("layers") or base.get("layers"))
    return ModelSpec.model_validate({**base, **own, "name": name, "shape_known": shaped})
