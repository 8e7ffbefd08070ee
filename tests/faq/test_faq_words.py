"""What the search sees in a text."""

from __future__ import annotations

import pytest

from bot.faq.words import Words, sizes_of, stem

WORDS = Words.from_table(
    {
        "concepts": {
            "price": ["price", "how much", "多少钱"],
            "rent": ["rent", "租"],
            "serve": ["服务"],
            "none": ["服务器"],
        },
        "stop": ["the", "的"],
        "traditional": "錢钱 卡卡",
        "anchors": ["gpu", "显卡"],
    },
    ("h100", "a100", "4090", "l40s", "l40"),
)

# (text, features that must be there, features that must not)
READINGS = [
    ("prices", {"~price"}, set()),
    ("How much to rent?", {"~price", "~rent", "~price~rent"}, set()),
    ("租要多少錢", {"~price", "~rent", "租", "多少"}, set()),
    ("8×H100", {"@h100", "h100"}, {"8xh100"}),
    ("two A100s", {"@a100"}, {"a100s"}),
    ("L40S", {"@l40s"}, {"@l40"}),
    ("Ｈ１００", {"@h100"}, set()),
    ("服务器", {"服务", "务器"}, {"~serve"}),
    ("the rent", {"rent"}, {"the"}),
    ("80GB", {"80g"}, {"80gb"}),
    ("H100 rent 70B", {"@h100~rent", "=70b@h100", "=70b~rent"}, set()),
]

SIZES = [
    ("70B", {70}),
    ("0.5b", {0.5}),
    ("千亿", {100}),
    ("700亿", {70}),
    ("一千亿", {100}),
    ("80GB", set()),
    ("bf16", set()),
]


@pytest.mark.parametrize(("text", "there", "absent"), READINGS, ids=[text for text, _, _ in READINGS])
def test_features(text: str, there: set[str], absent: set[str]) -> None:
    found = WORDS.features(text)
    assert there <= found
    assert not absent & found


@pytest.mark.parametrize(("text", "sizes"), SIZES, ids=[text for text, _ in SIZES])
def test_model_sizes(text: str, sizes: set[float]) -> None:
    assert sizes_of(WORDS.fold(text)) == sizes


def test_inflections_agree() -> None:
    assert len({stem(word) for word in ("quantised", "quantises", "quantising", "quantise")}) == 1


@pytest.mark.parametrize(
    ("text", "ours"), [("which GPU", True), ("哪张显卡好", True), ("7b", True), ("a cheap flight", False)]
)
def test_anchored(text: str, ours: bool) -> None:
    assert WORDS.anchored(text) is ours


def test_the_table_survives_being_kept() -> None:
    again = Words.from_document(WORDS.as_document())
    assert all(again.features(text) == WORDS.features(text) for text, _, _ in READINGS)
