"""Signature: the parameters of a planned tool as Python writes them, which says most in fewest words."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from synthesis.documents.tool_specs import ToolParameter
from synthesis.worlds.definitions import UNPARSABLE

UNKNOWN_DEFAULT = "..."
"""Default of a parameter of which only is known that it may be left out."""
_DATABASE = "db"
"""First parameter of every tool's code, which no caller gives."""


def read_signature(text: str) -> tuple[ToolParameter, ...]:
    """The parameters of a text such as `name: str, limit: int = 20`.

    Raises:
        ValueError: It is no such text; the message says why.
    """
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    try:
        (function,) = ast.parse(f"def tool({inner}\n): ...").body
    except UNPARSABLE as error:
        reason = getattr(error, "msg", None) or str(error)
        raise ValueError(
            f"{text[:200]!r} are no parameters as Python writes them ({reason}); "
            "they look like this: name: str, limit: int = 20"
        ) from None
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    if given.vararg or given.kwarg:
        raise ValueError(f"{text[:200]!r}: every parameter has a name of its own, none begins with *.")
    named = [*given.posonlyargs, *given.args]
    missing: list[ast.expr | None] = [None] * (len(named) - len(given.defaults))
    defaults = [*missing, *given.defaults, *given.kw_defaults]
    return tuple(
        _parameter(argument, default)
        for argument, default in zip([*named, *given.kwonlyargs], defaults, strict=True)
        if argument.arg != _DATABASE
    )


def _parameter(argument: ast.arg, default: ast.expr | None) -> ToolParameter:
    if argument.annotation is None:
        raise ValueError(f"{argument.arg} has no type; write {argument.arg}: str, for example.")
    try:
        type_text = ast.unparse(argument.annotation)
        default_text = "" if default is None else ast.unparse(default)
    except UNPARSABLE:
        raise ValueError(f"{argument.arg}: its type or default is nested too deeply; shorten it.") from None
    return ToolParameter(
        name=argument.arg,
        type=type_text,
        required=default is None,
        default="" if default_text == UNKNOWN_DEFAULT else default_text,
    )


def signature(parameters: Iterable[ToolParameter]) -> str:
    """The parameters as one text; those that may be left out with their default."""
    return ", ".join(map(_written, parameters))


def _written(parameter: ToolParameter) -> str:
    text = f"{parameter.name}: {parameter.type}"
    return text if parameter.required else f"{text} = {parameter.default or UNKNOWN_DEFAULT}"
