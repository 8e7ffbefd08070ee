"""`suanli knowledge`: check the facts, count them, show one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bot.folder import Folder


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="The facts in knowledge/: check, count, show.", no_args_is_help=True)
    group.command("check")(check)
    group.command("stats")(stats)
    group.command("show")(show)
    app.add_typer(group, name="knowledge")


_Own = Annotated[
    Path | None, typer.Option("--own", help="An own folder layered over the packaged facts, instead of the settings'.")
]


def check(own: _Own = None) -> None:
    """Every problem of every file, by file, line and field. Exit status 1 if there is any."""
    from bot.check import check_knowledge

    problems = check_knowledge(_folder(own))
    for problem in problems:
        typer.echo(problem)
    typer.echo(f"{len(problems)} problems in knowledge/" if problems else "knowledge/ is sound")
    if problems:
        raise typer.Exit(1)


def stats(own: _Own = None) -> None:
    """How much is known, and on what standing."""
    for name, count, standings in _counts(_folder(own)):
        detail = ", ".join(f"{number} {standing}" for standing, number in standings.most_common())
        typer.echo(f"{count:6d}  {name}" + (f"  ({detail})" if detail else ""))


def _counts(folder: Folder) -> Iterator[tuple[str, int, Counter[str]]]:
    from bot.catalog.offers import load_offers
    from bot.catalog.specs import load_specs
    from bot.faq.claims import load_claims

    specs = load_specs(folder)
    offers = load_offers(folder, specs)
    yield "GPUs", len(specs.gpus), Counter(gpu.standing for gpu in specs.gpus)
    yield "models", len(specs.models), Counter(model.standing for model in specs.models)
    yield "instance types", len(offers.instances), Counter(instance.standing for instance in offers.instances)
    yield "providers", len(offers.providers), Counter()
    span = f" from {offers.snapshots[0]} to {offers.snapshots[-1]}" if offers.snapshots else ""
    yield f"price readings in {len(offers.snapshots)} snapshots{span}", len(offers.readings), Counter()
    yield "claims", len(load_claims(folder).by_id), Counter(claim.verdict for claim in load_claims(folder))
    yield "FAQ entries", len(folder.names("faq/*.md")), Counter()
    for name in ("training", "serving"):
        yield f"{name} measurements", len(folder.csv(f"measurements/{name}.csv")), Counter()


def show(
    name: Annotated[str, typer.Argument(help="A card, a model, a provider, a claim, a rule or an FAQ entry.")],
    own: _Own = None,
) -> None:
    """One fact with its source: `suanli knowledge show H100-SXM`, `show Qwen2.5-7B`, `show C003-09`."""
    found = list(_found(name, _folder(own)))
    for kind, values in found:
        typer.echo(f"{kind}")
        for key, value in values.items():
            if value not in (None, "", (), [], {}):
                typer.echo(f"  {key}: {value}")
    if not found:
        typer.echo(f"nothing is called {name!r}", err=True)
        raise typer.Exit(1)


def _found(name: str, folder: Folder) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record with that id or name, whatever its kind."""
    from bot.catalog.offers import load_offers
    from bot.catalog.specs import load_specs
    from bot.faq.claims import load_claims

    specs = load_specs(folder)
    gpu, model = specs.find_gpu(name), specs.find_model(name)
    if gpu is not None:
        yield "GPU", gpu.model_dump()
    if model is not None:
        yield "model", model.model_dump()
    offers = load_offers(folder, specs)
    provider = offers.find_provider(name)
    if provider is not None:
        yield "provider", provider.model_dump()
    for instance in offers.instances:
        if instance.instance.casefold() == name.casefold():
            yield "instance type", instance.model_dump()
    claim = load_claims(folder).by_id.get(name.upper())
    if claim is not None:
        yield "claim", claim.model_dump()
    for file in folder.names("rules/*.yaml"):
        for rule in folder.yaml(file).get("rules", ()):
            if rule.get("id") == name:
                yield f"rule in {file}", rule
    for row, body in folder.markdown("faq/*.md"):
        if row.values.get("id") == name or row.values.get("id") == f"F-{name}":
            yield f"FAQ entry in {row.file}", {**row.values, "text": body}


def _folder(own: Path | None) -> Folder:
    from bot.folder import Folder as FolderOf
    from bot.wiring import folder_once

    return FolderOf.knowledge(own) if own else folder_once()
