"""One answer in both languages, drawn for Slack and for the terminal."""

import json
import re

import pytest

from bot.compose import Composer
from bot.compose.page import Page
from bot.compose.tables import Grid, monospace, width
from bot.compose.terminal import render_page
from bot.question import Reader
from tests.compose.example import example_answer
from tests.snapshots import assert_snapshot

COMPOSER, READER = Composer(), Reader()


def words_of(page: Page) -> str:
    return render_page(page, colour=False)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_reply(language: str) -> None:
    answer = example_answer(language)  # type: ignore[arg-type]
    assert_snapshot(f"reply_{language}", words_of(COMPOSER.page(answer, reader=READER)))


@pytest.mark.parametrize("profile", ["rich", "plain"])
def test_the_whole_message(profile: str) -> None:
    reply = COMPOSER.compose(example_answer(), profile=profile, reader=READER)  # type: ignore[arg-type]
    assert_snapshot(f"blocks_{profile}", json.dumps(reply.blocks, ensure_ascii=False, indent=1))


def test_both_languages_have_the_same_figures() -> None:
    figures = {
        language: sorted(re.findall(r"\d[\d,.]*\d|\d", words_of(COMPOSER.page(example_answer(language), reader=READER))))  # type: ignore[arg-type]
        for language in ("en", "zh")
    }
    assert figures["en"] == figures["zh"]


def test_the_headline_stands_alone() -> None:
    reply = COMPOSER.compose(example_answer(), reader=READER)
    assert reply.headline == "Yes with QLoRA on one A100 80G (about 48 of 79 GiB); LoRA takes 4 cards (2 are tight)."


def test_the_heaviest_caveat_comes_first() -> None:
    mind = COMPOSER.page(example_answer(), reader=READER).parts["mind"][0]
    assert mind.index("per card") < mind.index("79.1")


def test_the_sum_adds_up_in_its_own_reply() -> None:
    reply = COMPOSER.compose_sum(example_answer(), reader=READER)
    assert reply is not None
    assert "36.8 GiB = 35.3 + 4.2 GB" in json.dumps(reply.blocks)


def test_an_answer_without_a_sum_has_none() -> None:
    assert COMPOSER.compose_sum(example_answer(sum=()), reader=READER) is None


def test_chinese_columns_line_up() -> None:
    grid = Grid(("方法", "卡数"), (("全参微调", "16"), ("LoRA", "4")), (False, True))
    widths = {width(line) for line in monospace(grid).splitlines()}
    assert len(widths) == 1
