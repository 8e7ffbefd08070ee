"""`suanli chat`: a conversation in the terminal, with the memory of one thread."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    app.command("chat")(chat)


def chat() -> None:
    """Ask, and follow up: "and with LoRA?", "换成 8 张 H100 呢". An empty line or Ctrl-D ends."""
    from datetime import UTC, datetime

    from bot.compose.terminal import render_page
    from bot.question import Reader, Thread
    from bot.wiring import build_assistant, settings_once

    assistant, reader, thread = build_assistant(settings_once()), Reader(), Thread()
    typer.echo("Suanli. Ask about GPUs for models, in English or Chinese; an empty line ends.")
    while True:
        try:
            message = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            message = ""
        if not message:
            return
        now = datetime.now(UTC)
        answer = assistant.answer(message, thread, now=now, reader=reader)
        typer.echo(render_page(assistant.composer.page(answer, reader=reader)) + "\n")
        thread = assistant.remember(thread, answer, now=now)
