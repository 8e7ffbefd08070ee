"""What a card costs to rent: dated list prices, the cheapest first, with what is too old or disputed said so."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.advise.context import AdviceContext
from bot.advise.disputes import disputes_said
from bot.advise.help import ask_back
from bot.advise.lookup import instances_named, types_said
from bot.advise.price_history import asks_for_history, history_answer
from bot.advise.pricing import (
    HOURS,
    Price,
    billing_said,
    card_said,
    in_readers_money,
    like_cards,
    provider_name,
    read_said,
    sources_of,
    to_currency,
    variants_of,
)
from bot.advise.setup import gpu_label
from bot.answer import Answer, Band, Bilingual, Cell, Choice, Say, Table, Text, say
from bot.catalog.offers import age_days, usd_per_gpu_hour
from bot.catalog.records import GpuSpec, Offer
from bot.question import Money, Question

_MOST_ROWS = 6
_HEADS = tuple(say(f"prices.head_{name}") for name in ("card", "seller", "billing", "price", "region", "read"))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The cards whose price is asked, and how they were named."""

    label: str
    gpus: tuple[GpuSpec, ...]
    count: int | None = None
    instances: frozenset[str] = frozenset()  # only these instance types, where one was named

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(gpu.id for gpu in self.gpus)


def answer_price_lookup(question: Question, context: AdviceContext) -> Answer:
    wanted = _wanted(question, context)
    if wanted is None:
        return ask_back(question, "gpus")
    if asks_for_history(question, context):
        history = history_answer(wanted.ids, question, context)
        if history is not None:
            return history
    found = _found(wanted, question, context)
    recent = [offer for offer in found if age_days(offer, context.now) <= context.offers.limits.cheapest_days]
    if not recent:
        return _nothing_recent(wanted, found, question, context)
    best = _best(recent, context)
    rows = _rows(recent, best)
    if wanted.instances and best.instance and wanted.count is None:
        wanted = replace(wanted, count=best.gpu_count)  # an instance is priced whole
    count = wanted.count or 1
    return Answer(
        question=question,
        headline=_several(recent, question, context) or _headline(best, wanted, question, context),
        language=question.language,
        answered_from="catalog",
        table=price_table(rows, question, context),
        body=_body(best, recent, rows, wanted, question=question, context=context),
        sources=sources_of(rows, context),
        cost=Price(float(best.price_per_gpu_hour), best.currency, best).cost(
            Band.exact(float(best.price_per_gpu_hour) * count), "hour", context
        ),
        catalog_date=max(offer.read_on for offer in rows),
        choices=_choices(wanted),
    )


def _wanted(question: Question, context: AdviceContext) -> _Wanted | None:
    slots = question.slots
    cards = [(slot, variants_of(slot, context)) for slot in slots.gpus]
    known = [(slot, variants) for slot, variants in cards if variants]
    instances = instances_named(question, context) if slots.instance else []
    named = frozenset(instance.instance for instance in instances)
    if known:
        gpus = tuple(gpu for _, variants in known for gpu in variants)
        label = " / ".join(gpu_label(slot.name or f"{slot.memory_gb:g} GB") for slot, _ in known)
        return _Wanted(label, gpus, known[0][0].count, named)
    if instances:
        gpus = tuple({context.specs.gpu_by_id[instance.gpu]: None for instance in instances})
        return _Wanted(slots.instance or "", gpus, None, named)
    return None


def _found(wanted: _Wanted, question: Question, context: AdviceContext) -> list[Offer]:
    """Listed offers for what was asked, cheapest first: provider, billing and region as said."""
    slots = question.slots
    billing = "spot" if slots.metric == "spot_price" else None
    found = context.offers.listed(wanted.ids, now=context.now, provider=slots.provider, billing=billing)
    if wanted.instances:
        of_instance = [offer for offer in found if offer.instance in wanted.instances]
        found = of_instance or [offer for offer in found if offer.instance is None]
    if slots.region:
        there = [offer for offer in found if _in_region(offer, slots.region)]
        found = there or found
    return found


def _in_region(offer: Offer, region: str) -> bool:
    return offer.region is not None and offer.region.casefold().startswith(region.casefold())


def _best(offers: list[Offer], context: AdviceContext) -> Offer:
    """The one of the headline: read lately and not to be taken away within minutes, where there is such a one."""
    return min(offers, key=lambda o: (o.billing == "spot", _is_old(o, context), usd_per_gpu_hour(o)))


def _is_old(offer: Offer, context: AdviceContext) -> bool:
    return age_days(offer, context.now) > context.offers.limits.say_age_days


def _rows(offers: list[Offer], best: Offer) -> list[Offer]:
    """The headline's offer, then the cheapest of each card and billing, then the next cheapest."""
    first: dict[tuple[str, str], Offer] = {(best.gpu, best.billing): best}
    for offer in offers:
        first.setdefault((offer.gpu, offer.billing), offer)
    kinds = sorted((offer for offer in first.values() if offer is not best), key=usd_per_gpu_hour)
    chosen = [best, *kinds][: _MOST_ROWS - 1]
    sellers = {(offer.provider, offer.gpu, offer.billing) for offer in chosen}
    for offer in offers:
        if len(chosen) == _MOST_ROWS:
            break
        if (offer.provider, offer.gpu, offer.billing) not in sellers:
            sellers.add((offer.provider, offer.gpu, offer.billing))
            chosen.append(offer)
    return [best, *sorted((offer for offer in chosen if offer is not best), key=usd_per_gpu_hour)]


def _headline(best: Offer, wanted: _Wanted, question: Question, context: AdviceContext) -> Text:
    ceiling = _ceiling(question.slots.budget, best, context)
    key = "cheapest" if ceiling is None else "under" if float(best.price_per_gpu_hour) <= ceiling else "over"
    count = wanted.count or 1
    return say(
        f"prices.{key}",
        price=float(best.price_per_gpu_hour),
        currency=best.currency,
        card=card_said(best, context),
        seller=provider_name(best.provider, context, question.language),
        billing=billing_said(best),
        read=read_said(best, context),
        ceiling=ceiling,
        n=count,
        total=float(best.price_per_gpu_hour) * count,
        sold_in=best.gpu_count if best.gpu_count > count else None,
    )


def _bill_lines(best: Offer, count: int, question: Question, context: AdviceContext) -> list[Say]:
    """The same in the reader's currency, and for a month or the time said."""
    hourly = float(best.price_per_gpu_hour) * count
    converted = in_readers_money(hourly, best.currency, question, context)
    hours = question.slots.duration_h or HOURS["month"]
    for_time = say("prices.for_time", n=count, hours=hours, amount=hourly * hours, currency=best.currency)
    return [*((converted,) if converted else ()), for_time]


def _names_several(question: Question) -> bool:
    return sum(slot.name is not None for slot in question.slots.gpus) > 1


def _several(offers: list[Offer], question: Question, context: AdviceContext) -> Text | None:
    """The lowest price of each card, where the question names several."""
    slots = [slot for slot in question.slots.gpus if slot.name]
    if not _names_several(question):
        return None
    items = []
    for slot in slots:
        ids = {gpu.id for gpu in variants_of(slot, context)}
        own = [offer for offer in offers if offer.gpu in ids]
        label = gpu_label(slot.name or "")
        if not own:
            items.append(say("prices.one_of_several_none", label=label))
            continue
        best = _best(own, context)
        items.append(
            say(
                "prices.one_of_several",
                label=label,
                price=float(best.price_per_gpu_hour),
                currency=best.currency,
                seller=provider_name(best.provider, context, question.language),
                billing=billing_said(best),
                read=read_said(best, context),
            )
        )
    return say("prices.several", items=tuple(items))


def _ceiling(budget: Money | None, best: Offer, context: AdviceContext) -> float | None:
    """A limit a GPU-hour, in the currency of the offer."""
    if budget is None or budget.period not in (None, "hour"):
        return None
    return to_currency(budget.amount, budget.currency or best.currency, best.currency, context.now.date())


def _body(
    best: Offer, recent: list[Offer], rows: list[Offer], wanted: _Wanted, *, question: Question, context: AdviceContext
) -> tuple[Say, ...]:
    lines: list[Say] = [] if _names_several(question) else _bill_lines(best, wanted.count or 1, question, context)
    region = question.slots.region
    if region and not any(_in_region(offer, region) for offer in rows):
        lines.append(say("prices.no_region", region=region))
    sellers = {offer.provider for offer in rows}
    lines += disputes_said([offer for offer in recent if offer.provider in sellers], question, context)
    lines.append(say("prices.not_stock"))
    return tuple(lines)


def _nothing_recent(wanted: _Wanted, old: list[Offer], question: Question, context: AdviceContext) -> Answer:
    """No price that may be quoted as today's: what was last seen, where to look, and the cheapest elsewhere."""
    provider = question.slots.provider
    elsewhere = context.offers.cheapest(wanted.ids, n=_MOST_ROWS, now=context.now) if provider or old else []
    like = like_cards(wanted.gpus, context)[:1] if not old and not elsewhere else ()
    if like:
        elsewhere = context.offers.cheapest(like[0].id, n=_MOST_ROWS, now=context.now)
    known = context.offers.provider_by_id.get(provider or "")
    last = max(old, key=lambda offer: offer.read_on, default=None)
    headline = say(
        "prices.old_only" if last else "prices.none_there" if provider else "prices.none",
        label=wanted.label,
        seller=provider_name(provider, context, question.language) if provider else None,
        url=known.url if known else None,
        price=float(last.price_per_gpu_hour) if last else None,
        currency=last.currency if last else None,
        last_seller=provider_name(last.provider, context, question.language) if last else None,
        date=last.read_on if last else None,
        days=age_days(last, context.now) if last else None,
    )
    body: list[Say] = []
    if known and known.note_en:
        body.append(Bilingual(known.note_en, known.note_zh))
    types = types_said(wanted.ids, provider, context)
    if types:
        body.append(types)
    if like:
        body.append(say("prices.like", card=like[0].title))
    elif elsewhere:
        body.append(say("prices.elsewhere"))
    shown = elsewhere or old[:_MOST_ROWS]
    return Answer(
        question=question,
        headline=headline,
        language=question.language,
        answered_from="catalog",
        table=price_table(shown, question, context) if shown else None,
        body=(*body, say("prices.not_stock")) if shown else tuple(body),
        sources=sources_of(shown, context),
        catalog_date=max((offer.read_on for offer in shown), default=None),
    )


def price_table(offers: list[Offer], question: Question, context: AdviceContext) -> Table:
    """Card, seller, billing, price a GPU-hour, place, day of the reading."""
    rows = tuple(
        (
            Cell(card_said(offer, context)),
            Cell(_seller(offer, question, context)),
            Cell(billing_said(offer)),
            Cell(say("prices.amount", price=float(offer.price_per_gpu_hour), currency=offer.currency)),
            Cell(offer.region or say("prices.any_region")),
            Cell(offer.read_on, "date"),
        )
        for offer in offers
    )
    return Table(_HEADS, rows)


def _seller(offer: Offer, question: Question, context: AdviceContext) -> Text:
    name = provider_name(offer.provider, context, question.language)
    return say("prices.seller", name=name, instance=offer.instance, sold_in=offer.gpu_count if offer.gpu_count > 1 else None)


def _choices(wanted: _Wanted) -> tuple[Choice, ...]:
    card = wanted.label.split(" / ", maxsplit=1)[0]
    return tuple(
        Choice(say(f"prices.choice_{name}"), say(f"prices.choice_{name}_message", gpu=card))
        for name in ("watch", "history", "spot", "month")
    )
