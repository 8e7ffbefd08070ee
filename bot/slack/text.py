"""Text on its way in: what a person typed, without Slack's encoding. The way out is `bot.compose.escape`."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"<([^<>\n]{1,3000})>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # the ampersand last, so that "&amp;lt;" stays "&lt;"
LONGEST = 8000  # a pasted log; what is longer is cut, and the understanding says so


def typed(text: str | None, bot_user_id: str | None = None) -> str:
    """`<@U0BOT> 8 &lt; <https://x.y|x.y>` -> `8 < x.y`. Mentions of the bot vanish, of others become `@name`."""
    if not text:
        return ""
    shown = _TOKEN.sub(lambda found: _shown(found.group(1), bot_user_id), text[:LONGEST])
    for entity, character in _ENTITIES:
        shown = shown.replace(entity, character)
    return shown.strip()


def mentions(text: str | None) -> tuple[str, ...]:
    """The user ids that a message mentions, in order."""
    return tuple(re.findall(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>", text or ""))


def _shown(token: str, bot_user_id: str | None) -> str:
    target, _, label = token.partition("|")
    if target == f"@{bot_user_id}":
        return ""
    if target[0] in "@#!":
        return label if target.startswith("!date") else target[0].replace("!", "@") + (label or target[1:])
    return label or target
