"""Questions around the cards that are answered by a sum: own or rent, load times, checkpoints, energy, interruptions …"""

from bot.advise.topics.routing import answer_topic, check_topics, find_topics

__all__ = ["answer_topic", "check_topics", "find_topics"]
