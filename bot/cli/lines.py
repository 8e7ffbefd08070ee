"""JSON lines in, JSON lines out: one answer for each line, in order, whatever is wrong with single lines."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from typing import Any

from bot.errors import InvalidWorkload, SuanliError, UnknownName, UnsupportedWorkload

logger = logging.getLogger(__name__)

_CODES: tuple[tuple[type[SuanliError], str], ...] = (
    (InvalidWorkload, "invalid_workload"),
    (UnsupportedWorkload, "unsupported"),
)


def error_of(exc: SuanliError) -> dict[str, str]:
    """`{"code", "message"}` as the contract names them."""
    if isinstance(exc, UnknownName):
        return {"code": f"unknown_{exc.kind}", "message": str(exc)}
    code = next((code for kind, code in _CODES if isinstance(exc, kind)), "invalid_workload")
    return {"code": code, "message": str(exc)}


def serve_lines(handle: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Read standard input to its end. A line that cannot be served comes back as `{"id", "error"}`."""
    for line in sys.stdin:
        if not line.strip():
            continue
        key: object = None
        try:
            item = json.loads(line)
            if not isinstance(item, dict):
                raise ValueError("an object is expected")
            key = item.get("id")
            answer = {"id": key, **handle(item)}
        except ValueError as exc:
            answer = {"id": key, "error": {"code": "invalid_json", "message": str(exc)}}
        except SuanliError as exc:
            answer = {"id": key, "error": error_of(exc)}
        except Exception as exc:  # the one broad catch of this surface: the run goes on, the line says what failed
            logger.exception("line failed id=%s", key)
            answer = {"id": key, "error": {"code": "internal", "message": f"{type(exc).__name__}: {exc}"}}
        sys.stdout.write(json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()
