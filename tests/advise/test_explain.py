"""Why? The last answer taken apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.advise import Advisor
from bot.advise.context import AdviceContext, Library
from bot.advise.explain import answer_why
from bot.answer import Answer
from bot.compose.locale import Locale
from bot.compose.texts import Words, texts_in
from bot.folder import Folder, data_root
from bot.question import Act, Action, Intent, Question, Reader, Thread
from bot.understand import load_understanding

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LIBRARY = Library(Folder.knowledge())
UNDERSTANDING = load_understanding(LIBRARY.folder, LIBRARY.specs)
ADVISOR = Advisor(LIBRARY)
ADVISOR_CONTEXT = AdviceContext(LIBRARY, NOW)
TEXTS = texts_in(data_root() / "templates" / "texts")


def why(first: str) -> Answer:
    """The explanation of the answer to `first`."""
    asked = UNDERSTANDING.read(first, None)
    answer = ADVISOR.advise(asked, Thread(), now=NOW, reader=Reader())
    return ADVISOR.advise(replace(asked, act=Act.WHY, changed=()), Thread(asked, answer, NOW), now=NOW, reader=Reader())


def in_words(answer: Answer) -> str:
    words = Words(TEXTS, Locale(answer.language))
    return "\n".join(words.say(line) for line in (answer.headline, *answer.body))


# (question, what the explanation must say)
WHYS = [
    ("can A100 80G fine-tune a 70B model?", ["The largest part is weights", "What would change it most"]),
    ("A100 80G 能微调 70B 模型吗", ["占用最多的是权重", "影响最大的改动"]),
    ("LoRA on a 13B with 8 A100, 1B tokens, how long?", ["GPU-hours", "MFU"]),
    ("cloud vs on-prem H100, which is cheaper?", ["40 % utilisation: the articles' 60 % idle", "PUE 1.2"]),
    ("8 张 H100 一周用多少度电", ["PUE 1.2", "主机"]),
    ("throughput of Llama-3.1-8B on one H100 with 64 users?", ["reading 15 GiB of weights at 3,350 GB/s"]),
    ("cheapest H100", ["per GPU-hour"]),
    ("8 卡 A100 是全互联吗，需要专门布线吗？", ["NVSwitch"]),
]


@pytest.mark.parametrize(("first", "says"), WHYS, ids=[row[0] for row in WHYS])
def test_why_takes_the_last_answer_apart(first: str, says: list[str]) -> None:
    told = in_words(why(first))
    assert all(piece in told for piece in says), told


def test_the_parts_add_up_and_the_largest_comes_first() -> None:
    explained = why("can 2x A100 80G serve Qwen2-72B for 20 users?")
    assert explained.table is not None
    values = [float(row[1].value) for row in explained.table.rows]  # type: ignore[arg-type]
    assert values == sorted(values, reverse=True)
    assert explained.main is not None
    assert explained.main.estimate is not None
    assert sum(values) == pytest.approx(explained.main.estimate.memory_gib_per_gpu.best, rel=0.02)


def test_asking_why_twice_explains_the_same_answer() -> None:
    once = why("can A100 80G fine-tune a 70B model?")
    context = replace(ADVISOR_CONTEXT, thread=Thread(once.question, once, NOW))
    assert answer_why(once.question, context).headline == once.headline


def test_a_surface_that_keeps_questions_alone_is_explained_too() -> None:
    asked = UNDERSTANDING.read("can A100 80G fine-tune a 70B model?", None)
    stored = replace(asked, text="", act=Act.WHY, changed=())
    for thread in (Thread(), Thread(asked)):
        explained = ADVISOR.advise(stored, thread, now=NOW, reader=Reader())
        assert explained.table is not None


def test_without_an_answer_there_is_nothing_to_explain() -> None:
    question = Question("why?", Intent.FAQ, act=Act.WHY)
    assert ADVISOR.advise(question, Thread(), now=NOW, reader=Reader()).action == Action.HELP
