"""`prices weekly mon 09:00 Asia/Shanghai` -> when a channel gets which digest. The words are in knowledge/digests.yaml.

The order of the parts is free and Chinese needs no spaces: `订阅价格每周一上午9点上海时间` reads the same.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import time

from bot.digests.words import DigestWords, Verb, zone_names
from bot.question import Problem

TOPIC = "prices"  # the one digest there is, and so the default
_LONGEST_SENTENCE = 120
_MONDAY, _NINE = 0, time(9)

_CLOCK = re.compile(r"(?P<hour>\d{1,2})\s*(?:[:时点]\s*(?P<minute>\d{2}|半)?\s*分?|(?=\s*[ap]\.?m))")
_ZONE = re.compile(r"[a-z]+(?:/[a-z0-9_+\-]+)+|(?:utc|gmt)\s*[+-]\s*\d{1,2}(?![\d:])|\d?[a-z]{3,4}\d?[a-z]{3,4}(?![a-z])")
_SPACE = re.compile(r"[\s,，。.;；、]+")
_UNKNOWN = re.compile(r"[@#a-z0-9_+/\-']+|.")
_NUMERALS = {"十二": "12", "十一": "11", "十": "10"} | {numeral: str(n) for n, numeral in enumerate("零一二三四五六七八九")}
_NUMERAL_HOUR = re.compile(f"({'|'.join([*_NUMERALS, '两'])})(?=[点时])")


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for: all that a subscription needs but the channel. `timezone` None: the asker's."""

    topic: str = TOPIC
    weekday: int | None = _MONDAY
    at: time = _NINE
    timezone: str | None = None
    problems: tuple[Problem, ...] = ()


def read_verb(text: str, words: DigestWords) -> tuple[Verb | None, str]:
    """(verb, the rest) of a message; (None, text) when it is not a command but a question."""
    folded = _folded(text)
    verb = words.verbs.get(folded)
    if verb is not None:
        return verb, ""
    for word in sorted(words.verbs, key=len, reverse=True):
        verb = words.verbs[word]
        if verb in ("subscribe", "unsubscribe") and folded.startswith(word):
            rest = folded[len(word) :]
            if not (word.isascii() and rest[:1].isalnum()):
                return verb, rest.strip()
    sentence = folded.rstrip("?!. ")
    return ("subscribe", sentence) if _asks_to_be_sent(sentence, words) else (None, text)


def _asks_to_be_sent(folded: str, words: DigestWords) -> bool:
    """`send us prices every monday at 9am`, 每周一早上9点推送价格: a call, the topic and how often, and nothing else."""
    if len(folded) > _LONGEST_SENTENCE:
        return False
    reading = _Reading(folded, words)
    wish = reading.wish()
    often = {"daily", "weekly", "weekday"} & reading.found.keys()
    return not wish.problems and bool(often) and {"call", "topic"} <= reading.found.keys()


def parse_wish(text: str, words: DigestWords) -> Wish:
    """What follows `subscribe`. Anything that is not understood is named in `problems`, in the words that were typed."""
    return _Reading(_folded(text), words).wish()


@dataclass
class _Reading:
    """One pass from left to right: a time, a zone, a known word, or an unknown one."""

    text: str
    words: DigestWords
    found: dict[str, object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def wish(self) -> Wish:
        place = 0
        while place < len(self.text):
            place += self._step(place)
        weekday = None if self.found.get("daily") and "weekday" not in self.found else self.found.get("weekday", _MONDAY)
        zone = self.found.get("zone")
        return Wish(
            topic=str(self.found.get("topic", TOPIC)),
            weekday=weekday if isinstance(weekday, int) else None,
            at=self._time(),
            timezone=str(zone) if zone else None,
            problems=tuple(self.problems),
        )

    def _step(self, place: int) -> int:
        """Read what stands at `place`; how many characters it takes."""
        if space := _SPACE.match(self.text, place):
            return len(space.group())
        if clock := _CLOCK.match(self.text, place):
            self.found["hour"], self.found["minute"] = clock.group("hour"), clock.group("minute") or "0"
            return len(clock.group())
        word = self._known(place)
        zone = _ZONE.match(self.text, place)
        if zone and len(zone.group()) > len(word[0]) and self._zone(zone.group()):
            return len(zone.group())
        if word[0]:
            self.found.setdefault(word[1], word[2])
            return len(word[0])
        return self._unknown(place)

    def _known(self, place: int) -> tuple[str, str, object]:
        for meaning in self.words.meanings:
            end = place + len(meaning[0])
            if self.text.startswith(meaning[0], place) and not (
                meaning[0].isascii() and self.text[end : end + 1].isascii() and self.text[end : end + 1].isalnum()
            ):
                return meaning
        return "", "", None

    def _zone(self, said: str) -> bool:
        """Take a zone by name or as UTC+8; a name with a slash that no zone has is reported."""
        offset = re.fullmatch(r"(?:utc|gmt)\s*([+-])\s*(\d{1,2})", said)
        if offset:  # the zone files name these the other way round: Etc/GMT-8 is eight hours ahead
            said = f"etc/gmt{'-' if offset.group(1) == '+' else '+'}{int(offset.group(2))}"
        known = zone_names().get(said)
        if known is not None:
            self.found.setdefault("zone", known)
        elif "/" in said:
            self.problems.append(Problem("timezone", said, "unknown_timezone", _near_zones(said)))
        return known is not None or "/" in said

    def _unknown(self, place: int) -> int:
        matched = _UNKNOWN.match(self.text, place)
        said = matched.group() if matched else self.text[place]
        self.problems.append(Problem("subscription", said, "unknown_word"))
        return len(said)

    def _time(self) -> time:
        if "hour" not in self.found:
            return _NINE
        minute = 30 if self.found["minute"] == "半" else int(str(self.found["minute"]))
        hour = _of_day(int(str(self.found["hour"])), self.found.get("half"))
        if hour > 23 or minute > 59:
            self.problems.append(Problem("time", f"{self.found['hour']}:{minute:02d}", "impossible_quantity"))
            return _NINE
        return time(hour, minute)


def _of_day(hour: int, half: object) -> int:
    """3 pm -> 15, 12 am -> 0, 12 pm -> 12."""
    if half is None or hour > 12:
        return hour
    return hour % 12 + (12 if half == "pm" else 0)


def _near_zones(said: str) -> tuple[str, ...]:
    """Up to three zones with a similar name: asia/shangai -> Asia/Shanghai."""
    from rapidfuzz import process

    return tuple(zone_names()[name] for name, *_ in process.extract(said, list(zone_names()), limit=3, score_cutoff=88))


def _folded(text: str) -> str:
    """Half-width, lower case, Chinese hours as digits."""
    folded = unicodedata.normalize("NFKC", text).lower().strip()
    return _NUMERAL_HOUR.sub(lambda found: _NUMERALS.get(found.group(1), "2"), folded)
