"""Answers from the FAQ: the entry, three choices when unsure, or an honest "I have nothing on that"."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from bot.advise.context import AdviceContext
from bot.answer import Answer, Bilingual, Caveat, Choice, Say, say
from bot.faq import LIKELY, SURE, FaqEntry
from bot.faq.words import sizes_of
from bot.question import Act, Action, Intent, Question, Slots

Candidates = tuple[tuple[str, float], ...]

_OWN_CAVEAT = 65  # before the rules of thumb that the subject calls for, after what would mislead if left out
_SENTENCE_EN = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9'\"(-])")
_SENTENCE_ZH = re.compile(r"(?<=[。？！])")
_MODEL_SIZE = re.compile(r"\d+B")
_CHOICES = 3
CERTAIN = 0.9  # likelihood from which an entry is shown although the message was not read as asking for one
FAIRLY = 0.8  # likelihood from which it is shown instead of a guess at what the message leaves out
BEYOND_DOUBT = 0.95  # likelihood from which it is shown instead of an answer about the model that is named
_NEVER = math.inf


def answer_faq(question: Question, context: AdviceContext) -> Answer:
    """The entry that the message asks for; where it says `compute:` and the slots suffice, the computed answer leads."""
    candidates = faq_candidates(question, context)
    if _likelihood(candidates) < LIKELY:
        return _nothing_found(question, candidates)
    if _likelihood(candidates) < SURE:
        return _unsure(question, context, candidates)
    entry = context.faq.entry(candidates[0][0])
    computed = _computed(question, entry, context)
    return explained(computed, entry) if computed else _from_entry(question, entry, candidates)


def faq_instead(question: Question, context: AdviceContext) -> Answer | None:
    """The entry for a message that was read as none of our business, where the search is certain that it is."""
    candidates = faq_candidates(question, context)
    entry = _meant(question, context, candidates, CERTAIN)
    return _from_entry(question, entry, candidates) if entry else None


def or_entry(answer: Answer, context: AdviceContext) -> Answer:
    """The entry instead of an answer that misses the point, and before a question back, where the search is sure enough.

    Where it is only fairly sure, the entry becomes one more choice of a question back.

    "Will my A100 image run on H100?" names two cards, so it reads as a comparison; the search knows better. What an entry
    leaves to be computed stays computed.
    """
    question = answer.question
    if answer.faq_id or question.act != Act.NEW or answer.action not in (Action.ANSWER, Action.CLARIFY):
        return answer
    answer = replace(answer, faq_candidates=answer.faq_candidates or faq_candidates(question, context))
    entry = _meant(question, context, answer.faq_candidates, SURE)
    if entry is None:
        return answer
    if _likelihood(answer.faq_candidates) < _enough(answer, entry):
        return (
            answer
            if answer.action == Action.ANSWER
            else replace(answer, choices=(*answer.choices, _choice(entry, question)))
        )
    general = _from_entry(question, entry, answer.faq_candidates)
    if answer.action == Action.ANSWER or _settles(entry, answer):
        return general
    return replace(general, action=answer.action, body=(*general.body, answer.headline), choices=answer.choices)


# Attributes that one figure of a named card settles; whether FP8 is "on" is more than whether the card has it.
_FIGURES = frozenset({"bandwidth", "nvlink", "interconnect", "tflops", "tdp", "gpu_model"})
_MONEY = frozenset({Intent.COST, Intent.PRICE_LOOKUP})
_TABLES = frozenset({Intent.SPEC_LOOKUP, Intent.FEASIBILITY})  # "can A100 do BF16?" is looked up as well


def _enough(answer: Answer, entry: FaqEntry) -> float:
    """The likelihood from which the entry says more to the point than the answer."""
    question, slots = answer.question, answer.question.slots
    if answer.action == Action.CLARIFY:
        return CERTAIN if slots.models else SURE
    if question.intent == Intent.SPEC_LOOKUP and slots.metric in _FIGURES and answer.answered_from == "catalog":
        settled = entry.compute or entry.origin == "beyond" or not _about(entry, question)
        return _NEVER if settled else CERTAIN
    guessed = question.action == Action.CLARIFY and answer.answered_from == "estimator"  # the largest model that fits
    if _computes(answer, entry) and not guessed:
        return _NEVER
    if question.intent == Intent.PRICE_LOOKUP and entry.compute != Intent.COMPARE:
        return _NEVER  # prices are looked up; only what they mean beside speed is not
    if slots.models or not _about(entry, question):
        return BEYOND_DOUBT
    if guessed:
        return FAIRLY
    return SURE if slots == Slots() else CERTAIN


def _settles(entry: FaqEntry, answer: Answer) -> bool:
    """Whether no question back is left: "which model?" has no place after how often cards fail."""
    wanted = answer.question.intent in (entry.compute, Intent.RECOMMEND)
    return not wanted and _likelihood(answer.faq_candidates) >= CERTAIN


def _computes(answer: Answer, entry: FaqEntry) -> bool:
    """Whether the answer is what the entry leaves to be computed."""
    intent, compute = answer.question.intent, entry.compute
    if compute == Intent.SPEC_LOOKUP:
        return intent in _TABLES and answer.answered_from == "catalog"
    same = intent == compute or {intent, compute} <= _MONEY
    return compute is not None and (same or answer.answered_from == "estimator")


def _about(entry: FaqEntry, question: Question) -> bool:
    """Whether an entry about some card that the message names is about all of them, and none answers a search for cards."""
    cards = {slot.name.split("-")[0] for slot in question.slots.gpus if slot.name}
    if question.intent == Intent.CATALOG_SEARCH and not cards:
        return not entry.entities
    return cards <= set(entry.entities) or cards.isdisjoint(entry.entities)


def _meant(question: Question, context: AdviceContext, candidates: Candidates, enough: float) -> FaqEntry | None:
    """The entry that is meant with that likelihood. One about a model size is not, while the message names no model."""
    if _likelihood(candidates) < enough:
        return None
    entry = context.faq.entry(candidates[0][0])
    words = context.faq.words
    sized = question.slots.models or sizes_of(words.fold(question.text))
    presumes = any(_MODEL_SIZE.fullmatch(name) for name in entry.entities) and not sized
    return None if presumes else entry


def _likelihood(candidates: Candidates) -> float:
    return candidates[0][1] if candidates else 0.0


def faq_candidates(question: Question, context: AdviceContext) -> Candidates:
    """Up to five entries with their scores, for every question; empty only for an empty text."""
    return context.faq.search(question.text, question)


def explained(answer: Answer, entry: FaqEntry) -> Answer:
    """A computed answer with the entry's text below it."""
    return replace(
        answer,
        body=(*answer.body, say("faq.background"), *_paragraphs(entry.answer)),
        caveats=(*answer.caveats, *_caveats(entry)),
        sources=(*answer.sources, *(source for source in entry.sources if source not in answer.sources)),
        faq_id=entry.id,
    )


def _computed(question: Question, entry: FaqEntry, context: AdviceContext) -> Answer | None:
    """The answer with the user's own numbers, or None where the message does not state enough for one.

    An intent that is the entry's own has been tried already: its module found nothing to compute and asked here.
    """
    cards, models = question.slots.gpus, question.slots.models
    if entry.compute in (None, question.intent) or not (cards or models):
        return None
    if entry.compute == Intent.COMPARE and not models and len(cards) < 2:
        return None  # a card beside one that nobody named
    from bot.advise.advisor import answer_as  # the advisor itself asks this module

    answer = answer_as(replace(question, intent=entry.compute), context)
    if answer is None or answer.action != Action.ANSWER or answer.answered_from not in ("estimator", "catalog"):
        return None
    return replace(answer, question=question)


def _from_entry(question: Question, entry: FaqEntry, candidates: Candidates) -> Answer:
    headline, rest = _first_sentence(entry.answer)
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="faq",
        body=_paragraphs(rest) if rest else (),
        caveats=_caveats(entry),
        sources=entry.sources,
        faq_id=entry.id,
        faq_candidates=candidates,
    )


def _unsure(question: Question, context: AdviceContext, candidates: Candidates) -> Answer:
    entries = [context.faq.entry(key) for key, score in candidates[:_CHOICES] if score > 0]
    return Answer(
        question=question,
        headline=say("faq.unsure"),
        language=question.language,
        action=Action.CLARIFY,
        answered_from="help",
        faq_candidates=candidates,
        choices=tuple(_choice(entry, question) for entry in entries),
    )


def _choice(entry: FaqEntry, question: Question) -> Choice:
    return Choice(entry.question, entry.question.zh if question.language == "zh" else entry.question.en)


def _nothing_found(question: Question, candidates: Candidates) -> Answer:
    return Answer(
        question=question,
        headline=say("faq.nothing_found"),
        language=question.language,
        action=Action.HELP,
        answered_from="help",
        body=(say("faq.what_helps"),),
        faq_candidates=candidates,
        private=True,
    )


def _caveats(entry: FaqEntry) -> tuple[Caveat, ...]:
    return (Caveat(entry.id, entry.caveat, entry.claims, _OWN_CAVEAT),) if entry.caveat else ()


def _first_sentence(text: Bilingual) -> tuple[Bilingual, Bilingual | None]:
    """The first sentence of each language as headline, and the rest where both languages have one."""
    (en, en_rest), (zh, zh_rest) = _split(text.en, _SENTENCE_EN, 25, " "), _split(text.zh, _SENTENCE_ZH, 8, "")
    if not (en_rest and zh_rest):
        return text, None
    return Bilingual(en, zh), Bilingual(en_rest, zh_rest)


def _split(text: str, ends: re.Pattern[str], enough: int, glue: str) -> tuple[str, str]:
    """(the first sentence, the rest). A bare "No." says too little alone and takes the next sentence with it."""
    sentences = [sentence.strip() for sentence in ends.split(text)]
    first = sentences.pop(0)
    while sentences and len(first) < enough:
        first = f"{first}{glue}{sentences.pop(0)}"
    return first, glue.join(sentences)


def _paragraphs(text: Bilingual) -> tuple[Say, ...]:
    """One `Say` a paragraph; languages with unlike paragraphs stay in one piece."""
    en, zh = text.en.split("\n\n"), text.zh.split("\n\n")
    return tuple(Bilingual(*pair) for pair in zip(en, zh, strict=True)) if len(en) == len(zh) else (text,)
