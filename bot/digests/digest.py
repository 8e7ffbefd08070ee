"""A digest as data, and who makes it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from bot.answer import Answer
from bot.storage import Subscription


@dataclass(frozen=True, slots=True)
class Digest:
    """What there is to tell, and the snapshot that it brings the channel up to."""

    snapshot: date
    answer: Answer


class DigestWriter(Protocol):
    def __call__(self, subscription: Subscription, *, now: datetime) -> Digest | None:
        """The digest for a subscription; None when nothing changed."""
