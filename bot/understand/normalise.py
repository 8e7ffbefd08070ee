"""Raw message -> plain text: Slack markup, links, emoji, full-width forms and Traditional characters made uniform.

Normalising twice changes nothing. Whatever follows reads positions in this text only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

MAX_CHARACTERS = 4000  # what is read of a longer message: its head and its foot, where a question stands
_FOOT = 1000
_ROUNDS = 6  # removing markup can join new markup; each round only shortens

_ENTITY = re.compile(r"&(?:amp;){0,50}(lt|gt|amp);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&"}
_HUB_LINK = re.compile(
    r"https?://(?:www\.)?(?:huggingface\.co|hf-mirror\.com|modelscope\.cn/models)/([\w.\-]{1,60}/[\w.\-]{1,80})"
)
_LABELLED_LINK = re.compile(r"<(?:https?://|mailto:)[^<>|\s]{0,1000}\|([^<>]{0,300})>")
_MENTION = re.compile(r"<[@#!][^<>]{0,200}>|<(?:https?://|mailto:)[^<>\s]{0,1000}>")
_LINK = re.compile(r"https?://[^\s<>，。）)]{1,1000}")
_SHORTCODE = re.compile(r"(?<![A-Za-z0-9]):[a-z+][a-z0-9_+\-]{1,40}:(?![A-Za-z0-9])")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe00-\ufe0f\u20e3\u2b50\u2b55]")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_BOLD = re.compile(r"(?<![\w*)])\*(?=[^\s*])([^*\n]{1,200})(?<=[^\s*])\*(?![\w*(])")
_ITALIC = re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]{1,200})(?<=[^\s_])_(?!\w)")
_STRUCK = re.compile(r"~~([^~\n]{1,200})~~")
_QUOTED_LINE = re.compile(r"^\s*>[^\n]*$", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]+")
_NEWLINES = re.compile(r" ?\n[\s]*")
_HAN = re.compile("[\u4e00-\u9fff]")
_UNIFORM = str.maketrans(
    {"×": "x", "✕": "x", "✖": "x", "∗": "*", "–": "-", "—": "-", "−": "-", "’": "'", "‘": "'", "“": '"', "”": '"',
     "`": " ", "\u3000": " ", "İ": "I", "【": "[", "】": "]", "「": '"', "」": '"'}
)  # fmt: skip


def normalise(message: str) -> str:
    """`<!here> a１００　８０ｇ　能跑 ７０Ｂ 嗎` becomes `a100 80g 能跑 70B 吗`."""
    text = shorten(message)
    for _ in range(_ROUNDS):
        before, text = text, _once(text)
        if text == before:
            return text
    return _once(
        text.replace("<", " ").replace(">", " ").replace("*", " ").replace("_", " ").replace("&", " ").replace(":", " ")
    )


def shorten(message: str) -> str:
    """A message of more than MAX_CHARACTERS without its middle."""
    if len(message) <= MAX_CHARACTERS:
        return message
    return message[: MAX_CHARACTERS - _FOOT] + "\n" + message[1 - _FOOT :]


def _once(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_UNIFORM)
    text = _ENTITY.sub(lambda m: _ENTITIES[m.group(1)], text)
    text = _HUB_LINK.sub(r" \1 ", text)
    text = _LABELLED_LINK.sub(r" \1 ", text)
    text = _LINK.sub(" ", _MENTION.sub(" ", text))
    text = _SHORTCODE.sub(" ", _EMOJI.sub(" ", _INVISIBLE.sub("", text)))
    text = _CONTROL.sub(" ", text)
    text = _STRUCK.sub(" ", _ITALIC.sub(r"\1", _BOLD.sub(r"\1", text)))
    unquoted = _QUOTED_LINE.sub("", text)
    text = unquoted if unquoted.strip() else text
    text = _NEWLINES.sub("\n", _BLANKS.sub(" ", text)).strip()
    return simplified(text)


def simplified(text: str) -> str:
    """Traditional Chinese as simplified, character by character and for the phrases that differ."""
    if _HAN.search(text) and any(char in _traditional() for char in text):
        text = _converter()(text)
    return text.replace("升腾", "昇腾")  # a name, which both ways of writing share


@lru_cache(maxsize=1)
def _traditional() -> frozenset[str]:
    from pathlib import Path

    import opencc

    table = Path(opencc.__file__).parent / "dictionary" / "TSCharacters.txt"
    pairs = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines() if "\t" in line)
    return frozenset(source for source, target in pairs if source not in target.split())


@lru_cache(maxsize=1)
def _converter() -> Callable[[str], str]:
    from opencc import OpenCC  # type: ignore[attr-defined]  # its annotations are incomplete

    convert: Callable[[str], str] = OpenCC("t2s").convert  # type: ignore[no-untyped-call]
    return convert
