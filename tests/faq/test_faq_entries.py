"""Every entry is complete in both languages, and a wrong file is reported by file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import KnowledgeError
from bot.faq import FaqEntry, load_entries, unknown_claims
from bot.folder import Folder

ENTRIES = load_entries(Folder.knowledge())
GOOD = """---
id: F-sample
question: {en: "How fast?", zh: "多快？"}
paraphrases: {en: [how quick], zh: [快不快]}
claims: [C1]
sources: [{title: A page, url: "https://example.com", read_on: 2026-11-30, standing: secondary}]
---

## en

2 times.

## zh

2 倍。
"""

# (what to replace, with what, what the report must say)
FAULTS = [
    ('zh: "多快？"', 'zh: ""', "question.zh: missing"),
    ("zh: [快不快]", "zh: []", "paraphrases.zh: missing"),
    ("paraphrases:", "paraphrase:", "paraphrase: unknown field"),
    ("## zh", "## de", "the part '## zh' is missing"),
    ("id: F-sample", "id: sample", "id: an id that begins with F-"),
    ("id: F-sample", "id: F-other", "id: F-other belongs in other.md"),
    ("claims: [C1]", "compute: magic", "compute: the name of an intent"),
    ("claims: [C1]", "origin: elsewhere", "origin: one of article, beyond"),
    ("read_on: 2026-11-30, ", "", "sources[1] read_on: the day"),
    ("standing: secondary", "standing: rumour", "sources[1] standing: one of"),
    ("title: A page, ", "", "sources[1] title: missing"),
]


def folder_with(text: str, place: Path) -> Folder:
    (place / "faq").mkdir()
    (place / "faq" / "sample.md").write_text(text, encoding="utf-8")
    return Folder((place,))


def test_a_good_file_is_read(tmp_path: Path) -> None:
    (entry,) = load_entries(folder_with(GOOD, tmp_path))
    assert (entry.question.zh, entry.answer.en, entry.paraphrases["en"]) == ("多快？", "2 times.", ("how quick",))


@pytest.mark.parametrize(("old", "new", "report"), FAULTS, ids=[report for _, _, report in FAULTS])
def test_a_fault_is_named_by_file_and_field(old: str, new: str, report: str, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError) as caught:
        load_entries(folder_with(GOOD.replace(old, new), tmp_path))
    assert any(problem.split(":")[0].endswith("faq/sample.md") and report in problem for problem in caught.value.problems)


def test_a_fault_is_named_by_line(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError) as caught:
        load_entries(folder_with(GOOD.replace("zh: [快不快]", "zh: []"), tmp_path))
    assert caught.value.problems[0].endswith("faq/sample.md:4 paraphrases.zh: missing")


def test_a_figure_needs_a_source(tmp_path: Path) -> None:
    without = "\n".join(line for line in GOOD.splitlines() if not line.startswith("sources"))
    with pytest.raises(KnowledgeError, match="shows figures, so a source is needed"):
        load_entries(folder_with(without, tmp_path))


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError) as caught:
        load_entries(folder_with(GOOD.replace('zh: "多快？"', 'zh: ""').replace("F-sample", "sample"), tmp_path))
    assert len(caught.value.problems) == 2


def test_an_unknown_claim_is_named() -> None:
    (first, *_) = ENTRIES
    known = frozenset(claim for entry in ENTRIES for claim in entry.claims) - {first.claims[0]}
    assert any(f"no claim has the id {first.claims[0]}" in line for line in unknown_claims(ENTRIES, known))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_an_entry_is_asked_in_many_ways_in_both_languages(entry: FaqEntry) -> None:
    assert all(len(entry.paraphrases[language]) >= 8 for language in ("en", "zh"))
    assert all(any("\u4e00" <= c <= "\u9fff" for c in text) for text in (entry.question.zh, entry.answer.zh))
    assert not any("\u4e00" <= c <= "\u9fff" for c in entry.question.en)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_an_answer_fits_on_a_phone(entry: FaqEntry) -> None:
    assert len(entry.answer.en) <= 700
    assert len(entry.answer.zh) <= 350


def test_every_wording_belongs_to_one_entry() -> None:
    texts = [text.casefold() for entry in ENTRIES for _, text in entry.asked()]
    assert sorted(text for text in set(texts) if texts.count(text) > 1) == []


def test_what_is_recalled_says_so() -> None:
    """An entry beyond the articles that rests on memory alone tells the reader."""
    for entry in ENTRIES:
        if entry.origin == "beyond" and all(source.standing == "recalled" for source in entry.sources):
            assert entry.caveat
            assert "ecalled" in entry.caveat.en
