"""Docstrings name the parameters and fields that there are: a rename that forgets them misleads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


def listed(docstring: str, title: str) -> list[str]:
    """The names that a section of a docstring explains."""
    lines = iter(docstring.splitlines())
    names: list[str] = []
    indent = None
    if not any(line.strip() == f"{title}:" for line in lines):
        return names
    for line in lines:
        depth = len(line) - len(line.lstrip())
        indent = depth if indent is None else indent
        if not line.strip() or depth < indent:
            break
        if depth == indent and (entry := re.match(r"\s*\*{0,2}([\w, ]+):", line)):
            names += [name.strip() for name in entry[1].split(",")]
    return names


def parameters(function: Function) -> set[str]:
    arguments = function.args
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    return {each.arg for each in every if each is not None}


def attributes(definition: ast.ClassDef) -> set[str]:
    """Names that a class or its methods assign, and its methods."""
    stored = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(definition)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return stored | {node.name for node in definition.body if isinstance(node, Function)}


def unknown_names(tree: ast.AST) -> Iterator[str]:
    """Each name that a docstring explains and its function or class does not have."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            explained, known = listed(ast.get_docstring(node) or "", "Args"), parameters(node)
        elif isinstance(node, ast.ClassDef):
            docstring, known = ast.get_docstring(node) or "", attributes(node)
            explained = [*listed(docstring, "Args"), *listed(docstring, "Attributes")]
            known |= {name for each in node.body if isinstance(each, Function) for name in parameters(each)}
        else:
            continue
        yield from (f"{node.lineno}: {node.name} has no {name}" for name in explained if name not in known)


def test_docstrings_explain_what_there_is() -> None:
    unknown = [
        f"{path.relative_to(ROOT)}:{problem}"
        for folder in ("studio", "synthesis", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for problem in unknown_names(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert unknown == []


def test_a_name_that_is_gone_is_found() -> None:
    source = (
        'def a(b, *, c):\n    """A.\n\n    Args:\n        b: One.\n        d: Two,\n            e.\n    """\n'
    )
    assert list(unknown_names(ast.parse(source))) == ["1: a has no d"]
    source = (
        'class A:\n    """A.\n\n    Attributes:\n        b: One.\n        c: Two.\n    """\n\n    b: int\n'
    )
    assert list(unknown_names(ast.parse(source))) == ["1: A has no c"]
