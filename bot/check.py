"""`suanli knowledge check`: every loader and rule about `knowledge/`, all problems at once, by file, line and field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bot.errors import KnowledgeError, SuanliError
from bot.folder import Folder

Check = Callable[[Folder], list[str]]

_REASONED = ("defaults.yaml", "usual.yaml", "costs.yaml")
_SHAPE_SLACK = 0.15  # vision towers and odd blocks aside, a shape gives its published total within a few per cent


def check_knowledge(folder: Folder) -> list[str]:
    """Every problem, in the order of the parts; the parts that need the catalog are left out while that is broken."""
    from bot.catalog.checks import check_catalog

    catalog = check_catalog(folder)
    problems = [*catalog, *_checked(_check_reasons, folder), *_checked(_check_faq, folder)]
    for check in (
        _check_claims,
        _check_rules,
        _check_corrections,
        _check_glossary,
        _check_topics,
        _check_links,
        _check_digests,
    ):
        problems += _checked(check, folder)
    if not catalog:
        for check in (_check_shapes, _check_estimator, _check_measurements, _check_lexicon):
            problems += _checked(check, folder)
    return list(dict.fromkeys(problems))


def _checked(check: Check, folder: Folder) -> list[str]:
    """What a check finds, or what it fails at: a file that breaks its loader is a problem with a place, not a trace."""
    try:
        return check(folder)
    except KnowledgeError as exc:
        return exc.problems
    except (SuanliError, ValueError, KeyError, TypeError, AttributeError) as exc:
        part = check.__name__.removeprefix("_check_")
        return [f"knowledge ({part}): {type(exc).__name__}: {exc}"]


def _check_reasons(folder: Folder) -> list[str]:
    """Every assumed value says why, in both languages."""
    return [
        f"knowledge/{name} {path}: {field} is missing"
        for name in _REASONED
        for path, entry in _valued(folder.yaml(name), "")
        for field in ("why_en", "why_zh")
        if not entry.get(field)
    ]


def _valued(document: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(path, mapping) of each mapping that holds a `value`."""
    if not isinstance(document, dict):
        return
    if "value" in document:
        yield path, document
    for key, inner in document.items():
        yield from _valued(inner, f"{path}.{key}".lstrip("."))


def _check_faq(folder: Folder) -> list[str]:
    from bot.faq.claims import load_claims
    from bot.faq.entries import load_entries, unknown_claims

    return unknown_claims(load_entries(folder), frozenset(load_claims(folder).by_id))


def _check_claims(folder: Folder) -> list[str]:
    from bot.faq.claims import check_claims

    return check_claims(folder)


def _check_rules(folder: Folder) -> list[str]:
    from bot.advise.rules import check_rules

    return check_rules(folder)


def _check_corrections(folder: Folder) -> list[str]:
    from bot.advise.corrections import check_corrections

    return check_corrections(folder)


def _check_glossary(folder: Folder) -> list[str]:
    from bot.advise.glossary import check_glossary

    return check_glossary(folder)


def _check_topics(folder: Folder) -> list[str]:
    from bot.advise.topics import check_topics

    return check_topics(folder)


def _check_links(folder: Folder) -> list[str]:
    from bot.advise.links import load_links

    load_links(folder)
    return []


def _check_digests(folder: Folder) -> list[str]:
    from bot.digests.words import load_digest_words

    load_digest_words(folder)
    return []


def _check_shapes(folder: Folder) -> list[str]:
    """The shape of a model must give about its published parameters: a slip in layers or width shows at once."""
    from bot.catalog.records import ModelSpec
    from bot.estimator import architecture_of
    from bot.folder import validate_rows

    rows = folder.csv("models.csv", "name")
    problems = []
    for row, model in zip(rows, validate_rows(rows, ModelSpec, lists=("aliases",)), strict=True):
        if not (model.layers and model.hidden and model.heads and model.vocab) or model.kind != "text":
            continue
        # `shape_known` False counts the shape alone; else what the published size tells would be added to it.
        counted = architecture_of(model.model_copy(update={"shape_known": False})).total / 1e9
        if abs(counted - model.params_b) > _SHAPE_SLACK * model.params_b and not model.encoder_decoder:
            problems.append(f"{row.file}:{row.line} params_b: {model.params_b:g} published, the shape gives {counted:.3g}")
    return problems


def _check_estimator(folder: Folder) -> list[str]:
    from bot.estimator import load_estimator_data

    data = load_estimator_data(folder)
    return [] if data.frameworks_by_name and data.training_constants else ["knowledge/frameworks.yaml: is empty"]


def _check_measurements(folder: Folder) -> list[str]:
    from bot.catalog.specs import load_specs
    from bot.estimator.serving_measurements import load_serving_measurements
    from bot.estimator.training_measurements import load_training_measurements

    specs = load_specs(folder)
    problems: list[str] = []
    for load in (load_training_measurements, load_serving_measurements):
        try:
            load(folder, specs)
        except KnowledgeError as exc:
            problems += exc.problems
    return problems


def _check_lexicon(folder: Folder) -> list[str]:
    from bot.catalog.specs import load_specs
    from bot.understand.checks import check_lexicon

    return check_lexicon(folder, load_specs(folder))
