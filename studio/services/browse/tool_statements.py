"""Tool statements: the SQL in a tool's source, formatted for people who read SQL rather than Python.

Nothing is run: what a tool puts together while it runs is shown as "…".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import sqlparse
from sqlparse.exceptions import SQLParseError

from studio.services.environments.units import tool_source

METHODS = frozenset({"one", "query", "execute"})
"""Methods of a tool's `db` whose first argument is SQL."""
LONGEST = 6_000
"""Characters of a statement that is laid out; longer ones are shown as they are."""
LEFT_OUT = "…"
_BEGINNING = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\b", re.IGNORECASE)


def tool_statements(source: str, tool: str) -> tuple[str, ...]:
    """The statements that a tool or its helpers may run, each once, in the order of the module.

    Args:
        source: The module of tools.
        tool: The tool's name.
    """
    try:
        module = ast.parse(tool_source(source, tool))
        texts = [_filled(text) for text in _texts(module)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(dict.fromkeys(formatted(text) for text in texts if _BEGINNING.match(text)))


def formatted(statement: str) -> str:
    """A statement with a clause on each line; as it is where it cannot be read or is very long."""
    if len(statement) > LONGEST:
        return statement
    try:
        return str(sqlparse.format(statement, reindent=True, keyword_case="upper")).strip()
    except (SQLParseError, RecursionError):
        return statement


def _texts(module: ast.Module) -> Iterator[str]:
    """The first argument of every call that takes SQL."""
    constants = _assigned(module.body)
    for node in module.body:
        known = (
            constants | _assigned(list(ast.walk(node))) if isinstance(node, ast.FunctionDef) else constants
        )
        for call in ast.walk(node):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr in METHODS
                and call.args
            ):
                yield _text(call.args[0], known, set())


def _assigned(nodes: list[ast.AST] | list[ast.stmt]) -> dict[str, ast.expr | None]:
    """What names stand for; None for those that are assigned more than once."""
    results: dict[str, ast.expr | None] = {}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AugAssign | ast.For | ast.NamedExpr) else targets
        for target in targets:
            if isinstance(target, ast.Name):
                only = isinstance(node, ast.Assign) and target.id not in results
                results[target.id] = node.value if only and isinstance(node, ast.Assign) else None
    return results


def _text(node: ast.expr, known: dict[str, ast.expr | None], within: set[str]) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left, known, within) + _text(node.right, known, within)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, known, within) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, known, within)
    if isinstance(node, ast.Name) and node.id not in within and (value := known.get(node.id)) is not None:
        return _text(value, known, within | {node.id})
    return LEFT_OUT


def _filled(text: str) -> str:
    """The text with white space in one piece; the layout is recreated."""
    return " ".join(text.split())
