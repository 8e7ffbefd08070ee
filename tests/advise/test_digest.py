"""What is new in prices, for whoever asks: the last changes, and how to be told of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.advise.context import AdviceContext, Library
from bot.advise.digest import answer_digest
from bot.answer import Answer
from bot.compose import Composer
from bot.folder import Folder
from bot.question import GpuSlot, Intent, Question, Reader, Slots
from tests.advise.road import ask

LIBRARY = Library(Folder.knowledge())
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def answered(*gpus: str) -> Answer:
    slots = Slots(gpus=tuple(GpuSlot(name) for name in gpus))
    return answer_digest(Question("what changed in prices?", Intent.DIGEST, slots), AdviceContext(LIBRARY, NOW))


def test_the_last_changes_are_shown_with_the_way_to_subscribe() -> None:
    answer = answered()
    text = str(Composer().compose(answer, reader=Reader()).blocks)
    assert answer.table is not None
    assert answer.sources
    assert answer.catalog_date is not None
    assert "/gpu subscribe prices weekly mon 09:00" in text


def test_only_the_cards_asked_about_are_told_of() -> None:
    table = answered("H100-SXM").table
    assert table is not None
    assert {row[1].value for row in table.rows} == {LIBRARY.specs.gpu_by_id["h100-sxm"].title}


def test_a_card_without_changes_says_so() -> None:
    answer = answered("MI300X")
    assert answer.table is None
    assert Composer().compose(answer, reader=Reader()).text.startswith("No price that I know changed")


@pytest.mark.parametrize(
    "message",
    ["subscribe prices weekly mon 09:00", "每周一早上9点推送价格", "unsubscribe", "send us GPU prices every monday"],
)
def test_an_order_outside_slack_says_where_it_is_made_and_shows_the_digest(message: str) -> None:
    asked = ask(message)
    assert "Slack" in asked.headline
    assert "/gpu" in asked.headline
    assert asked.answer.table is not None
