"""Prices as answers use them: which variants a name covers, the price of a sum, its age, and the reader's currency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from bot.advise.context import AdviceContext
from bot.answer import Band, Cost, Say, Source, Text, say
from bot.catalog.offers import Offers, age_days
from bot.catalog.records import GpuSpec, Offer
from bot.folder import Folder
from bot.question import GpuSlot, Language, Money, Question

HOURS = {"hour": 1.0, "day": 24.0, "month": 730.0, "year": 8760.0}
_MEMORY_SLACK = 0.015
_CHINA = "CNY"


@dataclass(frozen=True, slots=True)
class Price:
    """What one GPU-hour costs in a sum: listed (with its offer) or stated by the asker (without)."""

    amount: float
    currency: str
    offer: Offer | None = None

    def cost(self, amount: Band, per: str, context: AdviceContext) -> Cost:
        """`amount` in this price's currency, with where the price comes from."""
        offer = self.offer
        return Cost(
            amount=amount,
            currency=self.currency,
            price_per_gpu_hour=self.amount,
            provider=seller_name(offer, context) if offer else "",
            billing=offer.billing if offer else "stated",
            region=offer.region if offer else None,
            read_on=offer.read_on if offer else None,
            source=offer_source(offer, context) if offer else None,
            per=per,  # type: ignore[arg-type]
        )


def variants_of(slot: GpuSlot, context: AdviceContext) -> tuple[GpuSpec, ...]:
    """Every card that a name covers, the one assumed by default first: `H100` is SXM, PCIe and NVL."""
    specs = context.specs
    if slot.name is None:
        return tuple(gpu for gpu in specs.gpus if slot.memory_gb and _same(gpu.memory_gb, slot.memory_gb))
    default = specs.find_gpu(slot.name)
    if default is None:
        return ()
    members = [gpu for gpu in specs.members(slot.name) if not gpu.rare or gpu is default]
    size_said = slot.memory_gb is not None and not _same(slot.memory_gb, default.memory_gb)
    sized = [gpu for gpu in members if not size_said or _same(gpu.memory_gb, slot.memory_gb or 0)]
    formed = [gpu for gpu in sized if slot.form is None or gpu.form == slot.form]
    rest = [gpu for gpu in formed if gpu is not default]
    return (default, *rest) if default in formed or not formed else tuple(rest)


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= _MEMORY_SLACK * b


def price_of(gpus: Iterable[GpuSpec], question: Question, context: AdviceContext) -> Price | None:
    """The price of one GPU-hour for a sum: as the asker states it, else of the provider named, else the usual one."""
    stated = stated_price(question.slots.unit_price)
    if stated is not None:
        return stated
    offers = context.offers
    provider = question.slots.provider
    billing = "spot" if question.slots.metric == "spot_price" else None
    cards = tuple(gpus)
    for gpu in (*cards, *like_cards(cards, context)):
        offer = _offer_for(gpu, offers, context, provider, billing)
        if offer is not None:
            return Price(float(offer.price_per_gpu_hour), offer.currency, offer)
    return None


def like_cards(cards: tuple[GpuSpec, ...], context: AdviceContext) -> tuple[GpuSpec, ...]:
    """Cards whose price stands in for these: the same chip with another link (`priced_like` of costs.yaml)."""
    like = _priced_like(context.folder)
    return tuple(context.specs.gpu_by_id[like[gpu.id]] for gpu in cards if gpu.id in like)


@lru_cache(maxsize=4)
def _priced_like(folder: Folder) -> Mapping[str, str]:
    like: Mapping[str, str] = folder.yaml("costs.yaml").get("priced_like", {})
    return like


def _offer_for(
    gpu: GpuSpec, offers: Offers, context: AdviceContext, provider: str | None, billing: str | None
) -> Offer | None:
    if provider is None and billing is None:
        return offers.price_for(gpu.id, context.now)
    found = offers.cheapest(gpu.id, n=1, provider=provider, billing=billing or "on-demand", now=context.now)
    return found[0] if found else None


def stated_price(money: Money | None) -> Price | None:
    """`$4/hr` as a price of one GPU-hour; prices a day or a month are divided."""
    if money is None:
        return None
    hours = HOURS.get(money.period or "hour", 1.0)
    return Price(money.amount / hours, money.currency or "USD")


def offer_source(offer: Offer, context: AdviceContext) -> Source:
    """The list that the price was read from."""
    return Source(seller_name(offer, context), offer.source, offer.read_on, offer.standing, "price_list")


def seller_name(offer: Offer, context: AdviceContext) -> str:
    return provider_name(offer.provider, context)


def provider_name(provider: str, context: AdviceContext, language: Language = "en") -> str:
    """`RunPod`, 阿里云: the name that readers of this language use."""
    known = context.offers.provider_by_id.get(provider)
    if known is None:
        return provider
    return known.name_zh if language == "zh" and known.name_zh else known.name


def read_said(offer: Offer, context: AdviceContext) -> Say:
    """`read 2026-11-09`, from a month on with the age in words: `(100 days ago)`."""
    days = age_days(offer, context.now)
    key = "prices.read_old" if days > context.offers.limits.say_age_days else "prices.read"
    return say(key, date=offer.read_on, days=days)


def in_readers_money(amount: float | Band, currency: str, question: Question, context: AdviceContext) -> Say | None:
    """The amount in the reader's own currency, with rate and date; None where it is the same or not quoted."""
    wanted = readers_currency(question, context)
    if wanted == currency:
        return None
    from bot.catalog.currency import convert

    converted = convert(Decimal(1), currency, wanted, context.now.date())
    if converted is None:
        return None
    rate = float(converted.rate)
    shown = amount.times(rate) if isinstance(amount, Band) else amount * rate
    return say("prices.converted", amount=shown, currency=wanted, given=currency, rate=rate, date=converted.rate_date)


def readers_currency(question: Question, context: AdviceContext) -> str:
    """The reader's setting; where that is the default, a Chinese question is also answered in yuan."""
    if context.reader.currency != "USD":
        return context.reader.currency
    return _CHINA if question.language == "zh" else "USD"


def to_currency(amount: float, given: str, wanted: str, on: date) -> float | None:
    """For sums across currencies, like a budget in yuan and a price in dollars."""
    if given == wanted:
        return amount
    from bot.catalog.currency import convert

    converted = convert(amount, given, wanted, on)
    return float(converted.amount) if converted else None


def card_said(offer: Offer, context: AdviceContext) -> Say:
    """The variant; where the list leaves it open, the name in the list."""
    title = context.specs.gpu_by_id[offer.gpu].title
    return say("prices.variant_open", name=offer.listed_as.upper()) if offer.listed_as else say("prices.card", title=title)


def billing_said(offer: Offer) -> Text:
    return say(f"prices.billing_{offer.billing.replace('-', '_')}")


def sources_of(offers: Iterable[Offer], context: AdviceContext) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(offer_source(offer, context) for offer in offers))
