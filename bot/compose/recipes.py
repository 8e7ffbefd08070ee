"""The configuration that realises an answer: `templates/recipe/{kind}.j2` filled with the answer's own settings."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import jinja2

from bot.answer import Answer, Recipe, say
from bot.compose.page import Page
from bot.compose.texts import Words


def recipe_page(answer: Answer, words: Words, templates: Path) -> Page | None:
    """Every configuration of the answer, each with what to look at in its first minutes; None where there is none."""
    if not answer.recipes:
        return None
    lines: list[str] = []
    for recipe in answer.recipes:
        lines += [f"`{recipe.filename}`", f"```\n{rendered(recipe, templates)}\n```"]
        lines += [words.say(recipe.check)] if recipe.check else []
    return Page(headline=words.say(say("reply.recipe_head")), parts={"body": tuple(lines)})


def rendered(recipe: Recipe, templates: Path) -> str:
    """The file's text."""
    return _environment(templates).get_template(f"{recipe.kind}.j2").render(recipe.settings).strip()


@lru_cache(maxsize=2)
def _environment(templates: Path) -> jinja2.Environment:
    # Files for machines: nothing is escaped, since nothing of them is HTML; marks of Slack are escaped with the message.
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates / "recipe"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
