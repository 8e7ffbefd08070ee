"""The index over the real entries, built once and kept where no other run can see it."""

from __future__ import annotations

import pytest

from bot.faq import FaqIndex, load_faq
from bot.folder import Folder


@pytest.fixture(scope="session")
def folder() -> Folder:
    return Folder.knowledge()


@pytest.fixture(scope="session")
def index(folder: Folder, tmp_path_factory: pytest.TempPathFactory) -> FaqIndex:
    return load_faq(folder, tmp_path_factory.mktemp("cache"))
