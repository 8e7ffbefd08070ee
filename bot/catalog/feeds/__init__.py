"""Readers of price feeds, one file a feed: rows as the feed has them. What of them is believed is decided in `guards`."""

from bot.catalog.feeds.detect import read_feed
from bot.catalog.feeds.rows import FeedRefused, RawOffer

__all__ = ["FeedRefused", "RawOffer", "read_feed"]
