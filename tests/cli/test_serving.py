"""Commands of the surfaces: what they say when something is missing, and the database's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.wiring import settings_once


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No token, no `.env`, a database of its own."""
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'own.db'}")
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> tuple[int, str]:
    settings_once.cache_clear()
    done = CliRunner().invoke(app, list(arguments))
    settings_once.cache_clear()
    return done.exit_code, done.output


def test_serve_names_the_token_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "SLACK_BOT_TOKEN is not set" in run("serve")[1]
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-test")
    code, words = run("serve")
    assert code == 2
    assert "SLACK_APP_TOKEN" in words
    assert "SLACK_SIGNING_SECRET" in words


def test_a_time_that_is_none_is_refused() -> None:
    code, words = run("digest", "run-due", "--now", "monday")
    assert code == 2
    assert "not an ISO time" in words


def test_the_database_is_brought_up_to_date(tmp_path: Path) -> None:
    assert run("db", "upgrade") == (0, f"sqlite:///{tmp_path / 'own.db'}: up to date\n")
    assert run("db", "upgrade")[0] == 0


def test_nothing_is_due_without_subscriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-test")
    assert run("digest", "run-due", "--now", "2026-12-07T09:00+08:00") == (0, "nothing is due\n")
