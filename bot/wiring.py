"""The one place that wires: settings and knowledge in, an `Assistant` out. Importing it opens nothing."""

from __future__ import annotations

from functools import lru_cache

from bot.advise.context import Library
from bot.assistant import Assistant
from bot.catalog.specs import Specs, load_specs
from bot.estimator import EstimatorData, load_estimator_data
from bot.folder import Folder
from bot.settings import Settings


@lru_cache(maxsize=1)
def settings_once() -> Settings:
    return Settings()


@lru_cache(maxsize=1)
def folder_once() -> Folder:
    return Folder.knowledge(settings_once().knowledge)


@lru_cache(maxsize=1)
def load_specs_once() -> Specs:
    return load_specs(folder_once())


def build_estimator() -> EstimatorData:
    return load_estimator_data(folder_once())


def build_assistant(settings: Settings) -> Assistant:
    """The whole road. Parts of the knowledge that a question does not need are not read for it."""
    from bot.advise import Advisor
    from bot.compose import Composer
    from bot.understand import load_understanding

    library = Library(Folder.knowledge(settings.knowledge))
    return Assistant(load_understanding(library.folder, library.specs), Advisor(library), Composer())
