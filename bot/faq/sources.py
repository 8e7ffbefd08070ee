"""Where facts were read: `knowledge/sources.yaml`, named by id from claims, rules, corrections and the glossary."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

from bot.answer import Source, Standing
from bot.errors import KnowledgeError
from bot.folder import Folder, validate_item

ReadState = Literal["direct", "excerpt", "via-secondary", "none"]


class Fact(BaseModel):
    """Base of the records of prose: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceRecord(Fact):
    """A page, paper or sum. `read` says how much of it was read, `read_on` when."""

    title: str
    url: str | None = None
    standing: Standing
    read: ReadState
    read_on: date | None = None

    @model_validator(mode="after")
    def _dated_when_read(self) -> SourceRecord:
        if (self.read == "none") != (self.read_on is None):
            raise ValueError("read_on is given exactly when the page was read")
        return self

    def as_source(self) -> Source:
        return Source(self.title, self.url, self.read_on, self.standing)


def load_sources(folder: Folder) -> dict[str, SourceRecord]:
    """Every source by id. Raises KnowledgeError with every problem found."""
    items = folder.yaml("sources.yaml").get("sources", {})
    problems: list[str] = []
    good = {
        key: record
        for key, values in items.items()
        if (record := validate_item(folder, "sources.yaml", key, values, SourceRecord, problems=problems)) is not None
    }
    if problems:
        raise KnowledgeError(problems)
    return good
