"""The one place that wires: settings and knowledge in, an `Assistant` out. Importing it opens nothing."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.advise.context import Library
from bot.assistant import Assistant
from bot.catalog.specs import Specs, load_specs
from bot.estimator import EstimatorData, load_estimator_data
from bot.folder import Folder
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.catalog.offers import Offers


@lru_cache(maxsize=1)
def settings_once() -> Settings:
    return Settings()


@lru_cache(maxsize=1)
def folder_once() -> Folder:
    return knowledge_folder(settings_once())


def knowledge_folder(settings: Settings) -> Folder:
    """The packaged facts, an own copy over them, and the imported prices on top."""
    return Folder.knowledge(settings.knowledge, settings.catalog)


def catalog_folder() -> Path:
    """Where imported price snapshots are kept."""
    return settings_once().catalog


@lru_cache(maxsize=1)
def load_specs_once() -> Specs:
    return load_specs(folder_once())


@lru_cache(maxsize=1)
def load_offers_once() -> Offers:
    from bot.catalog.offers import load_offers

    return load_offers(folder_once(), load_specs_once())


def build_estimator() -> EstimatorData:
    return load_estimator_data(folder_once())


def build_assistant(settings: Settings) -> Assistant:
    """The whole road. Parts of the knowledge that a question does not need are not read for it."""
    from bot.advise import Advisor
    from bot.compose import Composer
    from bot.understand import load_understanding

    library = Library(knowledge_folder(settings), settings.faq_encoder)
    return Assistant(load_understanding(library.folder, library.specs), Advisor(library), Composer())
