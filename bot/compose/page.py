"""An answer in words, part by part, before any surface draws it: what Slack and the terminal have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.answer import Answer, Assumption, Measured, Say, Source, Text, say
from bot.compose.escape import from_markdown, link
from bot.compose.tables import Grid, grid_of
from bot.compose.texts import Words
from bot.errors import UnknownName

_MOST_CAVEATS = 3
_MOST_SOURCES = 4
_MOST_CHOICES = 4
_MARKERS = "①②③④⑤⑥"
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Button:
    """`action` is what the surface does with a press; `message` is set where a press stands for a message."""

    label: str
    action: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Internal text (light marks, links by `escape.link`), one entry a line."""

    headline: str
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    table: Grid | None = None
    buttons: tuple[Button, ...] = ()


def page_of(answer: Answer, words: Words) -> Page:
    return Page(
        headline=words.say(answer.headline),
        parts={
            "corrections": tuple(words.say(line) for line in answer.corrections),
            "body": tuple(line for line in (from_markdown(words.say(line)).strip() for line in answer.body) if line),
            "assumed": _assumed(answer.assumptions, words),
            "mind": _mind(answer, words),
            "measured": tuple(_measured(found, words) for found in answer.measured[:1]),
            "sources": _sources(answer.sources, words),
        },
        table=grid_of(answer.table, words) if answer.table and answer.table.rows else None,
        buttons=_buttons(answer, words),
    )


def sum_page(answer: Answer, words: Words) -> Page | None:
    """The sum of the answer's main figure, largest part first; None where there is nothing to add up."""
    if not answer.sum:
        return None
    lines = []
    for part in answer.sum:
        text = say("reply.sum_line", label=part.label, value=part.value, unit=part.unit, formula=part.formula)
        source = f" · {link(words.say(part.source.name), part.source.url)}" if part.source else ""
        lines.append(words.say(text) + source)
    rungs = tuple(words.say(_rung(rung)) for rung in answer.savings)
    head = (words.say(say("reply.savings")), *rungs) if rungs else ()
    return Page(headline=words.say(say("reply.sum_head")), parts={"body": (*lines, *head)})


def _rung(rung: object) -> Say:
    change, saved, left, verdict = (getattr(rung, name) for name in ("change", "saved_gib", "left_gib", "verdict"))
    return say("reply.rung", change=change, saved=saved, left=left, verdict=verdict)


def _assumed(assumptions: tuple[Assumption, ...], words: Words) -> tuple[str, ...]:
    if not assumptions:
        return ()
    listed = list(dict.fromkeys(slot_words(item.slot, item.value, words) for item in assumptions))
    return (words.say(say("reply.assumed", items=listed)),)


def slot_words(slot: str, value: object, words: Words) -> str:
    """`seq_len`, 2048 -> `2,048 tokens`: a slot's value as `templates/texts/slot.yaml` puts it."""
    if isinstance(value, Text):
        return words.say(value)
    try:
        return words.say(say(f"slot.{_INDEX.sub('', slot)}", value=value))
    except UnknownName:
        return words.say(say("slot.other", slot=slot.replace("_", " "), value=value))


def _mind(answer: Answer, words: Words) -> tuple[str, ...]:
    heaviest = sorted(answer.caveats, key=lambda caveat: -caveat.weight)[:_MOST_CAVEATS]
    if not heaviest:
        return ()
    if len(heaviest) == 1:
        return (words.say(say("reply.mind", items=[words.say(heaviest[0].text)])),)
    marked = [f"{mark} {words.say(caveat.text)}" for mark, caveat in zip(_MARKERS, heaviest, strict=False)]
    return (words.say(say("reply.mind", items=marked)),)


def _measured(found: Measured, words: Words) -> str:
    source = link(_place(found.source), found.source.url)
    return words.say(say("reply.measured", what=found.what, value=found.value, unit=found.unit, source=source))


def _place(source: Source) -> str:
    """Where a measurement was published, short: `github.com/QwenLM/Qwen`, `qwen.readthedocs.io`."""
    if not source.url:
        return source.title
    host, *path = source.url.split("//", 1)[-1].split("/")
    repository = host in ("github.com", "huggingface.co") and len(path) >= 2
    return "/".join([host, *path[:2]]) if repository else host


def _sources(sources: tuple[Source, ...], words: Words) -> tuple[str, ...]:
    distinct = list(dict.fromkeys(sources))[:_MOST_SOURCES]
    if not distinct:
        return ()
    return (words.say(say("reply.sources", items=[_source(source, words) for source in distinct])),)


def _source(source: Source, words: Words) -> str:
    title = link(words.say(source.name), source.url)
    return words.say(say("reply.source", title=title, read_on=source.read_on, recalled=source.standing == "recalled"))


def _buttons(answer: Answer, words: Words) -> tuple[Button, ...]:
    made: list[Button] = []
    if answer.main is not None:
        made.append(Button(words.say(say("reply.adjust")), "adjust"))
    if answer.sum:
        made.append(Button(words.say(say("reply.show_sum")), "show_sum"))
    if answer.recipes:
        made.append(Button(words.say(say("reply.show_recipe")), "show_recipe"))
    made += [
        Button(words.say(choice.label), f"ask_{number}", words.say(choice.message))
        for number, choice in enumerate(answer.choices[:_MOST_CHOICES])
    ]
    return tuple(made)
