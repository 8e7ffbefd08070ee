"""A page as Block Kit. The limits of Slack are kept by construction, whatever the page holds.

`rich` draws native tables and feedback buttons; `plain` uses monospace tables and ordinary buttons only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bot.compose.escape import bare_text, cell_text, slack_text
from bot.compose.page import Button, Page
from bot.compose.reply import BlockProfile
from bot.compose.tables import Grid, monospace, width
from bot.documents import read_yaml
from bot.question import Language

Block = Mapping[str, Any]

# Limits of Block Kit (docs.slack.dev/reference/block-kit); escaped text grows, so the clipped lengths stay below them.
_BLOCKS, _SECTION, _NOTE = 50, 2900, 1900
_TABLE_ROWS, _TABLE_COLUMNS, _CELL = 100, 20, 500
_BUTTONS, _BUTTON_TEXT, _BUTTON_VALUE = 5, 75, 2000
_NO_BREAK = "\u00a0"
_FEEDBACK = {
    "en": ("👍", "Helpful", "👎", "Not right"),
    "zh": ("👍", "有帮助", "👎", "有问题"),
}


def blocks_of(
    page: Page, profile: BlockProfile, *, layout: tuple[tuple[str, str], ...], language: Language
) -> tuple[Block, ...]:
    made: list[Block] = []
    for name, style in layout:
        made += _part(page, name, style, profile)
    if page.buttons:
        made += _feedback(profile, language)
    return tuple(made[:_BLOCKS])


def _part(page: Page, name: str, style: str, profile: BlockProfile) -> Iterable[Block]:
    if name == "headline":
        return [_section(f"*{page.headline.strip('*')}*")] if page.headline else []
    if style == "table":
        return _table(page.table, profile) if page.table else []
    if style == "buttons":
        return [_actions(page.buttons)] if page.buttons else []
    lines = page.parts.get(name, ())
    if style == "note":
        return [_note(text) for text in _chunks(lines, _NOTE)]
    return [_section(text) for text in _chunks(lines, _SECTION)]


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": _clip(slack_text(text), 3000)}}


def _note(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": _clip(slack_text(text), 2000)}]}


def _chunks(lines: Iterable[str], limit: int) -> Iterator[str]:
    """Lines joined into texts of at most `limit` characters once escaped; a single longer line is cut."""
    held: list[str] = []
    size = 0
    for line in lines:
        piece = line if len(slack_text(line)) <= limit else line[: limit // 5] + "…"
        grown = len(slack_text(piece)) + 1
        if held and size + grown > limit:
            yield "\n".join(held)
            held, size = [], 0
        held.append(piece)
        size += grown
    if held:
        yield "\n".join(held)


def _table(grid: Grid, profile: BlockProfile) -> list[Block]:
    if profile == "plain":
        return _monospace_sections(grid)
    columns = min(len(grid.heads), _TABLE_COLUMNS)
    rows = [grid.heads, *grid.rows][:_TABLE_ROWS]
    table: Block = {
        "type": "table",
        "column_settings": [_column(*ends) for ends in zip(grid.right, grid.whole, strict=True)][:columns],
        "rows": [[_cell(text) for text in row[:columns]] for row in rows],
    }
    return [*([_note(grid.caption)] if grid.caption else []), table]


def _column(right: bool, whole: bool) -> Block:
    """Figures stand at the right and, like dates, are never broken; words wrap."""
    return {"align": "right" if right else "left", "is_wrapped": not whole}


def _cell(text: str) -> Block:
    return {"type": "raw_text", "text": _clip(cell_text(text), _CELL) or "–"}


def _monospace_sections(grid: Grid) -> list[Block]:
    """The drawn table, cut between rows where a section would grow too long.

    Each line is code of its own, its spaces unbreakable: simple clients know no fenced blocks and run spaces together.
    """
    made: list[Block] = [_note(grid.caption)] if grid.caption else []
    lines = [bare_text(line).replace("`", "") for line in monospace(grid).splitlines()]
    longest = max(width(line) for line in lines)
    padded = (line + " " * (longest - width(line)) for line in lines)
    return made + [_section(part) for part in _chunks((f"`{line.replace(' ', _NO_BREAK)}`" for line in padded), _SECTION)]


def _actions(buttons: tuple[Button, ...]) -> Block:
    elements = [
        {
            "type": "button",
            "action_id": button.action,
            "text": {"type": "plain_text", "text": _clip(bare_text(button.label), _BUTTON_TEXT), "emoji": True},
            **({"value": _clip(button.message, _BUTTON_VALUE)} if button.message else {}),
        }
        for button in buttons[:_BUTTONS]
    ]
    return {"type": "actions", "block_id": "answer_actions", "elements": elements}


def _feedback(profile: BlockProfile, language: Language) -> list[Block]:
    good, good_label, bad, bad_label = _FEEDBACK[language]
    if profile == "plain":
        return []  # such clients draw no feedback element; ordinary buttons would crowd the row
    return [
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "action_id": "feedback",
                    "positive_button": _thumb(good, good_label, "good"),
                    "negative_button": _thumb(bad, bad_label, "bad"),
                }
            ],
        }
    ]


def _thumb(text: str, label: str, value: str) -> Block:
    return {"text": {"type": "plain_text", "text": text}, "accessibility_label": label, "value": value}


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


@lru_cache(maxsize=8)
def layout_in(folder: Path) -> tuple[tuple[str, str], ...]:
    """(part, style) in the order of `templates/reply/layout.yaml`."""
    document = read_yaml(folder / "layout.yaml", "templates/reply/layout.yaml")
    return tuple((part["name"], part["style"]) for part in document["parts"])
