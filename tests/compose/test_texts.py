"""Every sentence in both languages, with the same placeholders, and no filter that does not exist."""

import re

import pytest
from jinja2 import Environment, meta

from bot.answer import Bilingual, say
from bot.compose.locale import Locale
from bot.compose.texts import Words, spaced, texts_in
from bot.errors import UnknownName
from bot.folder import data_root

TEXTS = texts_in(data_root() / "templates" / "texts")


def environment() -> Environment:
    made = Environment()
    made.filters.update(Locale("en").filters())
    return made


def test_both_languages_place_the_same_values() -> None:
    jinja, unlike = environment(), []
    for key, entry in TEXTS.all.items():
        assert set(entry) == {"en", "zh"}, key
        printed = {language: re.sub(r"\{%.*?%\}", "", text) for language, text in entry.items()}
        names = {language: meta.find_undeclared_variables(jinja.parse(text)) for language, text in printed.items()}
        own = {"en", "zh"}  # prose that a sentence is given in each language
        if names["en"] - own != names["zh"] - own:
            unlike.append(f"{key}: {names}")
    assert not unlike


def test_every_sentence_compiles() -> None:
    jinja = environment()
    for entry in TEXTS.all.values():
        for text in entry.values():
            jinja.from_string(text)


def test_chinese_is_chinese_and_english_is_not() -> None:
    for key, entry in TEXTS.all.items():
        english, chinese = (re.sub(r"\{[{%].*?[%}]\}", "", entry[language]) for language in ("en", "zh"))
        terms = re.sub(r"\([\u4e00-\u9fff]{1,6}\)", "", english)  # a term of law in brackets may stay
        assert not re.search("[\u4e00-\u9fff]", terms), f"{key}: {english}"
        prose = [word for word in re.findall(r"[A-Za-z]{3,}", english) if word.islower()]
        assert len(prose) < 6 or re.search("[\u4e00-\u9fff]", chinese), f"{key}: {chinese}"


def test_a_sentence_holds_sentences() -> None:
    words = Words(TEXTS, Locale("en"))
    outer = say("feasibility.also_no", method=say("method.lora"), counts=say("counts.same", n=4))
    assert words.say(outer) == "LoRA takes 4 cards"
    assert words.say(Bilingual("two", "二")) == "two"


def test_a_missing_key_is_named() -> None:
    with pytest.raises(UnknownName, match=r"no\.such"):
        Words(TEXTS, Locale("en")).say(say("no.such"))


@pytest.mark.parametrize(
    ("written", "typeset"),
    [
        ("做 70B 的 全参微调", "做 70B 的全参微调"),
        ("2张A100用LoRA", "2 张 A100 用 LoRA"),
        ("约 48 / 79 GiB", "约 48 / 79 GiB"),
    ],
)
def test_chinese_is_spaced_as_it_is_typeset(written: str, typeset: str) -> None:
    assert spaced(written) == typeset
