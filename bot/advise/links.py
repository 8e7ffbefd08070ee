"""Generations of NVLink, PCIe and networks, by any spelling: `knowledge/links.csv`."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from pydantic import Field

from bot.answer import Source, Standing
from bot.catalog.records import Record
from bot.folder import Folder, validate_rows


class Link(Record):
    """One link as its maker counts it: GB/s of a GPU or slot, both directions together."""

    name: str
    aliases: tuple[str, ...] = ()
    gbs: float = Field(gt=0, le=20000)
    found_in: str = ""
    standing: Standing = "recalled"
    source: str
    read_on: date | None = None
    notes: str = ""

    def as_source(self) -> Source:
        return Source(self.name, self.source, self.read_on, self.standing)


@lru_cache(maxsize=4)
def load_links(folder: Folder) -> tuple[Link, ...]:
    return tuple(validate_rows(folder.csv("links.csv", "name"), Link, lists=("aliases",)))


def links_in(text: str, links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Links that a message names, in order of mention: `NVLink 4.0和PCIe 5.0` -> NVLink 4, PCIe 5.0 x16."""
    plain = re.sub(r"[\s\-_]+", "", text.casefold())
    places: dict[int, Link] = {}
    for link in links:
        for name in (link.name, *link.aliases):
            spelled = re.escape(re.sub(r"[\s\-_]+", "", name.casefold()))
            found = re.search(rf"(?<![a-z0-9]){spelled}(?![0-9])", plain)
            if found:
                places.setdefault(found.start(), link)
    return tuple(dict.fromkeys(places[at] for at in sorted(places)))
