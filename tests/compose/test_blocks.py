"""Block Kit's limits hold whatever the answer holds, and nothing of a user is live."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answer import Bilingual, Caveat, Cell, Choice, Source, Table, say
from bot.compose import BlockProfile, Composer
from bot.question import Reader
from tests.compose.example import COLUMNS, example_answer

COMPOSER, READER = Composer(), Reader()
PROFILES: tuple[BlockProfile, ...] = ("rich", "plain")


def assert_within_limits(blocks: tuple[dict, ...]) -> None:  # type: ignore[type-arg]
    assert 1 <= len(blocks) <= 50
    assert sum(block["type"] == "table" for block in blocks) <= 1
    for block in blocks:
        if block["type"] == "section":
            assert 1 <= len(block["text"]["text"]) <= 3000
        elif block["type"] == "context":
            assert len(block["elements"]) <= 10
            assert all(len(element["text"]) <= 2000 for element in block["elements"])
        elif block["type"] == "actions":
            assert len(block["elements"]) <= 25
            assert all(len(button["text"]["text"]) <= 75 for button in block["elements"])
            assert all(len(button.get("value", "")) <= 2000 for button in block["elements"])
            ids = [button["action_id"] for button in block["elements"]]
            assert len(ids) == len(set(ids))
        elif block["type"] == "table":
            assert len(block["rows"]) <= 100
            assert all(len(row) <= 20 for row in block["rows"])
            assert all(cell["text"] for row in block["rows"] for cell in row)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_example_is_within_limits(profile: BlockProfile, language: str) -> None:
    reply = COMPOSER.compose(example_answer(language), profile=profile, reader=READER)  # type: ignore[arg-type]
    assert_within_limits(reply.blocks)  # type: ignore[arg-type]
    assert reply.headline in reply.text


@pytest.mark.parametrize("profile", PROFILES)
def test_an_overgrown_answer_is_cut_to_the_limits(profile: BlockProfile) -> None:
    long = Bilingual("word <b> & " * 900, "字" * 9000)
    row = tuple(Cell("x" * 900) for _ in COLUMNS)
    answer = example_answer(
        headline=long,
        body=(long,) * 40,
        table=Table(COLUMNS, (row,) * 300),
        caveats=tuple(Caveat(str(n), long) for n in range(9)),
        sources=tuple(Source("s" * 300, f"https://example.org/{n}") for n in range(30)),
        choices=tuple(Choice(long, "m" * 5000) for _ in range(12)),
    )
    assert_within_limits(COMPOSER.compose(answer, profile=profile, reader=READER).blocks)  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_of_a_user_is_live(profile: BlockProfile) -> None:
    hostile = "<!channel> <@U1> *now* & <https://evil.example|here>"
    answer = example_answer(
        headline=say("problem.impossible_quantity", said=hostile), body=(Bilingual(hostile, hostile),), table=None
    )
    drawn = json.dumps(COMPOSER.compose(answer, profile=profile, reader=READER).blocks)
    assert "<!channel>" not in drawn
    assert "<@U1>" not in drawn
    assert "<https://evil" not in drawn


@given(st.text(max_size=400))
@settings(max_examples=60)
def test_any_words_compose(words: str) -> None:
    answer = replace(example_answer(), headline=say("problem.unknown_gpu", said=words), body=(Bilingual(words, words),))
    for profile in PROFILES:
        assert_within_limits(COMPOSER.compose(answer, profile=profile, reader=READER).blocks)  # type: ignore[arg-type]


def test_plain_draws_no_native_table_and_no_feedback() -> None:
    rich = {block["type"] for block in COMPOSER.compose(example_answer(), profile="rich", reader=READER).blocks}
    plain = {block["type"] for block in COMPOSER.compose(example_answer(), profile="plain", reader=READER).blocks}
    assert {"table", "context_actions"} <= rich
    assert plain <= {"section", "context", "actions"}
