"""Sentences by key, from `templates/texts/*.yaml`: `key: {en: …, zh: …}`, Jinja2 with the filters of `locale`.

Every key begins with its subject (`feasibility.yes`); a file may hold several subjects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import jinja2

from bot.answer import Bilingual, Say, Text
from bot.compose.locale import Locale, figure
from bot.documents import parse_yaml
from bot.errors import KnowledgeError, UnknownName
from bot.kept import kept
from bot.question import Language

Entry = Mapping[Language, str]

_SPACED_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])")
_LATIN_THEN_CHINESE = re.compile(r"([A-Za-z0-9%])([\u4e00-\u9fff])")
_CHINESE_THEN_LATIN = re.compile(r"([\u4e00-\u9fff])([A-Za-z0-9])")


class Texts:
    """Every sentence in both languages, parsed when the first one is said."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entry(self, key: str) -> Entry:
        if key not in self.all:
            raise UnknownName("text", key)
        return self.all[key]

    @cached_property
    def all(self) -> Mapping[str, Entry]:
        """Every key of every topic. Raises KnowledgeError for a key that two topics claim, or a file that is not YAML."""
        paths = sorted(self._folder.glob("*.yaml"))
        return kept("texts", paths, lambda: _merged(paths))


def _merged(paths: Sequence[Path]) -> dict[str, Entry]:
    merged: dict[str, Entry] = {}
    for path in paths:
        label = f"templates/texts/{path.name}"
        topic = parse_yaml(path.read_text(encoding="utf-8"), label) or {}
        twice = merged.keys() & topic.keys()
        if twice:
            raise KnowledgeError([f"{label}: {', '.join(sorted(twice))} is in another topic too"])
        merged.update(topic)
    return merged


def spaced(text: str) -> str:
    """Chinese as it is typeset: a space between Chinese and Latin or figures, none between two Chinese characters."""
    return _CHINESE_THEN_LATIN.sub(r"\1 \2", _LATIN_THEN_CHINESE.sub(r"\1 \2", _SPACED_CHINESE.sub("", text)))


class Words:
    """Sentences in one language: what turns a `Say` into a string."""

    def __init__(self, texts: Texts, locale: Locale) -> None:
        self.locale = locale
        self._texts = texts
        self._templates: dict[str, jinja2.Template] = {}

    @property
    def language(self) -> Language:
        return self.locale.language

    def say(self, sentence: Say | str) -> str:
        """The sentence in this language. Values that are sentences themselves are said first."""
        if isinstance(sentence, str):
            return sentence
        if isinstance(sentence, Bilingual):
            return sentence.zh if self.language == "zh" else sentence.en
        written = self._source(sentence.key)
        if "{" not in written:
            return written
        values = {name: self._spoken(value) for name, value in sentence.values.items()}
        spoken = self._template(sentence.key).render(values).strip()
        return spaced(spoken) if self.language == "zh" else spoken

    def _spoken(self, value: object) -> object:
        if isinstance(value, Text | Bilingual):
            return self.say(value)
        if isinstance(value, tuple | list):
            return [self._spoken(item) for item in value]
        return value

    def _template(self, key: str) -> jinja2.Template:
        if key not in self._templates:
            self._templates[key] = self._environment.from_string(self._source(key))
        return self._templates[key]

    def _source(self, key: str) -> str:
        source = self._texts.entry(key).get(self.language)
        if source is None:
            raise UnknownName("text", f"{key} ({self.language})")
        return source

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            optimized=False,  # there is nothing to fold in a sentence
            autoescape=False,  # Slack's three characters are escaped once, where the message is made
            finalize=_finished,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(self.locale.filters())
        return environment


def _finished(value: object) -> object:
    """A float that no filter formatted is rounded as figures are; everything else prints as it is."""
    return figure(value) if isinstance(value, float) else value


@lru_cache(maxsize=8)
def texts_in(folder: Path) -> Texts:
    return Texts(folder)
