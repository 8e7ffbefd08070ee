"""YAML files. What was parsed is kept between runs, and the parser is loaded only where there is something to parse."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bot.errors import KnowledgeError
from bot.kept import kept


def read_yaml(path: Path, label: str) -> Any:
    """The document at `path`, as `parse_yaml` reads it."""
    return kept(path.stem, [path], lambda: parse_yaml(path.read_text(encoding="utf-8"), label))


def parse_yaml(text: str, label: str) -> Any:
    """The document; dates stay text, since text can be kept. Raises KnowledgeError beginning with `label`."""
    import yaml

    try:
        return yaml.load(text, _loader())
    except yaml.YAMLError as exc:
        raise KnowledgeError([f"{label}: not YAML: {exc}"]) from exc


@cache
def _loader() -> Any:
    """libyaml's parser where it is there, without tags that build objects and without dates."""
    import yaml

    safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [(tag, form) for tag, form in forms if tag != "tag:yaml.org,2002:timestamp"]
        for first, forms in safe.yaml_implicit_resolvers.items()
    }
    return type("UndatedLoader", (safe,), {"yaml_implicit_resolvers": resolvers})
