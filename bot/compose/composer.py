"""The one place that turns an answer into a reply."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bot.answer import Answer
from bot.compose.blocks import blocks_of, layout_in
from bot.compose.escape import bare_text, slack_text
from bot.compose.locale import Locale
from bot.compose.page import Page, page_of, sum_page
from bot.compose.recipes import recipe_page
from bot.compose.reply import BlockProfile, Reply
from bot.compose.texts import Words, texts_in
from bot.folder import data_root
from bot.question import Language, Reader


class Composer:
    """Holds the templates and nothing of any conversation."""

    def __init__(self, templates: Path | None = None) -> None:
        self._templates = templates or data_root() / "templates"
        self._words_for = lru_cache(maxsize=64)(self._make_words)

    def compose(self, answer: Answer, *, profile: BlockProfile = "rich", reader: Reader) -> Reply:
        words = self.words(answer.language, reader)
        return self._reply(page_of(answer, words), answer, profile)

    def compose_sum(self, answer: Answer, *, profile: BlockProfile = "rich", reader: Reader) -> Reply | None:
        """How the main figure adds up and what would save most; None where there is nothing to add up."""
        page = sum_page(answer, self.words(answer.language, reader))
        return self._reply(page, answer, profile) if page else None

    def compose_recipe(self, answer: Answer, *, profile: BlockProfile = "rich", reader: Reader) -> Reply | None:
        """The configuration that realises the answer; None where there is none."""
        page = recipe_page(answer, self.words(answer.language, reader), self._templates)
        return self._reply(page, answer, profile) if page else None

    def page(self, answer: Answer, *, reader: Reader) -> Page:
        """The answer in words, for surfaces that draw it themselves."""
        return page_of(answer, self.words(answer.language, reader))

    def further_pages(self, answer: Answer, *, reader: Reader) -> dict[str, Page | None]:
        """What is shown only on request: `sum`, how the main figure adds up, and `recipe`, the configuration."""
        words = self.words(answer.language, reader)
        return {"sum": sum_page(answer, words), "recipe": recipe_page(answer, words, self._templates)}

    def words(self, language: Language, reader: Reader) -> Words:
        """Sentences in that language, dates in the reader's zone."""
        return self._words_for(language, reader.timezone)

    def _make_words(self, language: Language, timezone: str) -> Words:
        return Words(texts_in(self._templates / "texts"), Locale(language, timezone))

    def _reply(self, page: Page, answer: Answer, profile: BlockProfile) -> Reply:
        layout = layout_in(self._templates / "reply")
        headline = bare_text(page.headline)
        return Reply(
            text=slack_text(headline)[:3000],
            headline=headline,
            blocks=blocks_of(page, profile, layout=layout, language=answer.language),
            language=answer.language,
            private=answer.private,
        )
