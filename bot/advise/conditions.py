"""Expressions of `knowledge/rules/`: Jinja2 in its immutable sandbox, over the names of `vocabulary`. Never eval.

The sandbox gives comparisons, `and`, `or`, `not`, `in`, arithmetic and the functions of the vocabulary; nothing else
can be reached from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, TemplateError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bot.advise.vocabulary import VIEWS, VOCABULARY

Expression = Callable[..., Any]


@lru_cache(maxsize=1)
def _sandbox() -> ImmutableSandboxedEnvironment:
    # Constant folding costs more than it saves: a condition is compiled for a few evaluations.
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, optimized=False)


@lru_cache(maxsize=1024)
def compiled(expression: str) -> Expression:
    """The expression ready to be called with the vocabulary. Compiled once a process."""
    return _sandbox().compile_expression(expression, undefined_to_none=False)


def evaluate(expression: str, names: Mapping[str, object]) -> Any:
    """The value of the expression for one answer."""
    return compiled(expression)(names)


def faults(expression: str) -> list[str]:
    """What is wrong with an expression, in words; empty when it can be used."""
    try:
        compiled(expression)
        tree = _sandbox().parse("{{ " + expression + " }}")
    except TemplateError as exc:
        return [f"{expression!r} is not an expression: {exc}"]
    unknown = sorted(find_undeclared_variables(tree) - set(VOCABULARY))
    found = [f"{name!r} is not in the vocabulary ({', '.join(VOCABULARY)})" for name in unknown]
    for access in tree.find_all(nodes.Getattr):
        if isinstance(access.node, nodes.Name):
            known = VIEWS.get(access.node.name)
            if known is not None and access.attr not in known:
                found.append(f"{access.node.name}.{access.attr} does not exist ({', '.join(sorted(known))})")
    return found
