"""What is remembered, as values: the storage takes and returns these, never its table classes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

from bot.question import Language, Question


@dataclass(frozen=True, slots=True)
class Workspace:
    """Whose data it is. Every query is scoped by it; an organisation-wide install has an enterprise and no team."""

    team_id: str
    enterprise_id: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answered message: what its thread knew before and knows since, never the text of either message.

    `thread_ts` is "" for the open conversation of a direct message; `asked_ts` is None where nobody's message was
    answered (a slash command, a button).
    """

    channel: str
    reply_ts: str
    thread_ts: str
    asker: str
    at: datetime
    asked_ts: str | None = None
    question: Question | None = None
    before: Question | None = None


@dataclass(frozen=True, slots=True)
class Subscription:
    """A digest that a channel asked for: each day, or on `weekday` (0 is Monday), at a time of day in a zone."""

    workspace: Workspace
    channel: str
    topic: str  # prices
    at: time
    timezone: str  # Asia/Shanghai
    weekday: int | None = None
    language: Language = "en"
    created_by: str = ""
    created_at: datetime | None = None
    id: int | None = None  # given by the database


@dataclass(frozen=True, slots=True)
class Post:
    """The intention to post a digest, and the message it became. Without `ts` the post may or may not have gone out."""

    id: str  # digest:{subscription}:{local date}
    workspace: Workspace
    channel: str
    subscription_id: int
    snapshot: date  # the price snapshot that it tells of
    intended_at: datetime
    ts: str | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """A reader's mark under an answer."""

    channel: str
    reply_ts: str
    user: str
    helpful: bool
    at: datetime
