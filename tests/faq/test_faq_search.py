"""Which entry a message finds, and laws that hold for every message."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UnknownName
from bot.faq import SURE, FaqIndex, load_faq
from bot.faq.entries import source_files
from bot.folder import Folder
from bot.kept import kept_file
from bot.question import GpuSlot, Intent, Question, Slots

# Questions as colleagues ask them, none of them a wording of an entry.
FOUND = [
    ("roughly how many times quicker would my fine-tune be on an H100 than on the A100?", "F-h100-vs-a100-speed"),
    ("我们的A100上跑不了FP8是吗", "F-a100-precision"),
    ("is it normal that GPUs die in a 64 card job every few weeks?", "F-failure-rate"),
    ("阿里云的 gn7i 到底是哪种显卡", "F-alibaba"),
    ("what does the H100 NVL have that the PCIe card has not", "F-h100-variants"),
    ("spot 机器跑长任务会不会老被回收啊", "F-spot"),
    ("how long until 120 GB of weights are read at 10 Gbps", "F-load-time"),
    ("一台服务器几个人合用，GPU怎么分配", "F-share-gpu"),
]


@pytest.mark.parametrize(("text", "wanted"), FOUND, ids=[wanted for _, wanted in FOUND])
def test_the_right_entry_comes_first(text: str, wanted: str, index: FaqIndex) -> None:
    assert index.search(text)[0][0] == wanted


@pytest.mark.parametrize(
    "text", ["What's for lunch?", "中午吃什么", "how long does it take to fly to Tokyo", "前端页面加载慢"]
)
def test_small_talk_is_not_answered(text: str, index: FaqIndex) -> None:
    assert all(score < SURE for _, score in index.search(text))


@pytest.mark.parametrize("text", ["", "   ", "???", "🎉🎉"])
def test_a_text_without_words_finds_nothing(text: str, index: FaqIndex) -> None:
    assert index.search(text) == ()


@pytest.mark.parametrize("card", ["A10", "L40S", "V100", "RTX 3090", "MI300X"])
@pytest.mark.parametrize(
    "text", ["{} 支持 fp8 吗", "what {} variants are there, 40 or 80 GB?", "{} tdp", "memory bandwidth of {}"]
)
def test_an_entry_about_other_cards_never_answers(card: str, text: str, index: FaqIndex) -> None:
    asked = card.removeprefix("RTX ").casefold()
    for hit in index.explain(text.format(card)):
        about = index.index.cards[index.index.ids.index(hit.id)]
        assert not about or asked in about or hit.score < SURE


@pytest.mark.parametrize("text", ["TDP of MI300X", "MI300X 的显存带宽", "H20 算力多少", "4090显存多大", "910B 多少钱"])
def test_the_name_of_a_card_alone_is_no_match(text: str, index: FaqIndex) -> None:
    """Few entries name these cards, and none says that of them."""
    assert all(score < 0.9 for _, score in index.search(text))


def test_a_card_of_the_thread_counts_too(index: FaqIndex) -> None:
    follow_up = Question("which versions are there, 40 or 80 GB?", Intent.FAQ, Slots(gpus=(GpuSlot("A10"),)))
    assert dict(index.search(follow_up.text, follow_up)).get("F-a100-variants", 0.0) < SURE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("H100 比 A100 貴多少倍", "H100 比 A100 贵多少倍"),
        ("Ｈ１００　ＴＤＰ", "h100 tdp"),
        ("NVLINK BANDWIDTH", "nvlink bandwidth"),
    ],
)
def test_spelling_of_the_same_words_does_not_matter(one: str, other: str, index: FaqIndex) -> None:
    assert index.search(one)[0] == index.search(other)[0]


@given(st.text(max_size=80))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_any_text_gets_falling_scores_between_0_and_1(text: str) -> None:
    scores = [score for _, score in _INDEX.search(text)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len(scores) <= 5


_INDEX = load_faq(Folder.knowledge())


def test_articles_come_before_what_is_beyond(index: FaqIndex) -> None:
    """No entry beyond the articles takes a question of the articles, as its own question is worded."""
    for number, key in enumerate(index.index.ids):
        if not index.index.beyond[number]:
            entry = index.entry(key)
            assert index.search(entry.question.en)[0][0] == key
            assert index.search(entry.question.zh)[0][0] == key


def test_the_kept_index_says_the_same(folder: Folder, tmp_path: Path) -> None:
    built, kept = load_faq(folder, tmp_path), load_faq(folder, tmp_path)
    assert built.index == kept.index
    assert built.search("h100 fp8 默认开启吗") == kept.search("h100 fp8 默认开启吗")


def test_a_spoilt_kept_index_is_built_anew(folder: Folder, tmp_path: Path) -> None:
    kept_file(tmp_path, "faq", source_files(folder)).write_text("{", encoding="utf-8")
    assert load_faq(folder, tmp_path).search("nvlink bandwidth of a100")


def test_a_folder_that_cannot_be_written_is_no_matter(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert load_faq(folder, tmp_path / "file").search("nvlink bandwidth of a100")


def test_an_own_entry_is_found(tmp_path: Path) -> None:
    """A layer with one more file is searched with the rest."""
    own = tmp_path / "own"
    (own / "faq").mkdir(parents=True)
    (own / "faq" / "coffee.md").write_text(
        "---\nid: F-coffee\nquestion: {en: Where is the GPU coffee corner?, zh: GPU 咖啡角在哪？}\n"
        "paraphrases: {en: [coffee corner], zh: [咖啡角]}\n---\n\n## en\n\nUpstairs.\n\n## zh\n\n楼上。\n",
        encoding="utf-8",
    )
    index = load_faq(Folder.knowledge(own), tmp_path)
    assert index.search("gpu coffee corner?")[0][0] == "F-coffee"
    assert index.entry("coffee").answer.zh == "楼上。"


def test_an_unknown_id_names_its_neighbour(index: FaqIndex) -> None:
    with pytest.raises(UnknownName, match="F-nvlink"):
        index.entry("nvlnk")
