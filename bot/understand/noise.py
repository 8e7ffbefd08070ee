"""Numbers of pasted logs, blanked in place: time stamps, stack frames, versions, the figures of an OOM message.

The words stay, so that the message is still seen to report what it reports; positions do not move.
"""

from __future__ import annotations

import re

_SIZE = r"\d{1,6}(?:\.\d{1,3})? ?[gmk]i?b"
_PATTERNS = (
    rf"tried to allocate {_SIZE}",
    rf"(?:total )?capacity (?:of )?{_SIZE}",
    rf"{_SIZE} (?:is |are |of )?(?:already |currently )?(?:free|allocated|reserved|in use|memory in use|total capacity)",
    rf"(?:reserved|allocated|free|used|peak)\s?[:=]\s?{_SIZE}",
    rf"(?:process|pid) \d{{1,8}}(?: has {_SIZE})?",
    rf"\(gpu \d{{1,2}};? ?(?:{_SIZE})?",
    r"gpu \d{1,2} (?:has|with|:)",
    r"\d{1,6} ?mi?b ?/ ?\d{1,6} ?mi?b",
    r"line \d{1,6}",
    r"\d{4}-\d{1,2}-\d{1,2}(?:[ t]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?)?",
    r"(?<!\d)\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?",
    r"\[(?:rank ?)?\d{1,4}\](?=:)",
    r"0x[0-9a-f]{2,16}",
    r"\d{1,3}%\|[^|\n]{0,60}\| ?\d{1,9}/\d{1,9}(?: ?\[[^\]\n]{0,60}\])?",
    r"(?:version|cuda|torch|pytorch|python|vllm|transformers|driver|nccl|cudnn)[ =v:]{0,4}\d{1,4}(?:\.\d{1,4}){1,3}",
    r"(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,4}(?:\.\d{1,4})?(?:[a-z]{1,4}\d{0,3})?(?::\d{2,5})?",
    r"max_split_size_mb[:=]\d{1,6}",
    r"(?:/[\w.\-]{1,40}){3,12}",
)
_NOISE = re.compile("|".join(f"(?:{p})" for p in _PATTERNS))
_DIGIT = re.compile(r"\d")
_HINT = re.compile(
    r"mib|gib|\d:\d\d|line \d|\d\.\d{1,3}\.\d|0x|%\||\d-\d{1,2}-\d"
    r"|cuda|torch|python|vllm|transformers|driver|process|pid|mb|/\w+/"
)


def without_log_numbers(low: str) -> str:
    """`Tried to allocate 2.00 GiB` keeps its words and loses its 2.00."""
    if not _HINT.search(low):
        return low
    return _NOISE.sub(lambda match: _DIGIT.sub(" ", match.group()), low)
