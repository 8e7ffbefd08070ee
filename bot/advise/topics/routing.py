"""Which topic a message asks for, from `knowledge/topics.yaml`. Each topic is a module with one `answer` function."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from functools import lru_cache

from pydantic import Field

from bot.advise.context import AdviceContext
from bot.advise.topics.inputs import Inputs, read_inputs
from bot.advise.vocabulary import says_in
from bot.answer import Answer
from bot.errors import KnowledgeError
from bot.faq.claims import load_claims
from bot.faq.sources import Fact
from bot.folder import Folder, validate_item
from bot.question import Intent, Question

# Intents that a computed topic may answer; the others have their own subject whatever words they contain.
_OPEN = frozenset(set(Intent) - {Intent.DIGEST, Intent.DIAGNOSE_OOM, Intent.CATALOG_SEARCH})
# Slots that a follow-up to a topic may touch: other cards, or figures that were read as a price or a time.
_CHANGEABLE = frozenset({"gpus", "unit_price", "budget", "duration_h", "metric"})


class Topic(Fact):
    """A phrase of every group of `all`, none of `unless`; `assumes` names what a follow-up may change."""

    id: str = Field(pattern=r"^[a-z_]+$")
    all: tuple[tuple[str, ...], ...] = Field(min_length=1)
    unless: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()


class Topics(Fact):
    topics: tuple[Topic, ...]


def answer_topic(question: Question, context: AdviceContext) -> Answer | None:
    """The computed answer, or None where the message asks for no topic or states too little for one."""
    if question.intent not in _OPEN:
        return None
    for topic in find_topics(question, context):
        module = importlib.import_module(f"bot.advise.topics.{topic.id}")
        answer: Callable[[Inputs], Answer | None] = module.answer
        found = answer(read_inputs(question, context, topic.assumes))
        if found is not None:
            return found
    return None


def find_topics(question: Question, context: AdviceContext) -> Iterator[Topic]:
    """Topics that the message names, then the one that the answer before was about, if this turn changes its figures."""
    says = says_in(question.text)
    topics = load_topics(context.folder).topics
    for topic in topics:
        if not says(*topic.unless) and all(says(*group) for group in topic.all):
            yield topic
    before = context.thread.answer
    if before is None or not before.assumptions or not set(question.changed) <= _CHANGEABLE:
        return
    assumed = {assumption.slot for assumption in before.assumptions}
    about = next((topic for topic in topics if topic.assumes and set(topic.assumes) <= assumed), None)
    if about and ({"gpus", "unit_price"} & set(question.changed) or read_inputs(question, context, about.assumes).said):
        yield about


@lru_cache(maxsize=4)
def load_topics(folder: Folder) -> Topics:
    """Raises KnowledgeError naming file, line and field."""
    problems: list[str] = []
    topics = validate_item(folder, "topics.yaml", "topics", folder.yaml("topics.yaml"), Topics, problems=problems)
    if topics is None:
        raise KnowledgeError(problems)
    return topics


def check_topics(folder: Folder) -> list[str]:
    """Every problem of the topics: records, modules, and assumptions that `defaults.yaml` does not explain."""
    try:
        topics = load_topics(folder).topics
    except KnowledgeError as exc:
        return exc.problems
    defaults = folder.yaml("defaults.yaml").get("topics", {})
    known = load_claims(folder).sources
    problems = []
    for topic in topics:
        place = folder.place("topics.yaml", topic.id)
        if importlib.util.find_spec(f"bot.advise.topics.{topic.id}") is None:
            problems.append(f"{place} id: there is no module bot/advise/topics/{topic.id}.py")
        problems += [f"{place} assumes: {name!r} is not in defaults.yaml" for name in topic.assumes if name not in defaults]
    for name, default in defaults.items():
        place = folder.place("defaults.yaml", name)
        problems += [f"{place} sources: unknown source {key!r}" for key in default.get("sources", ()) if key not in known]
    return problems
