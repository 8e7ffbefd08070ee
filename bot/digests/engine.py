"""Durable deliveries on DBOS, in the same database as the rest: one workflow a subscription and local date.

The workflow's id is `digest:{subscription}:{local date}`, so that a second tick, a second process or an hour that the
clocks repeat cannot start it again; what a crash interrupts is taken up at the next start.
"""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime, timedelta
from typing import Any

from dbos import DBOS, SetWorkflowID

from bot.digests.deliver import Mailroom, Outcome, deliver
from bot.digests.schedule import LOOK_BACK, last_due
from bot.storage import every_subscription

_QUEUE = "digests"
_AT_ONCE = 20  # posts at a time; Slack's own limits bind long before
_EVERY_MINUTE = "* * * * *"
_TICK_LOOKS_BACK = timedelta(minutes=15)  # a tick that was late or lost is made up for by the next ones
# Only when the steps of a workflow change order: whatever is half done under the old version then stays there.
_VERSION = "1"


class DigestEngine:
    """Started once in a process. `executor` names the process: what it left half done, it takes up again."""

    def __init__(self, room: Mailroom, *, executor: str) -> None:
        self._room, self._executor = room, executor

    def start(self, *, on_schedule: bool) -> None:
        """Open the engine; with `on_schedule` what is due is posted from now on, and what was missed at once."""
        DBOS(
            config={
                "name": "suanli",
                "application_version": _VERSION,
                "executor_id": self._executor,
                "system_database_url": self._room.database.url.render_as_string(hide_password=False),
                "system_database_engine": self._room.database.engine,
                "console_log_level": "WARNING",
                "max_executor_threads": 2 * _AT_ONCE,
            }
        )
        self._register()
        DBOS.launch()
        DBOS.register_queue(_QUEUE, worker_concurrency=_AT_ONCE, polling_interval_sec=0.5)
        if on_schedule:
            tick = {"schedule_name": "digests", "workflow_fn": self._tick, "schedule": _EVERY_MINUTE}
            DBOS.apply_schedules([tick])  # type: ignore[list-item]
            self._enqueue_due(self._room.clock(), LOOK_BACK)

    def run_due(self, now: datetime) -> dict[str, Outcome]:
        """Post everything that is due at `now`, wait for it, and tell what became of each."""
        handles = self._enqueue_due(now, LOOK_BACK)
        return {digest_id: handle.get_result() for digest_id, handle in handles.items()}

    def stop(self) -> None:
        DBOS.destroy(destroy_registry=True)
        logging.getLogger("dbos").handlers.clear()  # they hold the stream of this start; the next start adds its own

    def _register(self) -> None:
        room = self._room

        @DBOS.step(name="deliver", retries_allowed=True, max_attempts=5, interval_seconds=2.0)
        def deliver_step(digest_id: str, subscription_id: int, now: str) -> Outcome:
            return deliver(room, digest_id, subscription_id, datetime.fromisoformat(now))

        @DBOS.workflow(name="deliver_digest")
        def deliver_digest(digest_id: str, subscription_id: int, now: str) -> Outcome:
            return deliver_step(digest_id, subscription_id, now)

        @DBOS.workflow(name="digests_tick")
        def tick(scheduled_at: datetime, _context: Any) -> None:
            self._enqueue_due(scheduled_at.astimezone(UTC), _TICK_LOOKS_BACK)

        self._deliver_digest, self._tick = deliver_digest, tick

    def _enqueue_due(self, now: datetime, within: timedelta) -> dict[str, Any]:
        handles: dict[str, Any] = {}
        for subscription in every_subscription(self._room.database):
            day = last_due(subscription, now, within=within)
            if day is not None and subscription.id is not None:
                digest_id = digest_id_of(subscription.id, day)
                with SetWorkflowID(digest_id):
                    handles[digest_id] = DBOS.enqueue_workflow(
                        _QUEUE, self._deliver_digest, digest_id, subscription.id, now.isoformat()
                    )
        return handles


def digest_id_of(subscription_id: int, day: date) -> str:
    return f"digest:{subscription_id}:{day.isoformat()}"
