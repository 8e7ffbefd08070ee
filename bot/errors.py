"""The one family of errors. Each message carries the value, the place and the remedy."""

from __future__ import annotations


class SuanliError(Exception):
    """Anything that Suanli itself raises."""


class KnowledgeError(SuanliError):
    """Rows of `knowledge/` that cannot be used; `problems` holds every one of them, as `file:line field: what`."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class UnknownName(SuanliError):
    """A GPU, model, provider or entry that the catalog does not hold. `kind` is gpu, model …; `near` are likely names."""

    def __init__(self, kind: str, name: str, near: tuple[str, ...] = ()) -> None:
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"unknown {kind} {name!r}.{hint}")
        self.kind, self.name, self.near = kind, name, near


class InvalidWorkload(SuanliError):
    """A workload that contradicts itself or the hardware. Names the field, its value and what would be accepted.

    `choices` are the nearest values that would be accepted, where they can be counted.
    """

    def __init__(self, field: str, value: object, accepted: str, choices: tuple[object, ...] = ()) -> None:
        super().__init__(f"{field}={value!r}: {accepted}")
        self.field, self.value, self.accepted = field, value, accepted
        self.choices = tuple(str(choice) for choice in choices)


class UnsupportedWorkload(SuanliError):
    """A workload that is sound but that no formula here covers."""


class StorageError(SuanliError):
    """The database refused; raised at the rim from the driver's own error."""
