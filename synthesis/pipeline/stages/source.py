"""Source: Python text as the definitions at its top level, so that pieces of a module can be put together."""

from __future__ import annotations

import ast

DOCSTRING = "=docstring"
"""The key of a module's own docstring."""


def definitions(source: str) -> dict[str, str]:
    """The top-level statements of a module by what they define, each with its own text and comments above it.

    Raises:
        SyntaxError: It does not parse.
    """
    lines = source.splitlines()
    found: dict[str, str] = {}
    end = 0
    for node in ast.parse(source).body:
        last = node.end_lineno or node.lineno
        text = "\n".join(lines[end:last]).strip("\n")
        name = DOCSTRING if not found and _is_text(node) else _defined(node)
        found[name] = f"{found[name]}\n{text}" if name in found and name.startswith("=") else text
        end = last
    return found


def merged(standing: str, addition: str) -> str:
    """Both modules' definitions; where both define a name, the addition's.

    A text that does not parse is put behind the other as it is: whoever compiles it says what is wrong.
    """
    try:
        both = {**definitions(standing), **definitions(addition)}
    except SyntaxError:
        return f"{standing.rstrip()}\n\n{addition}".strip("\n")
    head = [both.pop(name) for name in [*both] if name == DOCSTRING]
    imports = [both.pop(name) for name in [*both] if name.startswith("import ")]
    return "\n\n".join([*head, *(["\n".join(imports)] if imports else []), *both.values()]).strip("\n")


def function_at(source: str, line: int) -> str:
    """Name of the top-level function that holds a line (from 1), or ""."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return ""
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
            return node.name
    return ""


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _defined(node: ast.stmt) -> str:
    """A key under which a statement replaces another one."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Import | ast.ImportFrom):
        return f"import {ast.unparse(node)}"
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return f"={ast.unparse(node)}"
