"""Threads: the turns that were answered, by message and by conversation."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import col, select

from bot.question import Thread
from bot.storage.database import Database
from bot.storage.questions import dump_question, load_question
from bot.storage.records import Turn, Workspace
from bot.storage.tables import TurnRow


class Turns:
    """The turns of one workspace."""

    def __init__(self, database: Database, workspace: Workspace) -> None:
        self._database, self._workspace = database, workspace

    def save(self, turn: Turn) -> None:
        """Write a turn, or write it again under the same reply."""
        with self._database.session() as session:
            session.merge(_row(turn, self._workspace))

    def last_of_thread(self, channel: str, thread_ts: str) -> Turn | None:
        return self._newest(TurnRow.channel == channel, TurnRow.thread_ts == thread_ts)

    def last_of_channel(self, channel: str, *, since: datetime | None = None, asker: str | None = None) -> Turn | None:
        """The newest turn of a channel, if there is one since then and, where one is named, by that asker."""
        recent = () if since is None else (TurnRow.at >= since,)
        theirs = () if asker is None else (TurnRow.asker == asker,)
        return self._newest(TurnRow.channel == channel, *recent, *theirs)

    def of_reply(self, channel: str, reply_ts: str) -> Turn | None:
        """The turn whose answer is this message."""
        return self._newest(TurnRow.channel == channel, TurnRow.reply_ts == reply_ts)

    def of_asked(self, channel: str, asked_ts: str) -> Turn | None:
        """The turn that answered this message."""
        return self._newest(TurnRow.channel == channel, TurnRow.asked_ts == asked_ts)

    def _newest(self, *conditions: object) -> Turn | None:
        ours = (TurnRow.team_id == self._workspace.team_id, TurnRow.enterprise_id == self._workspace.enterprise_id)
        query = select(TurnRow).where(*ours, *conditions)  # type: ignore[arg-type]
        newest_first = query.order_by(col(TurnRow.at).desc(), col(TurnRow.reply_ts).desc()).limit(1)
        with self._database.session() as session:
            row = session.exec(newest_first).first()
            return _turn(row) if row else None


def thread_of(turn: Turn | None) -> Thread:
    """What the conversation knows after that turn; an empty thread where there is none."""
    return Thread(turn.question, None, turn.at) if turn else Thread()


def _row(turn: Turn, workspace: Workspace) -> TurnRow:
    return TurnRow(
        enterprise_id=workspace.enterprise_id,
        team_id=workspace.team_id,
        channel=turn.channel,
        reply_ts=turn.reply_ts,
        thread_ts=turn.thread_ts,
        asked_ts=turn.asked_ts,
        asker=turn.asker,
        question=dump_question(turn.question),
        before=dump_question(turn.before),
        at=turn.at,
    )


def _turn(row: TurnRow) -> Turn:
    return Turn(
        channel=row.channel,
        reply_ts=row.reply_ts,
        thread_ts=row.thread_ts,
        asker=row.asker,
        at=row.at,
        asked_ts=row.asked_ts,
        question=load_question(row.question),
        before=load_question(row.before),
    )
