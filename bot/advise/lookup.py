"""What a card is (memory, bandwidth, rates, links, power) and which card an instance has: figures of the catalog."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot.advise.context import AdviceContext
from bot.advise.links import Link, links_in, load_links
from bot.advise.pricing import provider_name, variants_of
from bot.advise.setup import gpu_label
from bot.answer import Answer, Assumption, Cell, Say, Source, Table, Text, say
from bot.catalog.records import GpuSpec, Instance
from bot.question import Question

_MOST_ROWS = 8
_MOST_TYPES = 5
# What the table shows for the attribute asked about; everything else shows the usual sheet.
_COLUMNS = {
    "bandwidth": ("memory_gb", "bandwidth_gbs"),
    "nvlink": ("link", "link_gbs", "link_domain", "pcie"),
    "interconnect": ("link", "link_gbs", "link_domain", "pcie"),
    "tflops": ("fp32_tflops", "bf16_tflops", "fp8_tflops", "fp4_tflops", "int8_tops"),
    "tdp": ("tdp_w", "memory_gb"),
    "energy": ("tdp_w", "memory_gb"),
    "form": ("form", "memory_gb", "link", "tdp_w"),
}
_RATES = {"int8": "int8_tops"}  # every other precision is in `<precision>_tflops`
_SHEET = ("memory_gb", "usable_gib", "bandwidth_gbs", "bf16_tflops", "fp8_tflops", "link_gbs", "tdp_w")
_PRECISIONS = ("fp8", "fp4", "int8", "tf32", "fp32", "fp16")
_PRICED = ("price", "spot_price", "availability")
_EXPLAINED = ("latency", "mfu", "cost_per_mtok")


@dataclass(frozen=True, slots=True)
class _Named:
    """One card of the question: how it was written, and the variants that this may mean, the default first."""

    label: str
    variants: tuple[GpuSpec, ...]

    @property
    def main(self) -> GpuSpec:
        return self.variants[0]


def answer_spec_lookup(question: Question, context: AdviceContext) -> Answer:
    slots = question.slots
    if slots.instance is not None and (not slots.gpus or slots.metric in (None, "gpu_model")):
        return _instance_answer(question, context)
    if slots.metric in _PRICED and slots.gpus:
        from bot.advise.prices import answer_price_lookup

        return answer_price_lookup(question, context)
    named = _named(question, context)
    if not named and any(slot.memory_gb for slot in slots.gpus):
        from bot.advise.catalog_search import answer_catalog_search  # "which cards have 48 GB and FP8?"

        return answer_catalog_search(question, context)
    if named and slots.metric not in _EXPLAINED:
        return _spec_answer(question, named, _precision_asked(question))
    links = links_in(question.text, load_links(context.folder))
    if links:
        return _links_answer(question, links)
    from bot.advise.faq import answer_faq

    return answer_faq(question, context)


def _named(question: Question, context: AdviceContext) -> tuple[_Named, ...]:
    found = ((slot, variants_of(slot, context)) for slot in question.slots.gpus if slot.name)
    return tuple(_Named(gpu_label(slot.name or ""), variants) for slot, variants in found if variants)


def support_answer(question: Question, context: AdviceContext) -> Answer | None:
    """Whether the cards that are named compute in the precision that is named; None where no card is known."""
    named = _named(question, context)
    return _spec_answer(question, named, precision_named(question)) if named else None


def _spec_answer(question: Question, named: tuple[_Named, ...], precision: str | None) -> Answer:
    metric = None if precision else question.slots.metric
    cards = [gpu for one in named for gpu in one.variants][:_MOST_ROWS]
    columns = _support_columns(precision) if precision else _COLUMNS.get(metric or "", _SHEET)
    return Answer(
        question=question,
        headline=_support(precision, named) if precision else _headline(metric, question.text, named),
        language=question.language,
        answered_from="catalog",
        table=_table(columns, named),
        body=_notes(metric, precision, cards),
        assumptions=tuple(
            Assumption(f"gpus[{index}].name", one.main.title, say("why.variant", name=one.label))
            for index, one in enumerate(named)
            if len(one.variants) > 1
        ),
        sources=_sources(cards),
    )


def _precision_asked(question: Question) -> str | None:
    """The precision whose support is asked: by the attribute, or where one is all that is asked of a card."""
    slots = question.slots
    if slots.metric is not None:
        return (precision_named(question) or "fp8") if slots.metric == "fp8_support" else None
    return precision_named(question)


def precision_named(question: Question) -> str | None:
    """The precision that the message names: the one that a sentence about support is about."""
    said = question.text.casefold()
    return next((p for p in ("bf16", *_PRECISIONS) if p == question.slots.precision or p in said), None)


def _support_columns(precision: str) -> tuple[str, ...]:
    return (_RATES.get(precision, f"{precision}_tflops"), "fp16_tflops", "arch")


def _support(precision: str, named: tuple[_Named, ...]) -> Say:
    """`No: V100 (Volta) has no BF16 arithmetic.`"""
    parts = tuple(
        say(
            "lookup.support",
            name=one.label,
            arch=one.main.arch,
            precision=precision.upper(),
            rate=one.main.peak_tflops(precision),
            alone=len(named) == 1,
        )
        for one in named
    )
    return say("lookup.all", items=parts)


def _headline(metric: str | None, text: str, named: tuple[_Named, ...]) -> Say:
    if len(named) == 2 and metric in ("bandwidth", "nvlink", "interconnect", "tdp", "tflops"):
        compared = _compared(metric, text, *named)
        if compared is not None:
            return compared
    parts = tuple(_part(metric, one, alone=len(named) == 1) for one in named)
    return say("lookup.all", items=parts)


def _compared(metric: str, text: str, first: _Named, second: _Named) -> Text | None:
    """`A800 has 400 GB/s, A100 600: 200 less (33 %).`"""
    precision = next((p for p in _PRECISIONS if p in text.casefold()), "bf16")
    fields = {"nvlink": "link_gbs", "interconnect": "link_gbs", "bandwidth": "bandwidth_gbs", "tdp": "tdp_w"}
    name = fields.get(metric)
    a, b = (getattr(o.main, name) if name else o.main.peak_tflops(precision) for o in (first, second))
    if not a or not b:
        return None
    return say(
        f"lookup.compared_{name or 'tflops'}",
        a=first.label,
        b=second.label,
        x=a,
        y=b,
        difference=abs(a - b),
        share=abs(a - b) / b,
        precision=precision.upper(),
    )


def _part(metric: str | None, one: _Named, *, alone: bool) -> Text:
    """The attribute asked about, in one sentence; several variants that differ are told apart."""
    key = metric if metric in _COLUMNS else "sheet"
    return say(f"lookup.{_KEYS.get(key, key)}", name=one.label, alone=alone, **_values(one))


_KEYS = {"interconnect": "nvlink", "energy": "tdp"}


def _values(one: _Named) -> dict[str, object]:
    """Figures of the default variant, and the ends where the variants differ."""
    gpu = one.main
    values: dict[str, object] = {
        name: getattr(gpu, name)
        for name in (
            *("memory_gb", "usable_gib", "bandwidth_gbs", "fp32_tflops", "fp16_tflops", "bf16_tflops", "fp8_tflops"),
            *("fp4_tflops", "int8_tops", "link", "link_gbs", "link_domain", "pcie", "form", "tdp_w", "arch"),
        )
    }
    values["sparse"] = gpu.sparse_doubles
    values["title"] = gpu.title
    values["others"] = tuple(other.title for other in one.variants[1:])
    values["differ"] = len({(v.bandwidth_gbs, v.link_gbs, v.bf16_tflops, v.tdp_w) for v in one.variants}) > 1
    values["forms"] = tuple(dict.fromkeys(f"{v.form} {v.memory_gb:g} GB" for v in one.variants if v.form))
    return values


def _table(columns: tuple[str, ...], named: tuple[_Named, ...]) -> Table | None:
    """One row a variant; variants that do not differ here share one. A single row would only repeat the headline."""
    cards = [gpu for one in named for gpu in one.variants]
    shown = [name for name in columns if name == columns[0] or any(getattr(gpu, name) not in (None, "") for gpu in cards)]
    rows: list[tuple[Cell, ...]] = []
    for one in named:
        alike = len({tuple(getattr(gpu, name) for name in shown) for gpu in one.variants}) == 1
        listed = one.variants[:1] if alike else one.variants
        rows += [(Cell(one.label if alike else gpu.title), *(_cell(gpu, name) for name in shown)) for gpu in listed]
    heads = (say("lookup.head_card"), *(say(f"lookup.head_{name}") for name in shown))
    return Table(heads, tuple(rows[:_MOST_ROWS])) if len(rows) > 1 else None


def _cell(gpu: GpuSpec, name: str) -> Cell:
    value = getattr(gpu, name)
    if isinstance(value, str):
        return Cell(value)
    return Cell(value, "plain" if name in ("memory_gb", "usable_gib") else "figure")


def _notes(metric: str | None, precision: str | None, cards: list[GpuSpec]) -> tuple[Say, ...]:
    notes: list[Say] = []
    if (precision or metric in ("tflops", None)) and any(gpu.sparse_doubles for gpu in cards):
        notes.append(say("lookup.dense"))
    if precision == "fp8" and any(gpu.fp8_tflops is None for gpu in cards):
        notes.append(say("lookup.fp8_weights"))
    if any(gpu.standing == "recalled" for gpu in cards):
        notes.append(say("lookup.not_reread"))
    return tuple(notes)


def _sources(cards: list[GpuSpec]) -> tuple[Source, ...]:
    """One source a page: variants of a card share its data sheet."""
    pages: dict[str | None, Source] = {}
    for gpu in cards:
        pages.setdefault(gpu.source, gpu.as_source())
    return tuple(pages.values())


def instances_named(question: Question, context: AdviceContext) -> list[Instance]:
    """Types that begin with what was said: `p5en` is `p5en.48xlarge`, `gn7i` all of its sizes."""
    said = (question.slots.instance or "").casefold().removeprefix("ecs.")
    provider = question.slots.provider
    fitting = [i for i in context.offers.instances if provider is None or i.provider == provider]
    exact = [i for i in fitting if i.instance.casefold().removeprefix("ecs.") == said]
    family = [i for i in fitting if _of_family(i.instance.casefold().removeprefix("ecs."), said)]
    return exact or family


def types_said(gpus: Collection[str], provider: str | None, context: AdviceContext) -> Text | None:
    """The instance types of a seller that have one of these cards; None where none is known."""
    found = [i for i in context.offers.instances if i.gpu in gpus and i.provider == provider]
    items = tuple(say("lookup.type", instance=i.instance, n=i.gpu_count) for i in found[:_MOST_TYPES])
    return say("lookup.types", items=items) if items else None


def _of_family(instance: str, said: str) -> bool:
    return bool(said) and instance.startswith(said) and not instance[len(said) : len(said) + 1].isalnum()


def _instance_answer(question: Question, context: AdviceContext) -> Answer:
    found = instances_named(question, context)
    if not found:
        return Answer(
            question=question,
            headline=say("lookup.no_instance", instance=question.slots.instance),
            language=question.language,
            answered_from="catalog",
        )
    largest = max(found, key=lambda instance: instance.gpu_count)
    gpu = context.specs.gpu_by_id[largest.gpu]
    named = {card.id for slot in question.slots.gpus for card in variants_of(slot, context)}
    return Answer(
        question=question,
        headline=say(
            "lookup.instance_other" if named and gpu.id not in named else "lookup.instance",
            named=tuple(gpu_label(slot.name) for slot in question.slots.gpus if slot.name),
            provider=provider_name(largest.provider, context, question.language),
            instance=largest.instance,
            n=largest.gpu_count,
            gpu=gpu.title,
            vcpus=largest.vcpus,
            ram=largest.ram_gib,
            network=largest.network_gbps,
        ),
        language=question.language,
        answered_from="catalog",
        table=instance_table(found[:_MOST_ROWS], question, context) if len(found) > 1 else None,
        sources=tuple(dict.fromkeys(instance_source(i, context) for i in found[:_MOST_ROWS])),
    )


def instance_source(instance: Instance, context: AdviceContext) -> Source:
    return Source(
        f"{provider_name(instance.provider, context)} instance types", instance.source, instance.read_on, instance.standing
    )


def instance_table(instances: list[Instance], question: Question, context: AdviceContext) -> Table:
    heads = ("provider", "instance", "gpu", "count", "vcpus", "ram", "network")
    rows = tuple(
        (
            Cell(provider_name(i.provider, context, question.language)),
            Cell(say("lookup.plain", text=i.instance)),
            Cell(context.specs.gpu_by_id[i.gpu].title),
            Cell(i.gpu_count, "count"),
            Cell(i.vcpus, "count"),
            Cell(i.ram_gib, "count"),
            Cell(i.network_gbps, "figure"),
        )
        for i in instances
    )
    return Table(tuple(say(f"lookup.head_{name}") for name in heads), rows)


def _links_answer(question: Question, links: tuple[Link, ...]) -> Answer:
    """Generations of links against each other: NVLink 4 against PCIe 5.0."""
    a, b = links[0], links[-1]
    headline = (
        say("lookup.links_compared", a=a.name, b=b.name, x=a.gbs, y=b.gbs, times=max(a.gbs, b.gbs) / min(a.gbs, b.gbs))
        if len(links) > 1
        else say("lookup.link", a=a.name, x=a.gbs, half=a.gbs / 2)
    )
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="catalog",
        table=Table(
            (say("lookup.head_link"), say("lookup.head_link_gbs"), say("lookup.head_found_in")),
            tuple((Cell(link.name), Cell(link.gbs, "figure"), Cell(link.found_in)) for link in links),
        ),
        sources=tuple(dict.fromkeys(link.as_source() for link in links)),
    )
