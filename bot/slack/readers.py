"""Who reads: language and time zone of a Slack user, asked once an hour."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.question import Language, Reader

logger = logging.getLogger(__name__)

_KEPT = timedelta(hours=1)
_MOST = 5000


@dataclass
class Readers:
    """The readers met lately. A user whose profile cannot be read is read to in English and UTC."""

    _known: OrderedDict[tuple[str, str], tuple[datetime, Reader]] = field(default_factory=OrderedDict)

    async def find(self, client: AsyncWebClient, team_id: str, user: str, *, now: datetime) -> Reader:
        key = (team_id, user)
        at, reader = self._known.get(key, (None, Reader()))
        if at is not None and now - at < _KEPT:
            return reader
        reader = await _ask(client, user)
        self._known[key] = (now, reader)
        self._known.move_to_end(key)
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return reader


async def _ask(client: AsyncWebClient, user: str) -> Reader:
    try:
        answer = await client.users_info(user=user, include_locale=True)
    except SlackApiError as exc:
        logger.warning("profile not read error=%s", exc.response.get("error"))
        return Reader()
    profile = answer.get("user") or {}
    return Reader(language=_language(profile.get("locale")), timezone=_zone(profile.get("tz")))


def _language(locale: str | None) -> Language | None:
    """`zh-CN` -> zh, `de-DE` -> en; unknown -> None, so that the question decides."""
    if not locale:
        return None
    return "zh" if locale.lower().startswith("zh") else "en"


def _zone(name: str | None) -> str:
    try:
        return str(ZoneInfo(name)) if name else "UTC"
    except (ZoneInfoNotFoundError, ValueError):
        return "UTC"
