"""Answer -> Reply: words, blocks and terminal output in the reader's language, from `templates/`."""

from bot.compose.composer import Composer
from bot.compose.reply import BlockProfile, Reply

__all__ = ["BlockProfile", "Composer", "Reply"]
