"""Tables as strings: cells in the reader's words, and the monospace drawing for clients without native tables."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from bot.answer import Band, Bilingual, Cell, Table, Text
from bot.compose.locale import Number, band, best, compact, figure, one_decimal, params, plain, said, span
from bot.compose.texts import Words

# Units whose figures line up at the right; the column head names the unit where the cell does not.
_FIGURES = frozenset(
    {"gib", "gib_band", "count", "figure", "band", "span", "sum", "compact", "safe_length", "tokens_per_s", "percent", "usd"}
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table in words. `right` tells which columns hold figures, `whole` which are never broken over lines."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    whole: tuple[bool, ...] = ()
    caption: str | None = None


def grid_of(table: Table, words: Words) -> Grid:
    columns = range(len(table.columns))
    right = tuple(all(row[i].unit in _FIGURES or row[i].value is None for row in table.rows) for i in columns)
    dates = tuple(all(row[i].unit == "date" or isinstance(row[i].value, date) for row in table.rows) for i in columns)
    return Grid(
        heads=tuple(words.say(head) for head in table.columns),
        rows=tuple(tuple(cell_words(cell, words) for cell in row) for row in table.rows),
        right=right,
        whole=tuple(figures or day for figures, day in zip(right, dates, strict=True)),
        caption=words.say(table.caption) if table.caption else None,
    )


def cell_words(cell: Cell, words: Words) -> str:
    """The cell's value by its unit. Memory and rates carry no unit: the head says it."""
    value = cell.value
    if value is None:
        return "–"
    if isinstance(value, Text | Bilingual):
        return words.say(value)
    if cell.unit == "verdict":
        return words.locale.verdict(str(value))
    if not isinstance(value, int | float | Decimal | Band):
        return words.locale.date(value) if cell.unit == "date" else said(value, 120)  # type: ignore[arg-type]
    return _figure(value, cell.unit, words)


def _figure(value: Number, unit: str, words: Words) -> str:
    if unit in ("gib", "gib_band", "band", "tokens_per_s"):
        return band(value)
    simple = {"figure": figure, "span": span, "sum": one_decimal, "compact": compact, "params": params}
    if unit in simple:
        return simple[unit](value)
    if unit == "count":
        return f"{best(value):,.0f}"
    named = words.locale.filters().get(unit)
    return named(value) if named else plain(value)


def width(text: str) -> int:
    """Columns that a terminal gives to `text`: Chinese characters take two."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def monospace(grid: Grid) -> str:
    """The table with columns padded to one width, heads underlined; for a code block."""
    widths = [max(width(row[i]) for row in (grid.heads, *grid.rows)) for i in range(len(grid.heads))]
    lines = [_line(grid.heads, widths, grid.right), "  ".join("─" * w for w in widths)]
    lines += [_line(row, widths, grid.right) for row in grid.rows]
    return "\n".join(line.rstrip() for line in lines)


def _line(cells: tuple[str, ...], widths: list[int], right: tuple[bool, ...]) -> str:
    padded = (
        " " * (w - width(cell)) + cell if at_right else cell + " " * (w - width(cell))
        for cell, w, at_right in zip(cells, widths, right, strict=True)
    )
    return "  ".join(padded)
