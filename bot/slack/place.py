"""Where a message stands, read from Bolt's payloads once; past this file nothing looks into dictionaries of Slack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.storage import Workspace


@dataclass(frozen=True, slots=True)
class Place:
    """A channel and a thread in it. `thread_ts` None: not in a thread."""

    workspace: Workspace
    channel: str
    user: str
    thread_ts: str | None = None
    ts: str | None = None
    is_direct: bool = False

    @property
    def answer_thread(self) -> str | None:
        """Where the answer goes: into the thread; in a channel a new message opens one, in a direct message it does not."""
        return self.thread_ts or (None if self.is_direct else self.ts)


def workspace_of(context: Mapping[str, Any]) -> Workspace:
    return Workspace(context.get("team_id") or "", context.get("enterprise_id") or "")


def place_of_event(event: Mapping[str, Any], context: Mapping[str, Any]) -> Place:
    """Of a `message` or `app_mention` event."""
    return Place(
        workspace_of(context),
        event["channel"],
        event.get("user") or "",
        event.get("thread_ts"),
        event.get("ts"),
        event.get("channel_type") == "im" or event["channel"].startswith("D"),
    )


def place_of_command(command: Mapping[str, Any], context: Mapping[str, Any]) -> Place:
    channel = command["channel_id"]
    return Place(workspace_of(context), channel, command["user_id"], is_direct=channel.startswith("D"))


def place_of_action(body: Mapping[str, Any], context: Mapping[str, Any]) -> Place:
    """Of the message whose button was pressed. One that only the asker sees has no `ts`: nothing can hang on it."""
    message, container = body.get("message") or {}, body.get("container") or {}
    channel = body["channel"]["id"]
    is_ephemeral = container.get("is_ephemeral") or message.get("subtype") == "ephemeral" or not message
    return Place(
        workspace_of(context),
        channel,
        body["user"]["id"],
        message.get("thread_ts") or container.get("thread_ts"),
        None if is_ephemeral else message.get("ts"),
        channel.startswith("D"),
    )
