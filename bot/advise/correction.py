"""A figure or statement of the message, put right: what is said, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from bot.answer import Source, Text


@dataclass(frozen=True, slots=True)
class Correction:
    """`kind` names the check. `sources` are keys of sources.yaml, `records` are sources of catalog rows or offers."""

    kind: str
    text: Text
    claims: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    records: tuple[Source, ...] = ()
