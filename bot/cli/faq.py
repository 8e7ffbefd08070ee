"""`suanli faq`: search the entries, show one, score the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bot.faq import FaqIndex

faq = typer.Typer(help="Questions with checked answers: search them, show one, score the search.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(faq, name="faq")


def _index() -> FaqIndex:
    from bot.faq import load_faq
    from bot.wiring import folder_once

    return load_faq(folder_once())


@faq.command("search")
def search(
    text: str,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of each score.")] = False,
    limit: Annotated[int, typer.Option(help="How many candidates.")] = 5,
) -> None:
    """The entries that come closest to TEXT, best first."""
    index = _index()
    for hit in index.explain(text, limit=limit):
        entry = index.entry(hit.id)
        print(f"{hit.score:.3f}  {hit.id:<24} {entry.question.en}  {entry.question.zh}")
        if explain:
            other = "" if hit.fits else " (about other cards)"
            print(f"       {hit.points:.3f} = wordings {hit.closest:.3f}, entry {hit.whole:.3f}, x{hit.factor:.2f}{other}")
            print(f"       nearest wording: {index.wordings[hit.row].text if hit.row is not None else 'none'}")


@faq.command("show")
def show(key: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """One entry in both languages, with its sources."""
    from bot.errors import UnknownName

    try:
        entry = _index().entry(key)
    except UnknownName as exc:
        typer.echo(str(exc), err=True)
        raise typer.Exit(1) from exc
    for language in ("en", "zh"):
        print(f"{getattr(entry.question, language)}\n{getattr(entry.answer, language)}")
        print(f"! {getattr(entry.caveat, language)}\n" if entry.caveat else "")
    print(f"{entry.id} · {entry.origin} · claims: {', '.join(entry.claims) or 'none'} · asked in {len(entry.asked())} ways")
    for source in entry.sources:
        read = f"read {source.read_on}" if source.read_on else "not re-read"
        print(f"- {source.title} ({source.standing}, {read}) {source.url or ''}".rstrip())


@faq.command("score")
def score(
    leave_one_out: Annotated[bool, typer.Option("--leave-one-out", help="Do not index the wording that is asked.")] = False,
    worst: Annotated[int, typer.Option(help="Show so many misses.")] = 0,
) -> None:
    """How often the right entry comes first, and among the first three, by language."""
    from bot.faq.evaluate import score as rates_of

    rates, misses = rates_of(_index(), leave_one_out=leave_one_out)
    print("language      n   top-1   top-3")
    for rate in rates:
        print(f"{rate.language:<8} {rate.n:>6}  {rate.top1:6.1%}  {rate.top3:6.1%}")
    for miss in misses[:worst]:
        print(f"- {miss.wanted}: {miss.text} -> {', '.join(miss.found)}")
