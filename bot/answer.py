"""What is answered: data only, no words of Slack and no finished sentences in one language.

Sentences are `Say` values: a key of `templates/texts/` with the values to place (`Text`), or prose that the knowledge
base holds in both languages (`Bilingual`). `compose` turns them into words; nothing before it formats a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

from bot.question import Action, Language, Question

if TYPE_CHECKING:
    from bot.estimator import ServingEstimate, TrainingEstimate

Standing = Literal["datasheet", "measured", "vendor-doc", "secondary", "derived", "recalled", "assumed"]
Basis = Literal["exact", "calibrated", "literature"]
Verdict = Literal["yes", "tight", "no"]
AnsweredFrom = Literal["estimator", "catalog", "faq", "help", "none"]


@dataclass(frozen=True, slots=True)
class Band:
    """An estimate with its doubt: `best`, and the 80 % interval `low` to `high`, all in the unit of the field's name."""

    low: float
    best: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.best <= self.high:
            raise ValueError(f"band out of order: {self.low} <= {self.best} <= {self.high}")

    @classmethod
    def exact(cls, value: float) -> Band:
        return cls(value, value, value)

    @classmethod
    def around(cls, best: float, down: float, up: float) -> Band:
        """`Band.around(50, 0.1, 0.2)` is 45 to 60 around 50."""
        return cls(best * (1 - down), best, best * (1 + up))

    def times(self, factor: float) -> Band:
        """The band scaled by a positive factor."""
        return Band(self.low * factor, self.best * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure was read. `read_on` is the day on which it was opened; None when it is recalled.

    `kind` says in what way `title` is a source: a page of that title, or the price list, the datasheet … of that name.
    """

    title: str
    url: str | None = None
    read_on: date | None = None
    standing: Standing = "secondary"
    kind: Literal["page", "price_list", "datasheet", "figures", "fitted"] = "page"

    @property
    def name(self) -> Text:
        """`RunPod price list`, `H100 SXM5 80GB datasheet`: what was read, for the reader's language."""
        return say(f"reply.source_{self.kind}", title=self.title)


@dataclass(frozen=True, slots=True)
class Bilingual:
    """Prose of the knowledge base."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence of `templates/texts/` by key, with the values that it places (numbers, bands, names, dates, `Say`)."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


Say = Text | Bilingual


def say(key: str, **values: object) -> Text:
    return Text(key, values)


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell: a value and how `compose` formats it (`gib`, `usd`, `count`, `tokens_per_s`, `verdict`, `text` …)."""

    value: object
    unit: str = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Column heads are texts by key; every row has one cell a column."""

    columns: tuple[Say, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: Say | None = None


@dataclass(frozen=True, slots=True)
class Assumption:
    """A default that changed a number: the slot, its value, and why this value."""

    slot: str
    value: object
    why: Say


@dataclass(frozen=True, slots=True)
class Caveat:
    """A rule of `knowledge/rules/` that fired, with the claims it rests on."""

    rule: str
    text: Say
    claims: tuple[str, ...] = ()
    weight: int = 0  # the three heaviest are shown


@dataclass(frozen=True, slots=True)
class SumLine:
    """One line of the sum: what, how much, and the formula with the user's numbers in it."""

    label: Say
    value: float
    unit: str
    formula: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Saving:
    """One rung of "what would make it fit": the change, GiB a card saved and still needed, and the verdict after it."""

    change: Say
    saved_gib: float
    left_gib: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Cost:
    """Money for a run or an hour, at a dated price."""

    amount: Band
    currency: str
    price_per_gpu_hour: float
    provider: str
    billing: str
    region: str | None
    read_on: date | None
    source: Source | None
    per: Literal["hour", "run", "mtok", "month"] = "hour"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One reading of the question with its own verdict: LoRA beside full, training beside serving."""

    task: str
    label: Say
    verdict: Verdict | None
    estimate: TrainingEstimate | ServingEstimate | None
    n_gpus: int | None = None
    min_gpus: int | None = None
    min_gpus_yes: int | None = None
    max_seq_len: int | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way that works: other cards, count or method."""

    label: Say
    gpu: str
    n_gpus: int
    method: str
    verdict: Verdict
    memory_gib_per_gpu: Band
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """The nearest published measurement: what was run, its figure, and where it stands."""

    what: str
    value: float
    unit: str
    source: Source


@dataclass(frozen=True, slots=True)
class Recipe:
    """A file or command that realises the answer, and what to look at in the first ten minutes.

    `compose` renders `templates/recipe/{kind}.j2` with `settings`; `check` says what nvidia-smi or the log should show.
    """

    kind: str  # llama-factory, torchtune, accelerate, deepspeed, vllm, sglang, llama.cpp …
    filename: str
    settings: Mapping[str, object]
    check: Say | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A button: its label, and the message that pressing it stands for."""

    label: Say
    message: Say | str


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything a reply can show; `compose` decides what fits where. Absent parts are None or empty, never made up."""

    question: Question
    headline: Say
    language: Language
    action: Action = Action.ANSWER
    verdict: Verdict | None = None
    answered_from: AnsweredFrom = "none"
    body: tuple[Say, ...] = ()  # lines under the table
    table: Table | None = None
    scenarios: tuple[Scenario, ...] = ()
    main: Scenario | None = None  # the reading that the headline is about; its estimate is the answer's
    alternatives: tuple[Alternative, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    corrections: tuple[Say, ...] = ()  # a figure of the message that is wrong, put right in one line
    caveats: tuple[Caveat, ...] = ()
    measured: tuple[Measured, ...] = ()
    sources: tuple[Source, ...] = ()
    sum: tuple[SumLine, ...] = ()
    savings: tuple[Saving, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    cost: Cost | None = None
    faq_id: str | None = None
    faq_candidates: tuple[tuple[str, float], ...] = ()
    choices: tuple[Choice, ...] = ()
    catalog_date: date | None = None
    private: bool = False  # help, errors and settings: for the asker's eyes only
