"""Message -> Question: normalise, scan names, tag numbers, bind, choose the intent, apply the thread."""

from bot.understand.understanding import Understanding, load_understanding

__all__ = ["Understanding", "load_understanding"]
