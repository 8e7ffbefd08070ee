"""Every figure that an answer shows resolves to a source, and no wrong claim is shown without its correction."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from bot.advise import Advisor
from bot.advise.context import Library
from bot.advise.rules import corrected_claims
from bot.answer import Answer
from bot.compose import Composer
from bot.faq.claims import Claim, load_claims
from bot.folder import Folder, data_root
from bot.question import Action, Reader, Thread
from bot.understand import load_understanding

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LIBRARY = Library(Folder.knowledge())
UNDERSTANDING = load_understanding(LIBRARY.folder, LIBRARY.specs)
ADVISOR, COMPOSER = Advisor(LIBRARY), Composer()
CLAIMS = load_claims(LIBRARY.folder)

# One message of every kind that shows figures, in both languages.
MESSAGES = [
    "can A100 80G fine-tune a 70B model?",
    "A100 80G 能微调 70B 模型吗",
    "can 2x A100 80G serve Qwen2-72B for 20 users?",
    "how many H100 to full fine-tune Qwen2.5-32B?",
    "A100 or H100 for LoRA on 13B, which is cheaper?",
    "A100 还是 H100 更划算",
    "cheapest H100 right now",
    "阿里云 A10 一小时多少钱",
    "what is the memory bandwidth of the H100?",
    "A800 的 NVLink 带宽是多少",
    "which clouds have 8x A100 80GB?",
    "how long does LoRA on a 13B take with 8 A100 for 1B tokens?",
    "how much does pretraining a 7B on 1T tokens with 64 H100 cost?",
    "throughput of Llama-3.1-8B on one H100 with 64 users?",
    "full fine-tuning Qwen2-7B on one A100 80G gives CUDA out of memory",
    "cheapest way to fine-tune a 13B with QLoRA in the cloud?",
    "how much faster is H100 than A100?",
    "H100 比 A100 快多少",
    "what is MFU?",
    "cloud vs on-prem H100, which is cheaper?",
    "64 卡一周的故障概率",
    "how much electricity do 8 H100 use in a week?",
    "H100 FP8 is 3958 TFLOPS, right?",
]


def ask(message: str) -> Answer:
    return ADVISOR.advise(UNDERSTANDING.read(message, None), Thread(), now=NOW, reader=Reader())


def shown(answer: Answer) -> str:
    page = COMPOSER.page(answer, reader=Reader())
    return "\n".join([page.headline, *page.parts.get("body", ()), *page.parts.get("corrections", ())])


@pytest.mark.parametrize("message", MESSAGES)
def test_figures_come_with_sources(message: str) -> None:
    answer = ask(message)
    assert answer.action == Action.ANSWER, message
    assert not re.search(r"\d{2}", shown(answer)) or answer.sources


@pytest.mark.parametrize(
    ("message", "model", "card"),
    [
        ("can A100 80G fine-tune a Llama-3-70B?", "Llama-3-70B", "A100"),
        ("A100 80G 能微调 70B 模型吗", "Llama-3.3-70B-Instruct", "A100"),
        ("how long does LoRA on Qwen2.5-14B take with 8 H100 for 1B tokens?", "Qwen2.5-14B", "H100"),
        ("which GPU should I rent to serve Qwen2.5-72B?", "Qwen2.5-72B", "PRO"),
    ],
)
def test_an_estimate_names_the_model_and_the_card_besides_the_price(message: str, model: str, card: str) -> None:
    sources = ask(message).sources
    titles = [source.title for source in sources]
    assert model in titles
    assert any(card in title for title in titles)
    assert any(source.kind == "price_list" for source in sources)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_page_that_was_opened_has_its_day(message: str) -> None:
    for source in ask(message).sources:
        assert source.read_on is not None or source.standing in ("recalled", "derived", "assumed", "datasheet"), source


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.needs_correction], ids=lambda c: c.id)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_wrong_claim_is_never_left_standing(claim: Claim, language: str) -> None:
    """Said back to the bot, it is put right above the answer, by the entry shown, or by a caveat; or nothing is answered."""
    answer = ask(claim.claim.zh if language == "zh" else claim.claim.en)
    entry = LIBRARY.faq.entry(answer.faq_id).claims if answer.faq_id else ()
    caveats = {claim_id for caveat in answer.caveats for claim_id in caveat.claims}
    settled = corrected_claims(answer).union(entry, caveats)
    refused = answer.action in (Action.HELP, Action.DECLINE)
    corrected = getattr(answer.headline, "key", "").startswith("corrections.") or answer.corrections
    assert refused or corrected or claim.id in settled


# Facts that stand in the words of a template, and the claims or sources they rest on; examples and clock times are no facts.
BACKED = {
    "topics.host_advice": ["C000-46"],
    "topics.lead_time_1": ["C002-43"],
    "topics.lead_time_3": ["C000-19"],
    "topics.compliance_4": ["C000-19", "C000-08"],
    "corrections.states": ["zero"],
}
_NO_FACT = re.compile(  # names of cards, models and formats, clock times, quoted examples
    r"\b\d{2}:\d{2}\b|\b\d+G\b|\b\d+B\b|\bQwen[\d.]+|\b[A-Z]\d{2,3}\b|\b\d{4}\b(?= ?D?\b)|(?i:\b[btf]*[pf]\d{2}\b)"
    r"|\b(?:16|32)(?:[- ]bit|,)?|\(730 hours\)|#\d+|`[^`]*`|“[^”]*”"
)


def literal_figures(path: Path) -> dict[str, list[str]]:
    found = {}
    for key, entry in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).items():
        plain = re.sub(r"\{[{%].*?[%}]\}", " ", str(entry.get("en", "")))
        figures = re.findall(r"\d[\d.,]*\d", _NO_FACT.sub(" ", plain))
        if figures and not key.endswith(("_message", "_hint")):
            found[key] = figures
    return found


@pytest.mark.parametrize("path", sorted((data_root() / "templates" / "texts").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_fact_in_a_template_is_backed(path: Path) -> None:
    if path.stem in ("rules", "glossary"):
        return  # backed by each rule and each term, see their own tests
    assert set(literal_figures(path)) <= set(BACKED), literal_figures(path)


def test_what_backs_a_template_exists() -> None:
    known = set(CLAIMS.by_id) | set(CLAIMS.sources)
    assert {key for keys in BACKED.values() for key in keys} <= known
