"""Written call: a tool call as Python writes it, `find_patients(name='Ilse', limit=5)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from synthesis.worlds.definitions import UNPARSABLE

_JSON_NAMES = {"true": True, "false": False, "null": None}


def read_call(text: str) -> dict[str, Any]:
    """The name and the arguments of a written call; values may be those of Python or of JSON.

    Raises:
        ValueError: It is no call, or an argument is no literal value or has no name.
    """
    text = text.strip()
    try:
        node = ast.parse(text, mode="eval").body
    except UNPARSABLE as error:
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
    arguments = {str(each.arg): _value(each.value, text) for each in node.keywords}
    return {"name": node.func.id, "arguments": arguments}


def _value(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(_WithoutJsonNames().visit(node))
    except (*UNPARSABLE, TypeError):
        written = ast.get_source_segment(text, node) or text  # unparsing could recurse as deeply again
        raise ValueError(f"{written[:100]!r} is no literal value") from None


class _WithoutJsonNames(ast.NodeTransformer):
    """Puts the values in the place of JSON's names for them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_JSON_NAMES[node.id]) if node.id in _JSON_NAMES else node


def written_call(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as a text that `read_call` reads; every argument's name must be one of Python's."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def is_readable(text: str) -> bool:
    """Whether `read_call` reads a text; it does not where a value is infinite, for example."""
    try:
        read_call(text)
    except ValueError:
        return False
    return True
