"""StandaloneSource: code of ours and of an environment as text that runs without this package."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources

from synthesis.errors import InvalidInput
from synthesis.worlds.definitions import UNPARSABLE, bound_names, definitions, reached_from, uses_of

_OURS = "synthesis"


def parsed(source: str, what: str) -> ast.Module:
    """Code of an environment, without what only a whole module may begin with.

    Raises:
        InvalidInput: It is not Python.
    """
    try:
        tree = ast.parse(source)
    except UNPARSABLE as error:
        raise InvalidInput(f"{what} does not parse: {error}") from error
    tree.body = [each for each in tree.body if not _imports_from(each, "__future__")]
    return tree


def shipped(*modules: str) -> ast.Module:
    """Modules of this package as one, without annotations and without imports of each other."""
    body = [each for name in modules for each in _read(name).body]
    return ast.Module(body=body, type_ignores=[])


def needed(tree: ast.Module, names: Iterable[str]) -> list[ast.stmt]:
    """The statements of a module that these names need, imports first, the others in their order."""
    defined = definitions(tree)
    reached = {id(defined[name]) for name in reached_from(names, uses_of(defined))}
    body = [each for each in tree.body if id(each) in reached]
    return sorted(body, key=lambda each: not isinstance(each, ast.Import | ast.ImportFrom))


def bound(tree: ast.Module) -> set[str]:
    """The names that a module binds at its top level."""
    return {name for each in tree.body for name in bound_names(each)}


@lru_cache
def _read(name: str) -> ast.Module:
    package, _, file = name.rpartition(".")
    tree = ast.parse((resources.files(package) / f"{file}.py").read_text(encoding="utf-8"))
    tree.body = [
        each for each in tree.body if not (_imports_from(each, _OURS) or _imports_from(each, "__future__"))
    ]
    _WithoutAnnotations().visit(tree)
    return ast.fix_missing_locations(tree)


def _imports_from(statement: ast.stmt, package: str) -> bool:
    return isinstance(statement, ast.ImportFrom) and (statement.module or "").partition(".")[0] == package


class _WithoutAnnotations(ast.NodeTransformer):
    """Takes types and docstrings out: what ships is read by programs, and is smaller."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=node.value)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node
