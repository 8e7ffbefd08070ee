"""The ASGI side: Slack's events over signed HTTP, and health checks."""

from bot.web.asgi import EVENTS_PATH, build_web

__all__ = ["EVENTS_PATH", "build_web"]
