"""A page for the terminal: the same words, drawn with plain characters and, where there is a screen, bold and grey."""

from __future__ import annotations

import re
import sys
import textwrap

from bot.compose.escape import bare_text, terminal_links
from bot.compose.page import Button, Page
from bot.compose.tables import monospace

_BOLD, _DIM, _END = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_NOTES = ("assumed", "mind", "measured", "sources")
_WIDE = re.compile(r"[⺀-鿿　-〿＀-￯]")


def render_page(page: Page, *, width: int = 100, colour: bool | None = None) -> str:
    """Headline, corrections, table, body, then the small print; buttons become "Next:" with the words to type."""
    colour = sys.stdout.isatty() if colour is None else colour
    bold, dim, end = (_BOLD, _DIM, _END) if colour else ("", "", "")
    lines = [f"{bold}{_wrapped(page.headline, width)}{end}"]
    lines += [_wrapped(line, width) for line in page.parts.get("corrections", ())]
    if page.table:
        lines += ["", *([page.table.caption] if page.table.caption else []), monospace(page.table)]
    body = page.parts.get("body", ())
    lines += ["", *(_wrapped(line, width) for line in body)] if body else []
    notes = [line for name in _NOTES for line in page.parts.get(name, ())]
    lines += ["", *(f"{dim}{_wrapped(line, width)}{end}" for line in notes)] if notes else []
    asked = [_asked(button) for button in page.buttons if button.message]
    lines += ["", f"{dim}→ {'  ·  '.join(asked)}{end}"] if asked else []
    return "\n".join(lines)


def _asked(button: Button) -> str:
    """What to type, after the words of its button where they are others."""
    return f"{button.label}: {button.message}" if button.label != button.message else button.label


def _wrapped(text: str, width: int) -> str:
    """Marks taken off, links written out, long Latin lines folded; Chinese is left to the terminal, which folds it well."""
    if text.startswith("```"):
        return textwrap.indent(text.strip("`\n"), "    ")
    plain = bare_text(terminal_links(text))
    if _WIDE.search(plain):
        return plain
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in plain.splitlines()
    )
