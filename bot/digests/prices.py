"""The digest of prices: the difference of the last two snapshots, read once for all channels that are due together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from bot.advise.digest import price_news
from bot.catalog.changes import Changes, last_changes
from bot.catalog.offers import Offers, load_offers
from bot.catalog.specs import Specs
from bot.digests.digest import Digest
from bot.folder import Folder
from bot.question import Intent, Question
from bot.storage import Subscription


class PriceDigests:
    """Writes digests from the price files as they are now; an import between two digests needs no restart."""

    def __init__(self, folder: Folder, specs: Specs) -> None:
        self._folder, self._specs = folder, specs
        self._news_at = lru_cache(maxsize=2)(self._read)

    def __call__(self, subscription: Subscription, *, now: datetime) -> Digest | None:
        news = self._news_at(now)
        if not news.changes:
            return None
        question = Question("", Intent.DIGEST, language=subscription.language)
        return Digest(news.changes.until, price_news(question, news.changes, news.offers, self._specs))

    def _read(self, _now: datetime) -> _News:
        offers = load_offers(self._folder, self._specs)
        return _News(offers, last_changes(offers))


@dataclass(frozen=True)
class _News:
    offers: Offers
    changes: Changes | None
