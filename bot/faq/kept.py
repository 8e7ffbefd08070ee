"""The index kept between runs in the user's cache folder, so that a single question need not build it.

It is keyed by a digest of everything it was built from: after an edit of an entry it is built anew. A folder that cannot
be written costs nothing but the time to build; nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

_VERSION = "3"  # of the layout; change it with `Index` or `Words`


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suanli"


def digest_of(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256(_VERSION.encode())
    for path in paths:
        digest.update(str(path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kept_file(folder: Path, layers: Iterable[Path]) -> Path:
    """One file for each set of knowledge folders, so that two installations do not push each other out."""
    name = hashlib.sha256("\n".join(map(str, layers)).encode()).hexdigest()
    return folder / f"faq-{name[:12]}.json"


def read_kept(path: Path, digest: str) -> dict[str, Any] | None:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) and document.get("digest") == digest else None


def keep(path: Path, digest: str, document: dict[str, Any]) -> None:
    """Written beside and moved into place, so that a reader never sees half of it."""
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps({"digest": digest, **document}, ensure_ascii=False), encoding="utf-8")
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
