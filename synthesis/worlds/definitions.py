"""Definitions: the names that a module binds at its top level, and what each of them reaches within it."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from synthesis.worlds.syntax import nodes_of

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises for text that is no module."""


def bound_names(statement: ast.stmt) -> list[str]:
    """The names that one statement at the top level of a module binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [
        name.id
        for target in targets
        if target is not None
        for name in nodes_of(target)
        if isinstance(name, ast.Name)
    ]


def definitions(module: ast.Module) -> dict[str, ast.stmt]:
    """The statement that binds each name of a module; the last one, where a name is bound again."""
    return {name: statement for statement in module.body for name in bound_names(statement)}


def used_names(node: ast.AST) -> frozenset[str]:
    """Every name that occurs anywhere in a piece of code."""
    return frozenset(inner.id for inner in nodes_of(node) if isinstance(inner, ast.Name))


def uses_of(defined: Mapping[str, ast.stmt]) -> dict[str, list[str]]:
    """The other definitions that each definition uses, in the order in which they are bound."""
    return {
        name: [other for other in defined if other != name and other in used]
        for name, used in ((name, used_names(statement)) for name, statement in defined.items())
    }


def reached_from(starts: Iterable[str], uses: Mapping[str, Iterable[str]]) -> list[str]:
    """Definitions that some of them reach, themselves among them, the nearest first.

    Args:
        starts: Names to begin with; those that are no definition are left out.
        uses: What each definition uses, see `uses_of`.
    """
    reached: dict[str, None] = {}
    waiting = deque(starts)
    while waiting:
        name = waiting.popleft()
        if name in uses and name not in reached:
            reached[name] = None
            waiting.extend(uses[name])
    return list(reached)


@lru_cache(maxsize=16)
def definition_spans(source: str) -> Mapping[str, range]:
    """The lines of each definition of a module, counted from 1; {} for no module."""
    try:
        module = ast.parse(source)
    except UNPARSABLE:
        return MappingProxyType({})
    return MappingProxyType(
        {
            name: range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            for name, statement in definitions(module).items()
        }
    )


def reached_names(source: str) -> dict[str, list[str]]:
    """Each function of a module with the functions that it reaches, the nearest first; {} for no module."""
    return dict(_reached(source).names)


def reached_texts(source: str) -> dict[str, str]:
    """Each definition of a module with the code of all definitions that it reaches; {} for no module.

    Docstrings are left out: what a tool says of itself is no evidence of what it does.
    """
    return dict(_reached(source).texts)


class _Reached(NamedTuple):
    names: Mapping[str, list[str]]
    texts: Mapping[str, str]


@lru_cache(maxsize=2)
def _reached(source: str) -> _Reached:
    """What definitions reach, worked out once for all claims about one module and what is left of it."""
    try:
        defined = definitions(ast.parse(source))
    except UNPARSABLE:
        return _Reached(MappingProxyType({}), MappingProxyType({}))
    uses = uses_of(defined)
    functions = {
        name: [other for other in uses[name] if isinstance(defined[other], ast.FunctionDef)]
        for name, node in defined.items()
        if isinstance(node, ast.FunctionDef)
    }
    texts = {name: ast.unparse(_bare(node)) for name, node in defined.items()}
    return _Reached(
        MappingProxyType({name: reached_from([name], functions) for name in functions}),
        MappingProxyType(
            {name: "\n".join(texts[each] for each in reached_from([name], uses)) for name in defined}
        ),
    )


def _bare(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.FunctionDef) and ast.get_docstring(statement, clean=False) is not None:
        statement.body = statement.body[1:] or [ast.Pass()]
    return statement
