"""The folder of facts, `knowledge/`: CSV, YAML and Markdown read with their places, an own copy layered over it.

Nothing here knows what a file means; each package validates its own files and reports every problem by file, line
and field. Later layers win: a CSV row or YAML list item with the same key replaces, a Markdown file of the same name
replaces, anything else is added.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.documents import parse_yaml, read_yaml
from bot.errors import KnowledgeError
from bot.kept import kept

_PACKAGED = Path(__file__).parent / "_data"
_CHECKOUT = Path(__file__).parent.parent

M = TypeVar("M", bound=BaseModel)


@lru_cache(maxsize=1)
def data_root() -> Path:
    """Where `knowledge/` and `templates/` lie: inside an installed wheel, else the checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


@dataclass(frozen=True, slots=True)
class Row:
    """One record as read: its values and where it stands."""

    file: str  # knowledge/gpus.csv
    line: int
    values: dict[str, Any]


@dataclass(frozen=True)
class Folder:
    """Layers of one folder tree, the later ones over the earlier."""

    layers: tuple[Path, ...]

    @classmethod
    def knowledge(cls, *own: Path | None) -> Folder:
        """The packaged facts, and over them the layers that are given, the last one on top."""
        return cls((data_root() / "knowledge", *(layer for layer in own if layer)))

    def csv(self, name: str, key: str | None = None) -> list[Row]:
        """Rows of `name`; empty cells are left out. With `key`, a later layer's row replaces the one of the same key."""
        rows: dict[str, Row] = {}
        for layer, path in self._found(name):
            label = self._label(layer, path)
            for line, cells in kept(path.stem, [path], partial(_table, path)):
                identity = cells.get(key, "") if key else ""
                rows[identity or f"{path}:{line}"] = Row(label, line, cells)
        return list(rows.values())

    def yaml(self, name: str) -> Any:
        """The document `name`, mappings merged key by key over the layers; an empty mapping where there is none."""
        merged: Any = {}
        for layer, path in self._found(name):
            merged = _merge(merged, read_yaml(path, self._label(layer, path)))
        return merged

    def names(self, pattern: str) -> list[str]:
        """Relative paths that match in any layer, sorted."""
        return sorted({str(path.relative_to(layer)) for layer in self.layers for path in layer.glob(pattern)})

    def stamp(self, pattern: str) -> tuple[tuple[str, int], ...]:
        """Paths and times of the files that match: another stamp means that something was added or edited."""
        paths = sorted(path for layer in self.layers for path in layer.glob(pattern))
        return tuple((str(path), path.stat().st_mtime_ns) for path in paths)

    def markdown(self, pattern: str) -> Iterator[tuple[Row, str]]:
        """(front matter, body) of each Markdown file that matches; the last layer that has the file wins."""
        for name in self.names(pattern):
            layer, path = list(self._found(name))[-1]
            label = self._label(layer, path)
            front, body = kept(path.stem, [path], partial(_front_and_body, path, label))
            yield Row(label, 1, front), body

    def place(self, name: str, key: str) -> str:
        """`file:line` of the item `key` (an `- id: key` or a mapping key) of a YAML file, in the last layer that has it."""
        head = re.compile(
            rf"\s*(-\s*(id:\s*)?)?[\"']?{re.escape(key)}[\"']?\s*(:|$|#)|\s*-\s*\{{\s*id:\s*{re.escape(key)}\s*,"
        )
        for layer, path in reversed(list(self._found(name))):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if head.match(line):
                    return f"{self._label(layer, path)}:{number}"
        return name

    def _found(self, name: str) -> Iterator[tuple[Path, Path]]:
        return ((layer, layer / name) for layer in self.layers if (layer / name).is_file())

    def _label(self, layer: Path, path: Path) -> str:
        return f"{layer.name}/{path.relative_to(layer)}"


def _table(path: Path) -> list[tuple[int, dict[str, str]]]:
    """(line, cells that are filled) of each row."""
    with path.open(encoding="utf-8", newline="") as handle:
        # Lines that begin with '#' are the header that says what belongs in the file and in which unit.
        lines = [(number, line) for number, line in enumerate(handle, 1) if not line.startswith("#")]
    reader = csv.DictReader(line for _, line in lines)
    return [
        (
            lines[min(reader.line_num, len(lines)) - 1][0],
            {k: v.strip() for k, v in values.items() if k and isinstance(v, str) and v.strip()},
        )
        for values in reader
    ]


def _front_and_body(path: Path, label: str) -> tuple[Any, str]:
    text = path.read_text(encoding="utf-8")
    if not text.startswith("---\n") or "\n---\n" not in text:
        raise KnowledgeError([f"{label}:1: front matter between two lines of --- is missing"])
    head, body = text[4:].split("\n---\n", 1)
    return parse_yaml(head, f"{label}: front matter"), body.strip()


def validate_rows(rows: list[Row], model: type[M], *, lists: tuple[str, ...] = ()) -> list[M]:
    """Every row as a `model`; cells of `lists` are split at `;`. Raises KnowledgeError naming all wrong cells at once."""
    good: list[M] = []
    problems: list[str] = []
    for row in rows:
        values = dict(row.values)
        for name in lists:
            if isinstance(values.get(name), str):
                values[name] = tuple(part.strip() for part in values[name].split(";") if part.strip())
        try:
            good.append(model.model_validate(values))
        except ValidationError as exc:
            problems += [
                f"{row.file}:{row.line} {_where(error)}: {error['msg']} (got {error['input']!r})" for error in exc.errors()
            ]
    if problems:
        raise KnowledgeError(problems)
    return good


def validate_item(folder: Folder, name: str, key: str, values: object, model: type[M], *, problems: list[str]) -> M | None:
    """One item of a YAML file as a `model`; what is wrong with it is added to `problems`, with its place."""
    try:
        return model.model_validate(values)
    except ValidationError as exc:
        place = folder.place(name, key)
        problems += [f"{place} {_where(error) or key}: {error['msg']}" for error in exc.errors()]
        return None


def _where(error: Any) -> str:
    return ".".join(str(part) for part in error["loc"])


def _merge(under: Any, over: Any) -> Any:
    if isinstance(under, dict) and isinstance(over, dict):
        return {**under, **{k: _merge(under[k], v) if k in under else v for k, v in over.items()}}
    if isinstance(under, list) and isinstance(over, list) and all(isinstance(i, dict) and "id" in i for i in under + over):
        replaced = {item["id"]: item for item in under}
        replaced.update({item["id"]: item for item in over})
        return list(replaced.values())
    return over
