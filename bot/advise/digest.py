"""News of prices: what changed between the last two snapshots, for digests and for whoever asks what is new."""

from __future__ import annotations

from dataclasses import replace

from bot.advise.asked import asks
from bot.advise.context import AdviceContext
from bot.answer import Answer, Bilingual, Cell, Say, Source, Table, say
from bot.catalog.changes import Changes, PriceChange, last_changes
from bot.catalog.offers import Offers
from bot.catalog.records import Offer
from bot.catalog.specs import Specs
from bot.question import Question

_MOST_ROWS = 12
_MOST_NAMED = 3


def answer_digest(question: Question, context: AdviceContext) -> Answer:
    """What changed last, and how to be told of it every week."""
    offers, wanted = context.offers, frozenset(_ids(question, context.specs))
    changes = last_changes(offers) if offers else None
    if changes is not None and wanted:
        changes = changes.about(gpus=wanted)
    if asks(question, "order", context):
        return _in_slack(question, changes, context)
    how = (say("digest.how_subscribe"), say("digest.how_end"))
    if offers is None or not changes:
        return Answer(question, say("digest.nothing"), question.language, answered_from="help", body=how)
    news = price_news(question, changes, offers, context.specs)
    return replace(news, body=(*news.body, *how))


def _in_slack(question: Question, changes: Changes | None, context: AdviceContext) -> Answer:
    """A digest is ordered and ended in Slack: how, and what it would say today."""
    headline = say("digest.in_slack")
    if context.offers is None or not changes:
        return Answer(question, headline, question.language, answered_from="help", body=(say("digest.nothing"),))
    news = price_news(question, changes, context.offers, context.specs)
    return replace(news, headline=headline, body=(news.headline, *news.body, say("digest.how_end")))


def price_news(question: Question, changes: Changes, offers: Offers, specs: Specs) -> Answer:
    """The changes as an answer: the largest in the headline, all of them in a table, the rest in a line each."""
    return Answer(
        question=question,
        headline=_headline(changes, offers, specs),
        language=question.language,
        answered_from="catalog",
        table=_table(changes, offers, specs) if changes.changed else None,
        body=tuple(_lines(changes, offers, specs)),
        sources=_sources(changes, offers),
        catalog_date=changes.until,
    )


def _ids(question: Question, specs: Specs) -> list[str]:
    """The cards asked about; a family's name stands for its default variant."""
    found = (specs.find_gpu(gpu.name) for gpu in question.slots.gpus if gpu.name)
    return [gpu.id for gpu in found if gpu is not None]


def _headline(changes: Changes, offers: Offers, specs: Specs) -> Say:
    counts = {"since": changes.since, "until": changes.until, "count": len(changes.changed), "held": len(changes.held)}
    if not changes.changed:
        return say("digest.headline_quiet", **counts)
    first = changes.changed[0]
    return say("digest.headline", **counts, largest=_change_words(first, offers, specs))


def _change_words(change: PriceChange, offers: Offers, specs: Specs) -> Say:
    after = change.after
    return say(
        "digest.change",
        offer=_offer_words(after, offers, specs),
        before=_price(change.before),
        after=_price(after),
        ratio=change.ratio,
        read_on=after.read_on,
    )


def _table(changes: Changes, offers: Offers, specs: Specs) -> Table:
    heads = ("provider", "gpu", "billing", "before", "after", "ratio", "read_on")
    return Table(
        columns=tuple(say(f"digest.head.{head}") for head in heads),
        rows=tuple(_row(change, offers, specs) for change in changes.changed[:_MOST_ROWS]),
    )


def _row(change: PriceChange, offers: Offers, specs: Specs) -> tuple[Cell, ...]:
    after = change.after
    return (
        Cell(_provider(after, offers)),
        Cell(_title(after, specs)),
        Cell(say(f"digest.billing.{after.billing}")),
        Cell(_price(change.before)),
        Cell(_price(after)),
        Cell(change.ratio, "signed_percent"),
        Cell(after.read_on, "date"),
    )


def _lines(changes: Changes, offers: Offers, specs: Specs) -> list[Say]:
    """What the table leaves out."""
    lines: list[Say] = []
    more = len(changes.changed) - _MOST_ROWS
    if more > 0:
        lines.append(say("digest.more", count=more))
    for key, found in (("digest.new", changes.new), ("digest.gone", changes.gone)):
        if found:
            named = [
                say("digest.priced", offer=_offer_words(o, offers, specs), price=_price(o)) for o in found[:_MOST_NAMED]
            ]
            lines.append(say(key, count=len(found), items=named))
    if changes.held:
        held = [_change_words(held.change, offers, specs) for held in changes.held[:_MOST_NAMED]]
        lines.append(say("digest.held", count=len(changes.held), items=held))
    if changes.lost:
        lines.append(say("digest.lost", items=[_name(provider, offers) for provider in changes.lost]))
    return lines


def _sources(changes: Changes, offers: Offers) -> tuple[Source, ...]:
    """Each list that a change was read from, once, the newest reading first."""
    read = {c.after.source: c.after for c in sorted(changes.changed, key=lambda c: c.after.read_on)}
    told = reversed(list(read.values()))
    return tuple(Source(_plain_name(o, offers), o.source, o.read_on, o.standing) for o in told)


def _offer_words(offer: Offer, offers: Offers, specs: Specs) -> Say:
    return say(
        "digest.offer",
        provider=_provider(offer, offers),
        gpu=_title(offer, specs),
        billing=say(f"digest.billing.{offer.billing}"),
    )


def _price(offer: Offer) -> Say:
    return say("digest.price", price=offer.price_per_gpu_hour, currency=offer.currency)


def _provider(offer: Offer, offers: Offers) -> Say:
    return _name(offer.provider, offers)


def _name(provider_id: str, offers: Offers) -> Say:
    provider = offers.provider_by_id.get(provider_id)
    return Bilingual(provider.name, provider.name_zh or provider.name) if provider else Bilingual(provider_id, provider_id)


def _plain_name(offer: Offer, offers: Offers) -> str:
    provider = offers.provider_by_id.get(offer.provider)
    return provider.name if provider else offer.provider


def _title(offer: Offer, specs: Specs) -> str:
    return specs.gpu_by_id[offer.gpu].title if offer.gpu in specs.gpu_by_id else offer.gpu
