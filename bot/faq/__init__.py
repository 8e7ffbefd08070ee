"""Questions that teams ask again and again, with checked answers in both languages, and the search over them."""

from bot.faq.entries import FaqEntry, load_entries, unknown_claims
from bot.faq.search import LIKELY, SURE, FaqIndex, Hit, load_faq

__all__ = ["LIKELY", "SURE", "FaqEntry", "FaqIndex", "Hit", "load_entries", "load_faq", "unknown_claims"]
