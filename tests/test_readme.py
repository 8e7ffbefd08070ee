"""The README is true: transcripts are run, commands exist, the scoreboard is the one that the command prints.

After an intended change renew its blocks with SUANLI_UPDATE_SNAPSHOTS=1.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from freezegun import freeze_time
from typer.main import get_command
from typer.testing import CliRunner

from bot.cli import app

README = Path(__file__).parent.parent / "README.md"
TRANSCRIPT = re.compile(r"```console\n\$ suanli (?P<command>[^\n]+)\n(?P<shown>.*?)```", re.DOTALL)
SCOREBOARD = re.compile(r"(?P<mark><!-- scoreboard -->\n)```\n(?P<shown>.*?)```", re.DOTALL)
UPDATE = os.environ.get("SUANLI_UPDATE_SNAPSHOTS") == "1"


def read() -> str:
    return README.read_text(encoding="utf-8")


def run(command: str) -> str:
    """What the command prints on the day of the README."""
    runner = CliRunner(env={"COLUMNS": "100"})
    runner.invoke(app, shlex.split(command))  # imports what it needs: a record type cannot be defined in frozen time
    with freeze_time("2026-11-30 12:00:00"):
        done = runner.invoke(app, shlex.split(command))
    assert done.exit_code == 0, done.output
    return "\n".join(line.rstrip() for line in done.output.strip().splitlines()) + "\n"


@pytest.mark.parametrize("command", [m["command"] for m in TRANSCRIPT.finditer(read())])
def test_transcripts_are_what_the_command_prints(command: str) -> None:
    printed = run(command)
    if UPDATE:
        block = f"```console\n$ suanli {command}\n{printed}```"
        README.write_text(
            TRANSCRIPT.sub(lambda m: block if m["command"] == command else m.group(0), read()), encoding="utf-8"
        )
    shown = {m["command"]: m["shown"] for m in TRANSCRIPT.finditer(read())}
    assert shown[command] == printed


def test_the_scoreboard_is_the_one_of_today() -> None:
    printed = run("scoreboard --worst 0")
    if UPDATE:
        README.write_text(SCOREBOARD.sub(lambda m: f"{m['mark']}```\n{printed}```", read()), encoding="utf-8")
    found = SCOREBOARD.search(read())
    assert found is not None
    assert found["shown"] == printed


def test_every_command_is_documented() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert [name for name in commands if f"suanli {name}" not in read()] == []


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)\)", read())
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
