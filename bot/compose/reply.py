"""What is posted: blocks and the fallback text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.question import Language

BlockProfile = Literal["rich", "plain"]


@dataclass(frozen=True, slots=True)
class Reply:
    """`text` is the notification and the screen reader's text; `headline` its first sentence without markup."""

    text: str
    headline: str
    blocks: tuple[Mapping[str, Any], ...]
    language: Language
    private: bool = False  # ephemeral: help, errors, settings
