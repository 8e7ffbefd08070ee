"""Before reading: markup, links, full-width and Traditional characters, logs, a pasted config."""

from __future__ import annotations

import pytest

from bot.errors import KnowledgeError
from bot.understand.config import take_config
from bot.understand.flags import FLAGS
from bot.understand.intents import load_rules
from bot.understand.lexicon import Lexicon, expand, spellings
from bot.understand.noise import without_log_numbers
from bot.understand.normalise import MAX_CHARACTERS, normalise
from bot.understand.patterns import Patterns
from tests.understand.reading import read, understanding

NORMAL = [
    ("a１００　８０ｇ　能跑 ７０Ｂ 吗", "a100 80g 能跑 70B 吗"),
    ("<!here> <@U12> H100 price", "H100 price"),
    ("&lt;!channel&gt; H100", "H100"),
    ("see <https://example.com/x|the page> on A100", "see the page on A100"),
    ("https://huggingface.co/Qwen/Qwen2.5-7B on A100", "Qwen/Qwen2.5-7B on A100"),
    ("hi there :wave: 😀", "hi there"),
    ("is *fine-tune* of `7B` _ok_", "is fine-tune of 7B ok"),
    ("8*A100 and 4*4090*", "8*A100 and 4*4090*"),
    ("請問 8×A100 可以訓練嗎", "请问 8xA100 可以训练吗"),
    ("昇騰910B", "昇腾910B"),
    ("> he said 8 H100\nand on A100?", "and on A100?"),
]
CONFIG = """{"_name_or_path": "acme/Foo-1", "model_type": "foo", "num_hidden_layers": 32, "hidden_size": 4096,
"num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
"torch_dtype": "bfloat16"}"""


@pytest.mark.parametrize(("message", "text"), NORMAL)
def test_a_message_becomes_plain_text(message: str, text: str) -> None:
    assert normalise(message) == text


def test_a_long_paste_keeps_its_head_and_its_foot() -> None:
    text = normalise("can A100 run 7B? " + "x" * 50_000 + " and on H100?")
    assert len(text) <= MAX_CHARACTERS
    assert text.startswith("can A100")
    assert text.endswith("and on H100?")


def test_log_numbers_are_blanked_in_place() -> None:
    log = "tried to allocate 2.00 gib. gpu 0 has a total capacity of 79.14 gib, 8 gpus"
    blanked = without_log_numbers(log)
    assert len(blanked) == len(log)
    assert "2.00" not in blanked
    assert blanked.endswith("8 gpus")


def test_a_pasted_config_is_the_model() -> None:
    question = read(f"does this fit on one 4090? {CONFIG}")
    assert question.config is not None
    assert question.config.name == "Foo-1"
    shape = dict(question.config.fields)
    assert (shape["layers"], shape["kv_heads"], shape["attention"], shape["native_weights"]) == (32, 8, "GQA", "bf16")
    assert question.slots.models[0].name == "Foo-1"


def test_other_json_is_no_config() -> None:
    assert take_config('{"a": 1} and {"hidden_size": 4096}')[1] is None


def test_the_config_stays_while_its_model_is_in_question() -> None:
    first = read(f"fits a 4090? {CONFIG}")
    assert read("and on A100?", first).config == first.config
    assert read("and Qwen2.5-7B?", first).config is None


def test_phrases_expand() -> None:
    assert list(expand("fine~tun{e,ing}")) == ["fine~tune", "fine~tuning"]
    assert spellings("fine~tune") == ["finetune", "fine tune"]


def test_latin_phrases_match_whole_words_and_chinese_ones_anywhere() -> None:
    lexicon = Lexicon()
    lexicon.add("rl | fine~tune", "task", "x")
    lexicon.add("微调", "task", "y")
    assert [m.value for m in lexicon.scan("world rl fine-tune finetune fine\ntune 能微调吗")] == ["x"] * 4 + ["y"]


def test_a_wrong_rule_is_named() -> None:
    with pytest.raises(KnowledgeError, match=r"rules\[0\] odd"):
        load_rules({"order": "faq", "rules": [{"id": "odd", "intent": "nonsense", "points": 1}]})


def test_a_wrong_pattern_is_named() -> None:
    with pytest.raises(KnowledgeError, match=r"patterns.yaml odd"):
        Patterns({"odd": "(<missing>"}, {})["odd"]


def test_every_flag_of_a_rule_can_be_raised() -> None:
    vocabulary = understanding().vocabulary
    used = set().union(*(rule.all | rule.any | rule.none for rule in vocabulary.rules.rules))
    assert used - set(vocabulary.words["intents"]["cues"]) <= FLAGS


def test_no_phrase_is_a_regular_expression() -> None:
    words = understanding().vocabulary.words
    phrases = [phrase for group in ("cues", "metrics") for phrase in words["intents"][group].values()]
    assert [phrase for phrase in phrases if ".*" in phrase or "\\" in phrase] == []
