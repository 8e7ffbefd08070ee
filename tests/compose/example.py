"""An answer with every part a reply can have, its figures fixed: for tests of words, blocks and the terminal."""

from datetime import date

from bot.answer import (
    Answer,
    Assumption,
    Band,
    Bilingual,
    Caveat,
    Cell,
    Choice,
    Measured,
    Scenario,
    Source,
    SumLine,
    Table,
    say,
)
from bot.question import Intent, Language, Question

COLUMNS = (say("column.method"), say("column.cards"), say("column.gib_per_card"), say("column.verdict"))


def example_answer(language: Language = "en", **changes: object) -> Answer:
    question = Question("can A100 80G fine-tune a 70B model?", Intent.FEASIBILITY, language=language)
    qlora = say("method.qlora")
    cards = say("cards.one", gpu="A100 80G")
    parts: dict[str, object] = {
        "headline": say(
            "feasibility.open_yes",
            method=qlora,
            cards=cards,
            n=1,
            memory=Band(43, 48.2, 54),
            usable=79.1,
            rest=(say("feasibility.also_no", method=say("method.lora"), counts=say("counts.both", least=2, sure=4)),),
        ),
        "verdict": "yes",
        "answered_from": "estimator",
        "table": Table(
            COLUMNS,
            (
                (Cell(qlora), Cell(1, "count"), Cell(Band(43, 48.2, 54), "gib"), Cell(say("cell.fits", spare=30.9))),
                (Cell(say("method.lora")), Cell(2, "count"), Cell(Band(74, 78, 86), "gib"), Cell("tight", "verdict")),
            ),
        ),
        "body": (
            say(
                "extras.time",
                tokens=10_000_000,
                wall=Band(9, 11, 13),
                method=say("method.qlora"),
                cards=say("cards.one", gpu="A100 80G"),
            ),
        ),
        "main": Scenario("qlora", qlora, "yes", None, n_gpus=1),
        "assumptions": (
            Assumption("models[0].name", "Llama-3.3-70B", say("why.size", size=70, name="Llama-3.3-70B")),
            Assumption("seq_len", 2048, say("why.default")),
            Assumption("micro_batch", 1, say("why.default")),
        ),
        "caveats": (
            Caveat("usable", Bilingual("80 GB leave 79.1 GiB.", "80 GB 可用 79.1 GiB。"), weight=1),
            Caveat("pool", Bilingual("Memory is per card.", "显存按卡算。"), weight=9),
        ),
        "measured": (
            Measured("65B QLoRA, 1 × 48 GB", 41.0, "GiB", Source("QLoRA paper", "https://arxiv.org/abs/2305.14314")),
        ),
        "sources": (Source("RunPod", "https://www.runpod.io/pricing", date(2026, 11, 9)),),
        "sum": (
            SumLine(say("breakdown.weights"), 36.8, "GiB", "35.3 + 4.2 GB"),
            SumLine(say("breakdown.logits"), 2.9, "GiB"),
        ),
        "choices": (Choice(say("choice.try_card", gpu="H100"), say("choice.try_card_message", gpu="H100")),),
    }
    return Answer(**{"question": question, "language": language, **parts, **changes})  # type: ignore[arg-type]
