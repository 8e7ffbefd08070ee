"""Subscribe, unsubscribe, show: a channel's digests, from any surface on which a command can be typed."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from bot.digests import Verb, Wish, next_due, parse_wish
from bot.question import Language, Problem, Reader
from bot.slack.desk import Desk
from bot.slack.place import Place
from bot.slack.posting import Message
from bot.storage import Subscription

_EXPLAINED = {"unknown_timezone": "slack.bad_zone", "impossible_quantity": "slack.bad_time"}


@dataclass(frozen=True, slots=True)
class Order:
    """A command as read: `subscribe`, `unsubscribe` or `show`, what follows it, and the language to confirm it in."""

    verb: Verb
    rest: str
    language: Language


def settle(desk: Desk, place: Place, order: Order, reader: Reader) -> Message:
    """Carry the order out; the words that say what is so now."""
    verb, language = order.verb, order.language
    if verb == "subscribe":
        return _subscribe(desk, place, parse_wish(order.rest, desk.digest_words), reader, language)
    subscriptions = desk.subscriptions(place.workspace)
    if verb == "unsubscribe":
        gone = subscriptions.remove(place.channel)
        return desk.notice(language, "slack.unsubscribed" if gone else "slack.not_subscribed")
    held = subscriptions.of_channel(place.channel)
    return _told(desk, "slack.subscribed_here", held[0], language) if held else desk.notice(language, "slack.not_subscribed")


def _subscribe(desk: Desk, place: Place, wish: Wish, reader: Reader, language: Language) -> Message:
    if wish.problems:
        return _refusal(desk, language, wish.problems[0])
    wanted = Subscription(
        workspace=place.workspace,
        channel=place.channel,
        topic=wish.topic,
        at=wish.at,
        timezone=wish.timezone or reader.timezone,
        weekday=wish.weekday,
        language=language,
        created_by=place.user,
        created_at=desk.clock(),
    )
    return _told(desk, "slack.subscribed", desk.subscriptions(place.workspace).put(wanted), language)


def _refusal(desk: Desk, language: Language, problem: Problem) -> Message:
    key = _EXPLAINED.get(problem.code, "slack.bad_word")
    return desk.notice(language, key, said=problem.said, near=problem.near)


def _told(desk: Desk, key: str, subscription: Subscription, language: Language) -> Message:
    first = next_due(subscription, desk.clock()).astimezone(ZoneInfo(subscription.timezone))
    day = "daily" if subscription.weekday is None else str(subscription.weekday)
    return desk.notice(
        language,
        key,
        topic=desk.words(language, f"slack.topic.{subscription.topic}"),
        day=desk.words(language, f"slack.day.{day}"),
        at=subscription.at.strftime("%H:%M"),
        zone=subscription.timezone,
        first=first.strftime("%Y-%m-%d %H:%M"),
    )
