"""Speeds that a message states, held against what the card can do at all.

One stream of decoding reads the weights once a token: 138 GB at 3,350 GB/s are 24 tokens/s at the very most. Training
takes 6 operations for each parameter and token: 60,000 tokens/s of a 7.6B are 2,743 TFLOPS. An MFU is below 1.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of
from bot.advise.glossary import answer_term
from bot.advise.phrases import cards_said, usual_choices, weights_label
from bot.advise.readings import Reading, format_of, read_serving
from bot.advise.setup import cards_in, subjects_in
from bot.answer import Answer, Say, SumLine, say
from bot.catalog.records import GIB
from bot.estimator import ServingEstimate
from bot.question import TRAINING_TASKS, Intent, Question, Task

_NUMBER = r"(?<![\w.])(\d{1,3}(?:,\d{3})+|\d{1,7}(?:\.\d{1,2})?) ?(k)?"
_UNIT = r"(?:tok(?:en)?s? ?(?:/|per) ?s(?:ec(?:ond)?)?|toks/s|t/s|tps|个? ?tokens? ?(?:/ ?秒|每秒|一秒))(?![a-z])"
_SPEED = re.compile(rf"{_NUMBER} ?{_UNIT}|每秒(?:钟)? ?(?:约|能|可|可以|出|输出)? ?{_NUMBER} ?个? ?tokens?", re.IGNORECASE)
_MFU = re.compile(r"mfu[^\d%]{0,12}(\d{1,4}(?:\.\d+)?) ?%|(\d{1,4}(?:\.\d+)?) ?% ?(?:的 ?)?mfu", re.IGNORECASE)
_EACH = re.compile(r"(?:per|a|each|/) ?(?:gpu|card)|每卡|单卡|每张", re.IGNORECASE)
_OPERATIONS = 6  # a parameter and token, forward and backward
_ADAPTED = 4  # the same where the base is frozen and has no gradients of its own
_ASKED = frozenset({Intent.FEASIBILITY, Intent.THROUGHPUT, Intent.FAQ, Intent.TIME, Intent.SIZING, Intent.COMPARE})


def answer_claimed_speed(question: Question, context: AdviceContext) -> Answer | None:
    """No with the ceiling, where a speed is beyond it; a speed that is doubted is judged by the estimate."""
    if question.intent not in _ASKED:
        return None
    share = _MFU.search(question.text)
    if share and float(share[1] or share[2]) > 100:
        return _beyond_the_peak(question, float(share[1] or share[2]), context)
    speed, subjects, cards = _speed_in(question.text), subjects_in(question, context), cards_in(question, context)
    if speed is None or len(subjects) != 1 or len(cards) != 1 or cards[0].gpu is None:
        return None
    doubted = asks(question, "doubt", context)
    if not (doubted or cards[0].count):
        return None
    if question.slots.task in TRAINING_TASKS:
        return _trained(question, speed, context)
    if question.slots.concurrency or question.slots.qps or asks(question, "together", context):
        return None
    asked = replace(question, slots=question.slots.with_(task=Task.INFERENCE, concurrency=1))
    reading = read_serving(asked, subjects[0], cards[0], n_gpus=cards[0].count or 1, context=context)
    return _streamed(question, reading, speed, context, doubted=doubted)


def _speed_in(text: str) -> float | None:
    """Tokens a second as stated; None where several are, since only the message knows which is claimed."""
    found = list(_SPEED.finditer(text))
    if len(found) != 1:
        return None
    number, thousand = (found[0][1], found[0][2]) if found[0][1] else (found[0][3], found[0][4])
    return float(number.replace(",", "")) * (1000 if thousand else 1)


def _streamed(question: Question, reading: Reading, speed: float, context: AdviceContext, *, doubted: bool) -> Answer | None:
    """One stream: bytes read a token against the bandwidth of all the cards."""
    estimate, gpu, model = reading.estimate, reading.cards.gpu, reading.subject.model
    if not isinstance(estimate, ServingEstimate) or gpu is None or not gpu.bandwidth_gbs:
        return None
    share = (model.active_params_b or model.params_b) / model.params_b
    gb = estimate.weights_gib * GIB / 1e9 * share
    most = gpu.bandwidth_gbs * reading.n_gpus / gb
    each = estimate.decode_tokens_per_s_per_request
    if speed <= most and not doubted:
        return None
    verdict = "no" if speed > most else _judged(speed, each.low, each.high) if each else None
    if verdict is None:
        return None
    headline = say(
        f"claimed.{verdict}",
        speed=speed,
        most=most,
        gb=gb,
        bandwidth=gpu.bandwidth_gbs * reading.n_gpus / 1000,
        each=each,
        model=reading.subject.label,
        weights=weights_label(format_of(reading)),
        cards=cards_said(reading.n_gpus, reading.cards),
        n=reading.n_gpus,
        fits=reading.verdict != "no",
    )
    line = SumLine(
        say("claimed.ceiling"),
        most,
        "tokens/s",
        f"{gpu.bandwidth_gbs * reading.n_gpus:,.0f} GB/s / {gb:,.1f} GB",
        gpu.as_source(),
    )
    body: tuple[Say, ...] = (say("claimed.beyond"),) if verdict == "no" else ()
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        verdict=reading.verdict if reading.cards.count else None,
        answered_from="estimator",
        body=body,
        main=reading.scenario(),
        assumptions=assumptions_of(question, reading, context),
        sum=(line,),
        choices=usual_choices(reading),
    )


def _judged(speed: float, low: float, high: float) -> str:
    """Within the band of the estimate, above it or below it."""
    return "high" if speed > high else "low" if speed < low else "plausible"


def _trained(question: Question, speed: float, context: AdviceContext) -> Answer | None:
    """Operations a second that a speed of training takes, against the dense peak of the cards."""
    card, subject = cards_in(question, context)[0], subjects_in(question, context)[0]
    assert card.gpu is not None
    n = 1 if _EACH.search(question.text) else card.count or 1
    peak = (card.gpu.bf16_tflops or card.gpu.fp16_tflops or 0) * n
    size = subject.model.active_params_b or subject.model.params_b
    each = _ADAPTED if question.slots.task in (Task.LORA, Task.QLORA) else _OPERATIONS
    needed = each * size * 1e9 * speed / 1e12
    if not peak or needed <= peak:
        return None
    headline = say(
        "claimed.training", each=each, speed=speed, params=size, needed=needed, peak=peak, cards=cards_said(n, card), n=n
    )
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="catalog",
        assumptions=(*subject.assumed, *card.assumed),
        sources=(card.gpu.as_source(),),
        sum=(SumLine(say("claimed.operations"), needed, "TFLOPS", f"{each} x {size:g}e9 x {speed:,.0f}"),),
    )


def _beyond_the_peak(question: Question, percent: float, context: AdviceContext) -> Answer | None:
    """An MFU over 100 %, with what the glossary says that an MFU is."""
    term = answer_term(replace(question, text="what is MFU?"), context)
    headline = say("claimed.mfu", percent=percent)
    if term is None:
        return None
    return replace(term, question=question, language=question.language, headline=headline, body=(term.headline, *term.body))
