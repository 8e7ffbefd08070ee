"""From internal text to Slack text: the one place that escapes, and the one place that makes links.

Internal text carries light marks (`*bold*`, `_italic_`, backticks) that templates write; words of users pass `said`,
which strips such marks. A link is written with `link`, whose brackets survive the escaping.
"""

from __future__ import annotations

import re

_OPEN, _BAR, _CLOSE = "\ue000", "\ue001", "\ue002"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LINKS = str.maketrans({_OPEN: "<", _BAR: "|", _CLOSE: ">"})
_PRIVATE = re.compile("[\ue000-\ue002]")
_LINK = re.compile(f"{_OPEN}([^{_BAR}]*){_BAR}([^{_CLOSE}]*){_CLOSE}")
_MARKS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])|(?<![\w_])_(?=\S)([^_\n]+)(?<=\S)_(?![\w_])|`([^`\n]+)`")


def link(title: str, url: str | None) -> str:
    """A titled link; the title alone where there is no web address."""
    if not url or not url.startswith(("https://", "http://")):
        return title
    address = _PRIVATE.sub("", url).replace("|", "%7C").replace(" ", "%20")
    return f"{_OPEN}{address}{_BAR}{_PRIVATE.sub('', title)}{_CLOSE}"


def slack_text(text: str) -> str:
    """Internal text as Slack's mrkdwn: `&`, `<`, `>` escaped, links made."""
    return text.translate(_ESCAPES).translate(_LINKS)


def bare_text(text: str) -> str:
    """Internal text without any marks, for notifications, headlines and table cells; links become their titles."""
    without_links = _LINK.sub(lambda found: found.group(2), text)
    return _MARKS.sub(lambda found: found.group(1) or found.group(2) or found.group(3), without_links)


def cell_text(text: str) -> str:
    """A native table cell shows its characters raw, so the three that Slack reserves are replaced, not escaped."""
    return bare_text(text).replace("<", "‹").replace(">", "›").replace("&", "+")


def terminal_links(text: str) -> str:
    """Links as `title <url>` for a terminal."""
    return _LINK.sub(lambda found: f"{found.group(2)} {found.group(1)}", text)


_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_HEADING = re.compile(r"^#{1,6}\s+(.+)$", re.MULTILINE)
_BULLET = re.compile(r"^(\s*)[-*]\s+", re.MULTILINE)
_MD_LINK = re.compile(r"\[([^\]\n]+)\]\((https?://[^)\s]+)\)")


def from_markdown(prose: str) -> str:
    """Prose of the knowledge base (Markdown) as internal text."""
    text = _BULLET.sub(r"\1• ", prose)
    text = _MD_LINK.sub(lambda found: link(found.group(1), found.group(2)), text)
    text = _BOLD.sub(r"*\1*", text)
    return _HEADING.sub(r"*\1*", text)
