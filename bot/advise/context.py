"""What every intent module is given besides the question: the knowledge, the clock, the reader and the thread."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from bot.catalog.specs import Specs, load_specs
from bot.errors import KnowledgeError
from bot.estimator import EstimatorData, load_estimator_data
from bot.folder import Folder
from bot.question import Reader, Thread

if TYPE_CHECKING:
    from bot.advise.rules import Rules
    from bot.catalog.offers import Offers
    from bot.estimator import TrainingMeasurement
    from bot.estimator.serving_measurements import ServingMeasurement
    from bot.faq import FaqIndex


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Library:
    """The parts of `knowledge/`, each read when it is first needed: a question about memory opens no price file."""

    folder: Folder
    faq_encoder: bool = False
    _offers: dict[tuple[tuple[str, int], ...], Offers] = field(default_factory=dict, compare=False, repr=False)
    _training_measurements: dict[frozenset[str], tuple[TrainingMeasurement, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def specs(self) -> Specs:
        return load_specs(self.folder)

    @cached_property
    def estimator(self) -> EstimatorData:
        return load_estimator_data(self.folder)

    def training_measurements(self, method: str) -> tuple[TrainingMeasurement, ...]:
        """The published runs of `method` and of those that are measured alike; the other rows are left unread."""
        from bot.estimator.training_measurements import like_methods, load_training_measurements

        methods = like_methods(method)
        if methods not in self._training_measurements:
            self._training_measurements[methods] = load_training_measurements(self.folder, self.specs, methods)
        return self._training_measurements[methods]

    @cached_property
    def serving_measurements(self) -> tuple[ServingMeasurement, ...]:
        from bot.estimator import load_serving_measurements

        return load_serving_measurements(self.folder, self.specs)

    @property
    def offers(self) -> Offers:
        """Read again when a price file was added, so that an import shows without a restart."""
        stamp = self.folder.stamp("prices/*.csv")
        if stamp not in self._offers:
            fresh = self._fresh_offers()
            self._offers.clear()
            self._offers[stamp] = fresh
        return self._offers[stamp]

    def _fresh_offers(self) -> Offers:
        """The prices as they are now; those read before, where a file cannot be used."""
        from bot.catalog.offers import load_offers

        try:
            return load_offers(self.folder, self.specs)
        except KnowledgeError as exc:
            if not self._offers:
                raise
            logger.warning("prices refused, the ones read before are kept: %s", exc)
            return next(iter(self._offers.values()))

    @cached_property
    def faq(self) -> FaqIndex:
        from bot.faq import load_faq

        return load_faq(self.folder, encoder=self.faq_encoder)

    @cached_property
    def rules(self) -> Rules:
        from bot.advise.rules import load_rules

        return load_rules(self.folder, self.specs)


@dataclass(frozen=True)
class AdviceContext:
    """Read-only. `now` is aware and in UTC; the library is shared by all questions."""

    library: Library
    now: datetime
    reader: Reader = field(default_factory=Reader)
    thread: Thread = field(default_factory=Thread)

    @property
    def folder(self) -> Folder:
        return self.library.folder

    @property
    def specs(self) -> Specs:
        return self.library.specs

    @property
    def estimator(self) -> EstimatorData:
        return self.library.estimator

    @cached_property
    def offers(self) -> Offers:
        """The same prices through all of one answer."""
        return self.library.offers

    @property
    def faq(self) -> FaqIndex:
        return self.library.faq

    @property
    def rules(self) -> Rules:
        return self.library.rules
