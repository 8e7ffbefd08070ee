"""The one place that wires: settings and knowledge in, an `Assistant` out. Importing it opens nothing."""

from __future__ import annotations

from functools import lru_cache

from bot.catalog.specs import Specs, load_specs
from bot.estimator import EstimatorData
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
    folder = folder_once()
    return EstimatorData(
        defaults=folder.yaml("defaults.yaml"),
        training=folder.yaml("calibration/training.yaml"),
        serving=folder.yaml("calibration/serving.yaml"),
    )
