"""Question -> Answer: one module an intent. Knows the estimator, the catalog, the FAQ and the rules; no words, no Slack."""

from bot.advise.advisor import Advisor

__all__ = ["Advisor"]
