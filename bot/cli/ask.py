"""`suanli ask`: one answer, in words or as JSON."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bot.assistant import Assistant
    from bot.compose import BlockProfile


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)


def ask(
    text: Annotated[list[str] | None, typer.Argument(help="The question, in English or Chinese.")] = None,
    *,
    as_json: bool = typer.Option(False, "--json", help="The whole answer as one JSON object."),
    jsonl: bool = typer.Option(
        False, "--jsonl", help="Read one question a line from standard input, write one answer a line."
    ),
    show_sum: bool = typer.Option(False, "--sum", help="Also show how the main figure adds up."),
    recipe: bool = typer.Option(False, "--recipe", help="Also show the configuration that realises the answer."),
    profile: str = typer.Option("rich", help="How `reply.blocks` are made: rich or plain."),
) -> None:
    """Answer a question: `suanli ask "can A100 80G fine-tune a 70B model?"`."""
    if profile not in ("rich", "plain"):
        raise typer.BadParameter("rich or plain", param_hint="--profile")
    if jsonl:
        from bot.cli.lines import serve_lines

        assistant = _assistant()
        serve_lines(lambda item: answer_line(item, assistant, profile))  # type: ignore[arg-type]
    elif not text:
        raise typer.BadParameter('a question is needed; try: suanli ask "can A100 80G fine-tune a 70B model?"')
    else:
        with _nothing_collected():
            if as_json:
                import json

                answer = answer_line({"text": " ".join(text)}, _assistant(), profile)  # type: ignore[arg-type]
                typer.echo(json.dumps(answer, ensure_ascii=False))
            else:
                _print(" ".join(text), _assistant(), further={"sum": show_sum, "recipe": recipe})


def _assistant() -> Assistant:
    from bot.wiring import build_assistant, settings_once

    return build_assistant(settings_once())


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """No search for garbage in cycles: the process ends after this answer, and nearly all it made is still in use.

    Freezing spares the last search, that of the exit. Both together are a sixth of the time of one cold answer.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _print(text: str, assistant: Assistant, *, further: dict[str, bool]) -> None:
    from datetime import UTC, datetime

    from bot.compose.terminal import render_page
    from bot.question import Reader, Thread

    reader = Reader()
    answer = assistant.answer(text, Thread(), now=datetime.now(UTC), reader=reader)
    pages = [assistant.composer.page(answer, reader=reader)]
    more = assistant.composer.further_pages(answer, reader=reader) if any(further.values()) else {}
    pages += [page for name, page in more.items() if further[name] and page is not None]
    typer.echo("\n\n".join(render_page(page) for page in pages))


def answer_line(item: dict[str, Any], assistant: Assistant, profile: BlockProfile) -> dict[str, Any]:
    """`{"text"}` gives one answer, `{"turns": […]}` one for each turn of a thread that remembers."""
    from datetime import UTC, datetime

    from bot.cli.answers import answer_json
    from bot.question import Reader, Thread

    now, reader, thread = datetime.now(UTC), Reader(), Thread()
    made = []
    for message in item.get("turns") or [item.get("text", "")]:
        if not isinstance(message, str):
            raise ValueError("text: a string is expected; turns: a list of strings")
        answer = assistant.answer(message, thread, now=now, reader=reader)
        reply = assistant.reply(answer, profile=profile, reader=reader)
        made.append(answer_json(answer, reply, assistant.composer.words(answer.language, reader).say))
        thread = assistant.remember(thread, answer, now=now)
    return {"turns": made} if item.get("turns") else made[0]
