"""The app leaves a workspace: everything stored for it is deleted."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext

from bot.slack.conversing import in_thread
from bot.slack.desk import Desk
from bot.slack.place import workspace_of
from bot.storage import forget_workspace

logger = logging.getLogger(__name__)


def register(app: AsyncApp, desk: Desk) -> None:
    async def forget(context: AsyncBoltContext) -> None:
        rows = await in_thread(forget_workspace, desk.database, workspace_of(context))
        logger.info("workspace forgotten team=%s rows=%d", context.team_id, rows)

    @app.event("app_uninstalled")
    async def on_uninstalled(context: AsyncBoltContext) -> None:
        await forget(context)

    @app.event("tokens_revoked")
    async def on_revoked(event: Mapping[str, Any], context: AsyncBoltContext) -> None:
        if (event.get("tokens") or {}).get("bot"):  # a person's own token may go without the app leaving
            await forget(context)
