"""`suanli catalog`: import a price feed, list offers, show what changed. Nothing here decides what is believed."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bot.catalog.importing import Imported
    from bot.catalog.offers import Offers
    from bot.catalog.records import Offer

_Day = Annotated[
    datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="Day of the reading, if the file has none.")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Prices: import a feed, list offers, show changes.", no_args_is_help=True)
    group.command("import")(import_feed)
    group.command("list")(list_offers)
    group.command("changes")(changes)
    app.add_typer(group, name="catalog")


def import_feed(  # noqa: PLR0917  (Typer's parameters are the options of the command)
    file: Annotated[Path, typer.Argument(help="A gpurentalprices JSON, a SkyPilot vms.csv, or a list of your own (CSV).")],
    provider: Annotated[str | None, typer.Option(help="Seller, for a SkyPilot file that is not named after it.")] = None,
    day: _Day = None,
    fewer_rows: Annotated[
        bool, typer.Option("--fewer-rows", help="Believe a seller that lists far fewer rows than before.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Judge the file and write nothing.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Every refused row, not only the counts.")] = False,
) -> None:
    """Append a dated snapshot of prices. A feed that cannot be believed is refused, and yesterday's prices stay in force."""
    from bot.catalog.feeds import FeedRefused, read_feed
    from bot.catalog.importing import judge_feed, write_snapshot
    from bot.wiring import catalog_folder, load_offers_once, load_specs_once

    try:
        feed, rows = read_feed(file, provider=provider, read_on=day.date() if day else None)
        today = datetime.now(UTC).date()
        specs, offers = load_specs_once(), load_offers_once()
        imported = judge_feed(feed, rows, specs=specs, offers=offers, today=today, fewer_rows=fewer_rows)
    except FeedRefused as exc:
        typer.echo(f"refused: {exc}", err=True)
        typer.echo("The prices read before stay in force.", err=True)
        raise typer.Exit(1) from exc
    written = None if dry_run else write_snapshot(imported, catalog_folder())
    _report(imported, len(rows), verbose=verbose)
    if written:
        typer.echo(f"written: {written}")


def _report(imported: Imported, rows: int, *, verbose: bool) -> None:
    typer.echo(f"{imported.feed}, {imported.day}: {len(imported.offers)} offers from {rows} rows")
    for reason, count in Counter(refusal.reason for refusal in imported.refused).most_common():
        typer.echo(f"  refused {count:4d}  {reason}")
    if verbose:
        for refusal in imported.refused:
            typer.echo(f"    {refusal.where}: {refusal.what}: {refusal.reason} {refusal.detail}".rstrip())
    for one, other in imported.disputed:
        typer.echo(f"  disputed: {_line(one)}  but  {_line(other)}")
    if imported.unchanged:
        typer.echo(f"  unchanged since the last reading: {', '.join(imported.unchanged)}")


def list_offers(
    gpu: Annotated[str | None, typer.Argument(help="A card by any of its names; all cards without.")] = None,
    provider: Annotated[str | None, typer.Option(help="Seller.")] = None,
    billing: Annotated[str | None, typer.Option(help="on-demand, spot, reserved, community.")] = None,
    number: Annotated[int, typer.Option("-n", help="How many.")] = 20,
) -> None:
    """Current offers, the cheapest first, each with the day on which it was read."""
    from bot.wiring import load_offers_once, load_specs_once

    offers, specs = load_offers_once(), load_specs_once()
    gpus = {card.id for card in specs.members(gpu)} if gpu else None
    if gpus is not None and not gpus:
        raise typer.BadParameter(f"no card is called {gpu!r}")
    seller = offers.find_provider(provider) if provider else None
    found = offers.listed(gpus, now=datetime.now(UTC), billing=billing, provider=seller.id if seller else provider)
    for offer in found[:number]:
        typer.echo(_line(offer))
    typer.echo(f"{min(number, len(found))} of {len(found)} offers; listed, not in stock.")


def changes(
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="First day; without, the snapshot before.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last day; without, the newest snapshot.")
    ] = None,
) -> None:
    """What changed between two days, and what was held back."""
    from bot.catalog.changes import changes_between
    from bot.wiring import load_offers_once

    offers = load_offers_once()
    first, last = _span(offers, since, until)
    found = changes_between(offers, first, last)
    typer.echo(f"{found.since} to {found.until}: {len(found.changed)} changed, {len(found.new)} new, {len(found.gone)} gone")
    for change in found.changed:
        how = ", sold differently" if change.sold_differently else ""
        how += f", in {len(change.regions)} regions" if len(change.regions) > 1 else ""
        typer.echo(f"  {change.ratio:+7.0%}  {_line(change.before)}  ->  {_price(change.after)}{how}")
    for held in found.held:
        typer.echo(f"  held back ({held.reason}): {_line(held.change.before)}  ->  {_price(held.change.after)}")
    for offer in found.new:
        typer.echo(f"  new   {_line(offer)}")
    for offer in found.gone:
        typer.echo(f"  gone  {_line(offer)}")
    for provider in found.lost:
        typer.echo(f"  {provider}: most of its rows are missing, taken for a fault of the feed")


def _span(offers: Offers, since: datetime | None, until: datetime | None) -> tuple[date, date]:
    if len(offers.snapshots) < 2:
        raise typer.BadParameter("two snapshots are needed; import one with `suanli catalog import FILE`")
    last = until.date() if until else offers.snapshots[-1]
    earlier = [day for day in offers.snapshots if day < last]
    return since.date() if since else (earlier or list(offers.snapshots))[-1], last


def _line(offer: Offer) -> str:
    """One offer on one line."""
    where = " ".join(part for part in (offer.instance, offer.region) if part)
    count = f" x{offer.gpu_count}" if offer.gpu_count > 1 else ""
    name = offer.gpu + (f" ({offer.listed_as})" if offer.listed_as else "")
    return f"{_price(offer)}  {name}{count}  {offer.provider} {where} {offer.billing}  {offer.read_on}".replace("  ", " ")


def _price(offer: Offer) -> str:
    return f"{offer.price_per_gpu_hour:.4f} {offer.currency}"
