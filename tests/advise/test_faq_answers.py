"""What the FAQ answers: the entry, three choices, nothing; and where it steps in for an answer that would miss the point."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.advise import Advisor
from bot.advise.context import AdviceContext, Library
from bot.advise.faq import CERTAIN, answer_faq, explained, faq_instead, or_entry
from bot.answer import Answer, AnsweredFrom, Bilingual, Text, say
from bot.faq import LIKELY, SURE
from bot.folder import Folder
from bot.question import Act, Action, GpuSlot, Intent, ModelSlot, Question, Reader, Slots, Task, Thread

LIBRARY = Library(Folder.knowledge())
NOW = datetime(2026, 11, 30, tzinfo=UTC)
CONTEXT = AdviceContext(LIBRARY, NOW)


def question(text: str, intent: Intent = Intent.FAQ, **slots: object) -> Question:
    return Question(text, intent, Slots().with_(**slots), language="zh" if any(c > "\u3400" for c in text) else "en")


def test_a_sure_entry_is_answered_with_its_sources() -> None:
    answer = answer_faq(question("Is FP8 enabled automatically on H100?"), CONTEXT)
    entry = LIBRARY.faq.entry("F-fp8-auto")
    assert (answer.answered_from, answer.faq_id, answer.action) == ("faq", "F-fp8-auto", Action.ANSWER)
    assert answer.sources == entry.sources
    assert answer.caveats[0].text == entry.caveat
    assert answer.faq_candidates[0][1] >= SURE


def test_the_first_sentence_is_the_headline() -> None:
    answer = answer_faq(question("8 卡 A100 是全互联吗，需要专门布线吗？"), CONTEXT)
    entry = LIBRARY.faq.entry("F-8-a100-topology")
    assert isinstance(answer.headline, Bilingual)
    assert entry.answer.zh.startswith(answer.headline.zh.rstrip("。"))
    assert len(answer.headline.en) < len(entry.answer.en)


@pytest.mark.parametrize("key", LIBRARY.faq.index.ids)
def test_every_entry_leads_with_a_conclusion(key: str) -> None:
    """A headline that fits a notification, in both languages, and something below it."""
    entry = LIBRARY.faq.entry(key)
    answer = answer_faq(Question(entry.question.en, Intent.FAQ), CONTEXT)
    assert answer.faq_id == key
    if answer.answered_from == "faq":
        assert isinstance(answer.headline, Bilingual)
        assert len(answer.headline.en) <= 190
        assert len(answer.headline.zh) <= 95
        assert answer.body


def test_a_bare_no_is_no_headline() -> None:
    headline = answer_faq(question("H100 的 FP8 会自动启用吗？"), CONTEXT).headline
    assert isinstance(headline, Bilingual)
    assert len(headline.en) > 25
    assert len(headline.zh) > 8


def test_three_choices_when_unsure() -> None:
    answer = answer_faq(question("gpu card for us?"), CONTEXT)
    assert LIKELY <= answer.faq_candidates[0][1] < SURE
    assert answer.action == Action.CLARIFY
    assert 1 < len(answer.choices) <= 3
    assert answer.faq_id is None


def test_nothing_is_said_when_nothing_fits() -> None:
    answer = answer_faq(question("zqx wvut"), CONTEXT)
    assert answer.action == Action.HELP
    assert answer.headline == say("faq.nothing_found")


def test_a_computed_answer_leads_and_the_entry_explains() -> None:
    asked = question(
        "Can A100 fine-tune a 70B model?",
        gpus=(GpuSlot("A100", 80, 8),),
        models=(ModelSlot(params_b=70),),
        task=Task.QLORA,
    )
    answer = answer_faq(asked, CONTEXT)
    assert (answer.answered_from, answer.faq_id) == ("estimator", "F-a100-finetune-70b")
    assert answer.verdict is not None
    assert say("faq.background") in answer.body


def test_an_entry_that_computes_as_the_question_reads_is_not_asked_for_ever() -> None:
    """The look-up found no card and asked the FAQ, whose entry would be computed by the look-up."""
    asked = question("is nvlink 900 GB/s one way or both ways", Intent.SPEC_LOOKUP, gpus=(GpuSlot(count=1),))
    assert answer_faq(asked, CONTEXT).faq_id == "F-nvlink"


def test_an_explained_answer_keeps_its_own_headline() -> None:
    entry = LIBRARY.faq.entry("F-nvlink")
    first = Answer(question("?"), say("x"), "en")
    assert explained(first, entry).headline == first.headline
    assert explained(first, entry).faq_id == "F-nvlink"


def test_a_message_declined_by_the_parser_is_answered_when_certain() -> None:
    assert faq_instead(question("do I need dcgm exporter for my gpus", Intent.OUT_OF_SCOPE), CONTEXT) is not None
    assert faq_instead(question("write a python script that sorts a csv by date", Intent.OUT_OF_SCOPE), CONTEXT) is None


def test_an_entry_about_a_model_size_is_not_presumed() -> None:
    """ "A100 能不能跑" may be about any model, so the 70B entry must not answer it."""
    back = Answer(question("A100 能不能跑", Intent.FEASIBILITY), say("help.which_model"), "zh", Action.CLARIFY)
    assert or_entry(back, CONTEXT).headline == back.headline


def test_a_size_is_a_size_where_no_model_was_understood() -> None:
    back = Answer(question("72b tok/s?", Intent.THROUGHPUT), say("help.which_model"), "en", Action.CLARIFY)
    assert or_entry(back, CONTEXT).faq_id == "F-tput-72b"


def test_a_card_is_not_compared_with_one_that_nobody_named() -> None:
    answer = answer_faq(question("整体算下来 A100 是不是更省钱", gpus=(GpuSlot("A100"),)), CONTEXT)
    assert (answer.faq_id, answer.answered_from) == ("F-a100-cheaper-total", "faq")


def test_a_question_back_follows_the_general_answer() -> None:
    back = Answer(question("自建机房划算吗", Intent.RECOMMEND), say("ask"), "zh", Action.CLARIFY, answered_from="help")
    answer = or_entry(back, CONTEXT)
    assert (answer.faq_id, answer.action) == ("F-cloud-or-own", Action.CLARIFY)
    assert answer.body[-1] == Text("ask")


def test_a_question_back_that_has_no_place_is_dropped() -> None:
    back = Answer(question("大规模训练多久出一次故障", Intent.TIME), say("ask"), "zh", Action.CLARIFY, answered_from="help")
    answer = or_entry(back, CONTEXT)
    assert (answer.faq_id, answer.action) == ("F-failure-rate", Action.ANSWER)
    assert Text("ask") not in answer.body


# Messages that name cards or a model and so read as something else, and whether the entry answers instead.
READ_AS = [
    ("Will my A100 image run on H100?", Intent.COMPARE, "catalog", True),
    ("训练数据要遵守哪些法律？", Intent.CATALOG_SEARCH, "catalog", True),
    ("Is FP8 enabled automatically on H100?", Intent.SPEC_LOOKUP, "catalog", True),
    ("What NVLink bandwidth do A100 and H100 have?", Intent.SPEC_LOOKUP, "catalog", False),
    ("Does an RTX 4090 have NVLink?", Intent.SPEC_LOOKUP, "catalog", False),
    ("Can A100 fine-tune a 70B model?", Intent.FEASIBILITY, "estimator", False),
]


@pytest.mark.parametrize(("text", "intent", "source", "instead"), READ_AS, ids=[text for text, *_ in READ_AS])
def test_an_answer_beside_the_point_gives_way(text: str, intent: Intent, source: AnsweredFrom, instead: bool) -> None:
    slots = {"metric": "fp8_support" if "FP8" in text else "nvlink", "models": (ModelSlot(params_b=70),)}
    first = Answer(question(text, intent, **slots), say("x"), "en", answered_from=source)
    assert (or_entry(first, CONTEXT).answered_from == "faq") is instead


FAIR = "我们在上海，能合法租到H100吗"


def test_a_fair_guess_comes_before_a_question_back_about_nothing_in_particular() -> None:
    back = Answer(question(FAIR, Intent.FEASIBILITY), say("ask"), "zh", Action.CLARIFY)
    assert SURE <= LIBRARY.faq.search(FAIR)[0][1] < CERTAIN
    answer = or_entry(back, CONTEXT)
    assert (answer.faq_id, answer.action) == ("F-h100-china", Action.CLARIFY)
    assert answer.body[-1] == Text("ask")


def test_a_fair_guess_becomes_a_choice_of_a_question_back_about_a_model() -> None:
    back = Answer(question(FAIR, Intent.FEASIBILITY, models=(ModelSlot(params_b=7),)), say("ask"), "zh", Action.CLARIFY)
    answer = or_entry(back, CONTEXT)
    assert (answer.headline, answer.faq_id) == (back.headline, None)
    assert answer.choices[-1].message == LIBRARY.faq.entry("F-h100-china").question.zh


# Messages of no model, as they read, and the entry that says more to the point than a look-up would.
BESIDE_THE_POINT = [
    ("do all eight A100 of a server talk over NVSwitch", Intent.SPEC_LOOKUP, "A100", "nvlink", "F-8-a100-topology"),
    ("我们签 GPU 服务的 SLA 要看哪些条款", Intent.CATALOG_SEARCH, "", None, "F-sla"),
    ("does moving our A100 pipeline to H100 pay", Intent.COMPARE, "H100", None, "F-migrate"),
    ("阿里云 A10 价格", Intent.PRICE_LOOKUP, "A10", "price", None),
    ("腾讯云 T4 多少钱", Intent.PRICE_LOOKUP, "T4", "price", None),
    ("支持fp8的卡有哪些", Intent.CATALOG_SEARCH, "", "fp8_support", None),
    ("MI300X tdp", Intent.SPEC_LOOKUP, "MI300X", "tdp", None),
    ("4090 and 5090, which for fine-tuning", Intent.COMPARE, "RTX4090 RTX5090", None, None),
]


@pytest.mark.parametrize(("text", "intent", "cards", "metric", "wanted"), BESIDE_THE_POINT)
def test_what_names_no_model_gives_way_sooner(
    text: str, intent: Intent, cards: str, metric: str | None, wanted: str | None
) -> None:
    asked = question(text, intent, gpus=tuple(map(GpuSlot, cards.split())), metric=metric)
    assert or_entry(Answer(asked, say("x"), "en", answered_from="catalog"), CONTEXT).faq_id == wanted


def test_a_follow_up_is_left_to_its_thread() -> None:
    first = Answer(
        replace(question("will my A100 image run on H100?"), act=Act.SET), say("x"), "en", answered_from="catalog"
    )
    assert or_entry(first, CONTEXT) is first


@pytest.mark.parametrize("text", ["H100 tdp", "nvlink bandwidth a100", "停机还收费吗", "what's for lunch"])
def test_every_answer_carries_candidates(text: str) -> None:
    answer = Advisor(LIBRARY).advise(question(text), Thread(), now=NOW, reader=Reader())
    assert 0 < len(answer.faq_candidates) <= 5
