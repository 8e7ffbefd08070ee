"""Which cards, clouds or instances: the catalog filtered by memory, link, form, FP8, price, seller and region."""

from __future__ import annotations

from collections.abc import Mapping

from bot.advise.catalog_words import says
from bot.advise.context import AdviceContext
from bot.advise.lookup import instance_source, instance_table
from bot.advise.prices import answer_price_lookup
from bot.advise.pricing import billing_said, provider_name, sources_of, to_currency, variants_of
from bot.advise.setup import gpu_label
from bot.answer import Answer, Bilingual, Cell, Say, Table, say
from bot.catalog.records import GpuSpec, Instance, Offer
from bot.folder import Folder
from bot.question import GpuSlot, Question

_MOST_ROWS = 10
_MEMORY_SLACK = 0.015
_FORMS = ("SXM", "PCIe", "OAM")


def answer_catalog_search(question: Question, context: AdviceContext) -> Answer:
    """Sellers of a named card; or the cards that a filter leaves."""
    named = [slot for slot in question.slots.gpus if slot.name]
    if named and question.slots.metric in ("price", "spot_price"):
        return answer_price_lookup(question, context)
    if named:
        return _sellers(named[0], question, context)
    return _cards(question, context)


def _sellers(slot: GpuSlot, question: Question, context: AdviceContext) -> Answer:
    """Instance types with this card, then sellers who list it without fixed types."""
    slots = question.slots
    gpus = {gpu.id for gpu in variants_of(slot, context)}
    if not gpus:
        return answer_price_lookup(question, context)
    count = slot.count or slots.gpus_per_node
    instances = [i for i in context.offers.instances if i.gpu in gpus and _fits(i, count, slots.provider)]
    offers = context.offers.cheapest(gpus, n=_MOST_ROWS, provider=slots.provider, now=context.now)
    names = {i.provider for i in instances} | {o.provider for o in offers}
    label = gpu_label(slot.name or "")
    if not names:
        return _nobody(label, question, context)
    body: list[Say] = [_prices_said(offers, question, context)] if offers else []
    if slots.region and not any((o.region or "").startswith(slots.region) for o in offers):
        body.append(say("prices.no_region", region=slots.region))
    return Answer(
        question=question,
        headline=say(
            "catalog.sellers",
            label=label,
            count=count,
            names=tuple(provider_name(name, context, question.language) for name in sorted(names)),
        ),
        language=question.language,
        answered_from="catalog",
        table=instance_table(instances[:_MOST_ROWS], question, context) if instances else None,
        body=(*body, say("prices.not_stock")),
        sources=(
            *dict.fromkeys(instance_source(i, context) for i in instances[:_MOST_ROWS]),
            *sources_of(offers[:3], context),
        ),
        catalog_date=max((offer.read_on for offer in offers), default=None),
    )


def _fits(instance: Instance, count: int | None, provider: str | None) -> bool:
    return (count is None or instance.gpu_count == count) and (provider is None or instance.provider == provider)


def _prices_said(offers: list[Offer], question: Question, context: AdviceContext) -> Say:
    return say(
        "catalog.prices",
        items=tuple(
            say(
                "catalog.price",
                seller=provider_name(offer.provider, context, question.language),
                price=float(offer.price_per_gpu_hour),
                currency=offer.currency,
                billing=billing_said(offer),
                date=offer.read_on,
            )
            for offer in offers[:4]
        ),
    )


def _nobody(label: str, question: Question, context: AdviceContext) -> Answer:
    provider = context.offers.provider_by_id.get(question.slots.provider or "")
    return Answer(
        question=question,
        headline=say(
            "catalog.nobody",
            label=label,
            seller=provider_name(provider.id, context, question.language) if provider else None,
            url=provider.url if provider else None,
        ),
        language=question.language,
        answered_from="catalog",
        body=(Bilingual(provider.note_en, provider.note_zh),) if provider and provider.note_en else (),
    )


def _cards(question: Question, context: AdviceContext) -> Answer:
    """Cards that pass every filter, those with a price first, cheapest first."""
    passing = [gpu for gpu in context.specs.gpus if not gpu.rare and _passes(gpu, question, context)]
    offers = {gpu.id: _cheapest(gpu, question, context) for gpu in passing}
    ceiling = question.slots.budget
    if ceiling is not None and ceiling.period in (None, "hour"):
        passing = [gpu for gpu in passing if _within(offers[gpu.id], ceiling.amount, ceiling.currency, context)]
    ordered = sorted(passing, key=lambda gpu: _rank(gpu, offers[gpu.id]))
    shown = ordered[:_MOST_ROWS]
    priced = [offer for gpu in shown if (offer := offers[gpu.id]) is not None]
    sources = {gpu.source: gpu.as_source() for gpu in shown[:3]}
    return Answer(
        question=question,
        headline=say(
            "catalog.cards" if shown else "catalog.no_cards", n=len(ordered), names=tuple(g.title for g in shown[:5])
        ),
        language=question.language,
        answered_from="catalog",
        table=_card_table(shown, offers, question, context) if shown else None,
        body=(say("prices.not_stock"),) if priced else (),
        sources=(*sources.values(), *sources_of(priced[:3], context)),
        catalog_date=max((offer.read_on for offer in priced), default=None),
    )


def _passes(gpu: GpuSpec, question: Question, context: AdviceContext) -> bool:
    slots = question.slots
    memory = next((slot.memory_gb for slot in slots.gpus if slot.memory_gb), None)
    form = next((slot.form for slot in slots.gpus if slot.form), None) or _form_in(question.text)
    return (
        (memory is None or _memory_fits(gpu.memory_gb, memory, question.text, context.folder))
        and (form is None or gpu.form == form)
        and (slots.metric != "nvlink" or (gpu.link or "").startswith("NVLink"))
        and (slots.metric != "interconnect" or gpu.link is not None)
        and (slots.metric != "fp8_support" or gpu.fp8_tflops is not None)
    )


def _form_in(text: str) -> str | None:
    """The form factor that a message without a card's name asks for: "SXM only"."""
    return next((form for form in _FORMS if form.casefold() in text.casefold()), None)


def _memory_fits(has: float, asked: float, text: str, folder: Folder) -> bool:
    if says("at_least", text, folder):
        return has >= asked * (1 - _MEMORY_SLACK)
    if says("at_most", text, folder):
        return has <= asked * (1 + _MEMORY_SLACK)
    return abs(has - asked) <= _MEMORY_SLACK * asked


def _cheapest(gpu: GpuSpec, question: Question, context: AdviceContext) -> Offer | None:
    billing = "spot" if question.slots.metric == "spot_price" else "on-demand"
    found = context.offers.cheapest(gpu.id, n=1, provider=question.slots.provider, billing=billing, now=context.now)
    return found[0] if found else None


def _within(offer: Offer | None, amount: float, currency: str | None, context: AdviceContext) -> bool:
    if offer is None:
        return False
    ceiling = to_currency(amount, currency or offer.currency, offer.currency, context.now.date())
    return ceiling is not None and float(offer.price_per_gpu_hour) <= ceiling


def _rank(gpu: GpuSpec, offer: Offer | None) -> tuple[bool, float, float]:
    price = float(offer.price_per_gpu_hour) if offer else 0.0
    return offer is None, price, -(gpu.bandwidth_gbs or 0)


def _card_table(
    shown: list[GpuSpec], offers: Mapping[str, Offer | None], question: Question, context: AdviceContext
) -> Table:
    heads = ("card", "memory_gb", "bandwidth_gbs", "link_gbs", "fp8_tflops", "tdp_w")
    columns = (*(say(f"lookup.head_{name}") for name in heads), say("catalog.head_from"))
    rows = []
    for gpu in shown:
        offer = offers[gpu.id]
        price = (
            say(
                "catalog.from",
                price=float(offer.price_per_gpu_hour),
                currency=offer.currency,
                seller=provider_name(offer.provider, context, question.language),
                date=offer.read_on,
            )
            if offer
            else None
        )
        figures = (gpu.memory_gb, gpu.bandwidth_gbs, gpu.link_gbs, gpu.fp8_tflops, gpu.tdp_w)
        rows.append((Cell(gpu.title), *(Cell(value, "figure") for value in figures), Cell(price)))
    return Table(columns, tuple(rows))
