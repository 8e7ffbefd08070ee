"""The sums around the cards: which message asks for which, what they say, and what a follow-up changes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.advise import Advisor
from bot.advise.context import AdviceContext, Library
from bot.advise.topics import answer_topic, check_topics, find_topics
from bot.answer import Answer
from bot.compose.locale import Locale
from bot.compose.texts import Words, texts_in
from bot.folder import Folder, data_root
from bot.question import Reader, Thread
from bot.understand import load_understanding

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LIBRARY = Library(Folder.knowledge())
CONTEXT = AdviceContext(LIBRARY, NOW)
UNDERSTANDING = load_understanding(LIBRARY.folder, LIBRARY.specs)
TEXTS = texts_in(data_root() / "templates" / "texts")


def topic_of(message: str) -> str | None:
    question = UNDERSTANDING.read(message, None)
    return next((topic.id for topic in find_topics(question, CONTEXT)), None)


def answer_to(message: str) -> Answer:
    answer = answer_topic(UNDERSTANDING.read(message, None), CONTEXT)
    assert answer is not None, message
    return answer


def in_words(answer: Answer) -> str:
    words = Words(TEXTS, Locale(answer.language))
    return "\n".join(words.say(line) for line in (answer.headline, *answer.body))


# (English, Chinese, topic, what both answers must say)
TOPICS = [
    ("cloud vs on-prem H100, which is cheaper?", "H100 自建还是租云划算", "own_or_cloud", ["40 %", "1.5"]),
    ("load 70b weights how long", "70B 权重加载要多久", "load_time", ["140", "1.9"]),
    ("how long does loading 120 GB of weights at 2 Gbps take", "2Gbps 加载 120GB 权重要多久", "load_time", ["120", "8"]),
    ("how big is a checkpoint of a 70B, and how long to write it to disk?", "70B 检查点多大，写盘要多久", "checkpoints",
     ["910", "140", "1,820"]),
    ("what read bandwidth does the dataset need for 512 H100?", "512 张 H100 的数据集读取带宽要多少", "read_rate",
     ["20 MB/s"]),
    ("how many vCPU per H100", "H100 每卡配多少 vCPU", "host", ["120–160"]),
    ("how much electricity do 8 H100 use in a week?", "8 张 H100 一周用多少度电", "energy", ["1,152"]),
    ("PUE from 1.5 to 1.1, how much energy does it save?", "PUE 从 1.5 降到 1.1 能省多少电", "energy", ["27 %"]),
    ("probability of interruption on 64 GPUs in a week", "64 卡一周的故障概率", "interruptions", ["19 %"]),
    ("A100 or H100, which is better value?", "A100 还是 H100 更划算", "price_against_speed", ["2.1–2.5"]),
]  # fmt: skip


@pytest.mark.parametrize(("english", "chinese", "topic", "says"), TOPICS, ids=[row[0] for row in TOPICS])
def test_a_topic_is_answered_with_its_sum(english: str, chinese: str, topic: str, says: list[str]) -> None:
    for message in (english, chinese):
        assert topic_of(message) == topic, message
        told = in_words(answer_to(message))
        assert all(piece in told for piece in says), told


OTHERS = [
    "can A100 80G fine-tune a 70B model?",
    "cheapest H100 right now",
    "A100 or H100 for LoRA on 13B, which is cheaper?",
    "72B qwen 做 lora 要多大内存，8卡A800 起不来",
    "does activation checkpointing save much memory?",
    "how long does training a 7B on 1B tokens take with 8 A100?",
    "gpt-oss-20b needs how much VRAM",
    "H100有货了提醒我一下",
]


@pytest.mark.parametrize("message", OTHERS)
def test_other_questions_are_left_to_their_modules(message: str) -> None:
    assert answer_topic(UNDERSTANDING.read(message, None), CONTEXT) is None


@pytest.mark.parametrize("message", [row[0] for row in TOPICS])
def test_every_topic_names_its_sources(message: str) -> None:
    assert answer_to(message).sources


def test_what_the_message_states_wins_over_the_default() -> None:
    answer = answer_to("break even of owning H100 at 70% utilisation, 0.08 $/kWh, PUE 1.2, 3 years?")
    assumed = {assumption.slot: assumption.value for assumption in answer.assumptions}
    assert {name: assumed[name] for name in ("utilisation", "usd_per_kwh", "pue", "years")} == {
        "utilisation": 0.7, "usd_per_kwh": 0.08, "pue": 1.2, "years": 3.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("message", "bill"),
    [
        ("power cost of 8 H100 for a week at 0.12 $/kWh, PUE 1.3", "$150"),
        ("8 张 H100 一周电费多少，0.7 元/度，PUE 1.3", "¥873"),
    ],
)
def test_power_is_billed_at_the_price_that_is_said(message: str, bill: str) -> None:
    assert bill in in_words(answer_to(message))


def test_a_share_of_idle_time_is_read_as_its_complement() -> None:
    answer = answer_to("自建还是租云划算，闲置率 60%")
    assert next(a.value for a in answer.assumptions if a.slot == "utilisation") == pytest.approx(0.4)


def test_every_share_is_told_by_the_word_beside_it() -> None:
    answer = answer_to("own or rent H100: 80% utilisation, 15% upkeep a year, 30% resale, 5 years")
    assumed = {assumption.slot: assumption.value for assumption in answer.assumptions}
    assert (assumed["utilisation"], assumed["upkeep_share_a_year"], assumed["residual_share"]) == (0.8, 0.15, 0.3)


def test_a_follow_up_changes_one_assumption_and_keeps_the_rest() -> None:
    advisor = Advisor(LIBRARY)
    first = UNDERSTANDING.read("cloud vs on-prem H100 at 0.2 $/kWh, which is cheaper?", None)
    answer = advisor.advise(first, Thread(), now=NOW, reader=Reader())
    then = UNDERSTANDING.read("and at 90% utilisation?", first)
    changed = advisor.advise(then, Thread(first, answer, NOW), now=NOW, reader=Reader())
    assumed = {assumption.slot: assumption.value for assumption in changed.assumptions}
    assert (assumed["utilisation"], assumed["usd_per_kwh"]) == (0.9, 0.2)


def test_more_use_makes_owning_cheaper() -> None:
    table = answer_to("cloud vs on-prem H100, which is cheaper?").table
    assert table is not None
    costs = [float(row[1].value) for row in table.rows]  # type: ignore[arg-type]
    assert costs == sorted(costs, reverse=True)


def test_the_topics_are_sound() -> None:
    assert check_topics(LIBRARY.folder) == []
