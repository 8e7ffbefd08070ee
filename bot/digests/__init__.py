"""Digests: what a channel subscribed to, when it is due, what it says, and the one time that it is posted."""

from bot.digests.schedule import due_time, last_due, next_due
from bot.digests.subscriptions import TOPIC, Wish, parse_wish, read_verb
from bot.digests.words import DigestWords, Verb, load_digest_words

__all__ = [
    "TOPIC",
    "DigestWords",
    "Verb",
    "Wish",
    "due_time",
    "last_due",
    "load_digest_words",
    "next_due",
    "parse_wish",
    "read_verb",
]
