"""What is remembered: SQLModel tables behind repositories that take and return our records."""

from bot.storage.database import Database
from bot.storage.events import SeenEvents
from bot.storage.feedback import save_feedback
from bot.storage.forget import forget_workspace
from bot.storage.posts import complete_post, intend_post, last_snapshot
from bot.storage.records import Feedback, Post, Subscription, Turn, Workspace
from bot.storage.subscriptions import Subscriptions, every_subscription, find_subscription
from bot.storage.turns import Turns, thread_of

__all__ = [
    "Database",
    "Feedback",
    "Post",
    "SeenEvents",
    "Subscription",
    "Subscriptions",
    "Turn",
    "Turns",
    "Workspace",
    "complete_post",
    "every_subscription",
    "find_subscription",
    "forget_workspace",
    "intend_post",
    "last_snapshot",
    "save_feedback",
    "thread_of",
]
