"""Written call: a tool call as Python writes it, `find_patients(name='Ilse', limit=5)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

_JSON_NAMES = {"true": True, "false": False, "null": None}


def read_call(text: str) -> dict[str, Any]:
    """The name and the arguments of a written call; values may be those of Python or of JSON.

    Raises:
        ValueError: It is no call, or an argument is no literal value or has no name.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise ValueError(
            f"{text[:200]!r} is no call: {reason}; it looks like this: find(name='Ilse')"
        ) from None
    if isinstance(node, ast.Name):
        return {"name": node.id, "arguments": {}}
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError(f"{text[:200]!r} is no call; it looks like this: find(name='Ilse')")
    if node.args or any(each.arg is None for each in node.keywords):
        raise ValueError(f"{text[:200]!r}: write every argument by its name: find(name='Ilse')")
    return {"name": node.func.id, "arguments": {str(each.arg): _value(each.value) for each in node.keywords}}


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(_WithoutJsonNames().visit(node))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{ast.unparse(node)[:100]!r} is no literal value") from None


class _WithoutJsonNames(ast.NodeTransformer):
    """Puts the values in the place of JSON's names for them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_JSON_NAMES[node.id]) if node.id in _JSON_NAMES else node


def written_call(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as a text that `read_call` reads; every argument's name must be one of Python's."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
