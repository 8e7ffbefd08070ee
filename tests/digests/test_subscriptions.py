"""Subscriptions as people write them, English and Chinese twins side by side."""

from __future__ import annotations

from datetime import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.digests import DigestWords, load_digest_words, parse_wish, read_verb
from bot.folder import Folder

WORDS: DigestWords = load_digest_words(Folder.knowledge())

WISHES = [
    ("prices weekly mon 09:00 Asia/Shanghai", "价格 每周一 09:00 上海时间", 0, time(9), "Asia/Shanghai"),
    ("prices weekly on mon at 09:00 in Asia/Shanghai", "价格每周一9点上海时间", 0, time(9), "Asia/Shanghai"),
    ("prices every friday at 6pm New York", "价格 每周五 下午6点 纽约时间", 4, time(18), "America/New_York"),
    ("prices daily 18:30 utc", "每天下午六点半 价格 UTC", None, time(18, 30), "UTC"),
    ("weekly prices", "每周价格", 0, time(9), None),
    ("prices sunday 12:05 am", "价格 星期日 凌晨12:05", 6, time(0, 5), None),
    ("prices thu 9am UTC+8", "价格 周四 上午九点 UTC+8", 3, time(9), "Etc/GMT-8"),
    ("", "价格", 0, time(9), None),
]


@pytest.mark.parametrize(("english", "chinese", "weekday", "at", "zone"), WISHES)
def test_a_wish_reads_alike_in_both_languages(
    english: str, chinese: str, weekday: int | None, at: time, zone: str | None
) -> None:
    for text in (english, chinese):
        wish = parse_wish(text, WORDS)
        assert (wish.problems, wish.topic, wish.weekday, wish.at, wish.timezone) == ((), "prices", weekday, at, zone), text


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("prices mon 09:00 Mars/Base", "unknown_timezone", "mars/base"),
        ("prices mon 09:00 asia/shangai", "unknown_timezone", "asia/shangai"),
        ("prices mon 25:00", "impossible_quantity", "25:00"),
        ("prices mon 09:75", "impossible_quantity", "9:75"),
        ("prices fortnightly", "unknown_word", "fortnightly"),
        ("天气 每周一", "unknown_word", "天"),
        ("prices 😀", "unknown_word", "😀"),
    ],
)
def test_what_is_not_understood_is_named(text: str, code: str, said: str) -> None:
    problem = parse_wish(text, WORDS).problems[0]
    assert (problem.code, problem.said.removeprefix("0")) == (code, said)


@pytest.mark.parametrize(
    ("text", "verb", "rest"),
    [
        ("subscribe prices weekly", "subscribe", "prices weekly"),
        ("订阅价格每周一", "subscribe", "价格每周一"),
        ("Unsubscribe", "unsubscribe", ""),
        ("取消订阅", "unsubscribe", ""),
        ("SHOW", "show", ""),
        ("查看订阅", "show", ""),
        ("help", "help", ""),
        ("为什么", "why", ""),
        ("每周一早上9点推送价格", "subscribe", "每周一早上9点推送价格"),
        ("请每天 18:30 给我们推送 GPU 价格", "subscribe", "请每天 18:30 给我们推送 gpu 价格"),
        ("send us prices every monday at 9am", "subscribe", "send us prices every monday at 9am"),
        ("can you post gpu prices here every friday?", "subscribe", "can you post gpu prices here every friday"),
        ("stop sending prices", "unsubscribe", "prices"),
        ("取消推送", "unsubscribe", ""),
        ("每周一价格会变吗", None, "每周一价格会变吗"),
        ("H100 prices every monday", None, "H100 prices every monday"),
        ("show me H100 prices", None, "show me H100 prices"),
        ("why not two A100?", None, "why not two A100?"),
        ("subscribers of a 70B chat app, 8 x H100 enough?", None, "subscribers of a 70B chat app, 8 x H100 enough?"),
    ],
)
def test_a_command_is_told_from_a_question(text: str, verb: str | None, rest: str) -> None:
    assert read_verb(text, WORDS) == (verb, rest)


@given(st.text(max_size=80))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_no_text_breaks_the_reading(text: str) -> None:
    wish = parse_wish(text, WORDS)
    assert wish.problems or wish.topic == "prices"
    read_verb(text, WORDS)


@pytest.mark.parametrize(
    ("text", "weekday", "at"),
    [
        ("每周一早上9点推送价格", 0, time(9)),
        ("send us prices every friday at 6pm", 4, time(18)),
        ("please post the price digest here daily at 18:30", None, time(18, 30)),
    ],
)
def test_a_sentence_says_when(text: str, weekday: int | None, at: time) -> None:
    verb, rest = read_verb(text, WORDS)
    wish = parse_wish(rest, WORDS)
    assert (verb, wish.problems, wish.weekday, wish.at) == ("subscribe", (), weekday, at)
