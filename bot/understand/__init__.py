"""Message -> Question: normalise, scan names, tag numbers, bind, choose the intent, apply the thread."""

from bot.understand.understanding import Understanding

__all__ = ["Understanding"]
