"""What a verifier's source shows about how it may be measured.

Whether it reads the answer, and whether one run of it could remember another.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from synthesis.worlds.syntax import nodes_of

_FORGETFUL_IMPORTS = frozenset({"__future__", "collections", "datetime", "itertools", "json", "math", "re"})
"""Modules in which a verifier finds nothing to write to but by names that are looked for here. decimal is not
among them: its context is state."""
_REACHING = frozenset(
    {"dir", "eval", "exec", "getattr", "globals", "locals", "object", "setattr", "delattr", "type", "vars"}
)
_LONGEST_SHOWN = 60
"""Characters of code that a finding quotes."""
_REGISTERS = frozenset({"purge", "register"})


class Habits(NamedTuple):
    """How a verifier may be measured."""

    reads_answer: bool
    """Whether what it says can depend on the answer."""
    may_remember: bool
    """Whether a run could leave something behind in its process for the next one.

    Read from the source, so a hint and no boundary: what is measured in one process is cross-checked in a
    fresh one.
    """
    place: str = ""
    """Where it could: the line and the code there; "" where it could not, or where nobody can tell."""


def habits_of(source: str) -> Habits:
    """The habits of a verifier; the worst where its source cannot be read."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Habits(reads_answer=True, may_remember=True)
    nodes = nodes_of(tree)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    reaches = bool(names & _REACHING)
    leaving = [node for node in nodes if _leaves_something(node)] or [
        node for node in nodes if isinstance(node, ast.Name) and node.id in _REACHING
    ]
    return Habits(
        reads_answer=reaches or not _takes_answer_by_name(tree) or "answer" in names,
        may_remember=bool(leaving),
        place=_shown(leaving[0]) if leaving else "",
    )


def _shown(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    more = "..." if len(text) > _LONGEST_SHOWN else ""
    return f"line {getattr(node, 'lineno', 0)}, “{text[:_LONGEST_SHOWN]}{more}”"


def _takes_answer_by_name(tree: ast.Module) -> bool:
    """Whether there is one `verify`, a plain function whose last parameter is called `answer`."""
    asts = [node for node in nodes_of(tree) if getattr(node, "name", None) == "verify"]
    if len(asts) != 1 or not isinstance(asts[0], ast.FunctionDef) or asts[0] not in tree.body:
        return False
    taken = asts[0].args
    plain = not (taken.vararg or taken.kwarg or taken.kwonlyargs or taken.posonlyargs)
    return plain and [one.arg for one in taken.args] == ["before", "after", "changes", "answer"]


def _leaves_something(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load) or node.attr.startswith("_") or node.attr in _REGISTERS
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load) and not isinstance(node.value, ast.Name)
    if isinstance(node, ast.Import):
        return any(alias.name not in _FORGETFUL_IMPORTS for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] not in _FORGETFUL_IMPORTS
    return isinstance(node, ast.ClassDef | ast.Global)
