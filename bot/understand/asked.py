"""What a question asks for: a question word and the head of what follows it, with other words between.

`how many DGX H100 nodes` asks for cards, `what decode rate` for a rate, `which AWS instance` for a thing to choose. In
Chinese the head may stand before its question word: `租金各是多少`, `显存至少得多少`. The flags are `word_head`
(`many_card`, `which_thing`); both lists are data in `knowledge/lexicon/intents.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.understand.lexicon import Mention, longest

WORDS = ("many", "much", "which", "when")
HEADS = ("card", "thing", "choose", "hours", "rate", "load", "money", "memory", "attribute", "size", "done", "seller")
_TOGETHER: Mapping[str, frozenset[str]] = {
    "asks_choice": frozenset({"which_card", "which_thing", "which_seller"}),
    "asks_price": frozenset({"many_money", "much_money", "which_money", "much_card"}),
    "asks_hours": frozenset({"many_hours", "much_hours", "which_hours"}),
    "asks_rate": frozenset({"many_rate", "much_rate", "which_rate"}),
    "asks_memory": frozenset({"many_memory", "much_memory", "which_memory"}),
    "asks_attribute": frozenset({"many_attribute", "much_attribute", "which_attribute"}),
}
ASKED = frozenset({f"{word}_{head}" for word in WORDS for head in HEADS} | set(_TOGETHER))
_CLAUSE_END = re.compile(r"[,;?!。\n]|(?<!\d)\.")
_NOT_IN_A_NOUN = re.compile(
    r"(?<![a-z])(?:do|does|did|is|are|was|would|will|should|can|could|has|have|fits?|on|in|at|for|with|to|from|per|than)(?![a-z])"
    r"|[在用能给比]|(?<![a-z\d])-?\d{1,6}(?![a-z\d])"
)
_EACH = frozenset("一每")  # 一小时收多少: the hour is what is paid for
_PREDICATES = frozenset({"choose", "money", "done"})  # `what would you buy`, `what do they charge`: the verb comes between
_FURTHEST, _FURTHEST_WHEN, _FURTHEST_HAN, _BEFORE = 34, 80, 8, 7  # characters between a question word and its head


def asked_heads(low: str, words: Iterable[Mention], nouns: Iterable[Mention], cards: Iterable[tuple[int, int]]) -> set[str]:
    """Every `word_head` of a text and what they come to; `cards` are the places of GPU names, heads of their own."""
    heads = longest([*nouns, *(Mention(start, end, "heads", "name") for start, end in cards)])
    found = {f"{word}_{head}" for word, head in _pairs(low, longest(words), heads)}
    return found | {name for name, parts in _TOGETHER.items() if parts & found}


def _pairs(low: str, words: Sequence[Mention], heads: Sequence[Mention]) -> Iterator[tuple[str, str]]:
    for word in words:
        kind, _, place = word.value.partition(".")
        after = _head_after(low, word.end, kind, heads) if place != "last" else None
        if after is not None:
            yield kind, after
            continue
        before = next((h for h in reversed(heads) if h.end <= word.start), None)
        han = not low[word.start].isascii() and kind == "many"
        if (
            before is not None
            and han
            and before.value not in ("name", "card")
            and _reaches(low, before.end, word.start, _BEFORE)
        ):
            yield (
                kind,
                "money" if before.value == "hours" and low[before.start - 1 : before.start] in _EACH else before.value,
            )


def _head_after(low: str, end: int, kind: str, heads: Sequence[Mention]) -> str | None:
    """The head of the noun that begins at `end`, or the verb of the question."""
    furthest = _FURTHEST_WHEN if kind == "when" else _FURTHEST if low[end - 1].isascii() else _FURTHEST_HAN
    for number, head in enumerate(heads):
        if head.start < end or not _may_head(kind, head.value):
            continue
        following = heads[number + 1] if number + 1 < len(heads) else None
        if head.value == "name" and following and following.value == "hours" and following.start - head.end <= 1:
            continue  # H100 hours
        if not _reaches(low, end, head.start, furthest):
            return None
        value = "card" if head.value == "name" else head.value
        if value in _PREDICATES or (kind == "much" and value == "card") or not _NOT_IN_A_NOUN.search(low, end, head.start):
            return value
    return None


def _may_head(kind: str, head: str) -> bool:
    """`which` asks for no name, only `which` for what to choose, and only `when` for an end."""
    if kind == "when" or head == "done":
        return kind == "when" and head == "done"
    return head != ("name" if kind == "which" else "choose")


def _reaches(low: str, start: int, end: int, most: int) -> bool:
    """Close enough, and in one clause."""
    return end - start <= most and not _CLAUSE_END.search(low, start, end)
