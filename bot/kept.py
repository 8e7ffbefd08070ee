"""What was read from files, kept between runs in the user's cache folder, so that one question need not read it all again.

A copy holds the paths, times and sizes of the files it was made from and serves only while they are the same. It is plain
data (`marshal`: numbers, text, lists, mappings) behind a checksum, and nothing in it is ever executed. A folder that
cannot be written costs nothing but the time to read the files.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

_LAYOUT = f"suanli 1 {sys.implementation.cache_tag}"  # marshal may differ between versions of Python
_CHECKSUM_BYTES = 4
_REST_NS = 2_000_000_000  # two edits within one tick of a file system's clock can leave time and size as they were

T = TypeVar("T")


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suanli"


def stamp_of(paths: Sequence[Path]) -> tuple[tuple[str, int, int], ...]:
    """Path, time of change and size of each file: another stamp means that something was added, removed or edited."""
    return tuple((str(path), stat.st_mtime_ns, stat.st_size) for path in paths for stat in (path.stat(),))


def kept_file(folder: Path, name: str, paths: Sequence[Path]) -> Path:
    """One file for each name and set of paths, so that two installations do not push each other out."""
    return folder / f"{name}-{zlib.crc32(os.pathsep.join(map(str, paths)).encode()):08x}.kept"


def kept(name: str, paths: Sequence[Path], make: Callable[[], T], *, version: str = "", folder: Path | None = None) -> T:
    """What `make` reads from the files at `paths`: the copy while they are unchanged, else made anew and kept.

    `version` names the layout of what is made. The stamp is taken before `make` reads, so an edit meanwhile is seen.
    """
    stamp = (_LAYOUT, version, stamp_of(paths))
    place = kept_file(folder or cache_folder(), name, paths)
    copy = _read(place, stamp)
    if copy is not None:
        return copy[0]  # type: ignore[no-any-return]
    made = make()
    if all(changed < time.time_ns() - _REST_NS for _, changed, _ in stamp[2]):
        _write(place, (stamp, made))
    return made


def _read(place: Path, stamp: object) -> tuple[Any] | None:
    try:
        written = place.read_bytes()
        if zlib.crc32(written[_CHECKSUM_BYTES:]).to_bytes(_CHECKSUM_BYTES, "big") != written[:_CHECKSUM_BYTES]:
            return None
        found, document = marshal.loads(written[_CHECKSUM_BYTES:])
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return (document,) if found == stamp else None


def _write(place: Path, copy: Any) -> None:
    """Written beside and moved into place, so that a reader never sees half of it. What is not plain data is not kept."""
    beside = place.with_suffix(f".{os.getpid()}.tmp")
    try:
        written = marshal.dumps(copy)
        place.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(zlib.crc32(written).to_bytes(_CHECKSUM_BYTES, "big") + written)
        beside.replace(place)
    except ValueError:
        return
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
