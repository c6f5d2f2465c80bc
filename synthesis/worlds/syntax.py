"""Syntax: the nodes of a piece of Python, listed in a quarter of the time that `ast.walk` takes.

A proof and the compiling of a toolset go through the same modules dozens of times.
"""

from __future__ import annotations

import ast

_TEXTS_AND_NUMBERS = frozenset(
    [
        *("arg", "asname", "attr", "conversion", "id", "is_async", "kind", "level", "module", "rest"),
        *("simple", "tag", "type_comment"),
    ]
)
_OF_NO_INTEREST = _TEXTS_AND_NUMBERS | {"ctx"}
"""Fields that hold no node, and the one that says only whether a name is read or written."""


_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}
"""By kind of node, of which there are about a hundred: the fields that may hold others."""


def nodes_of(root: ast.AST) -> list[ast.AST]:
    """A node with all that are inside it, in the order of `ast.walk`, without contexts such as `ast.Load`."""
    nodes = [root]
    add = nodes.append
    for node in nodes:  # which grows meanwhile
        kind = type(node)
        if kind not in _fields:
            _fields[kind] = tuple(field for field in kind._fields if field not in _OF_NO_INTEREST)
        for field in _fields[kind]:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                add(value)
            elif isinstance(value, list):
                for each in value:
                    if isinstance(each, ast.AST):
                        add(each)
    return nodes


class NodesOfModule:
    """The nodes of a module that nobody changes, listed once for all who look at it one after the other."""

    def __init__(self) -> None:
        self._latest: tuple[ast.Module, list[ast.AST]] | None = None

    def __call__(self, module: ast.Module) -> list[ast.AST]:
        """As `nodes_of`; not to be changed."""
        if self._latest is None or self._latest[0] is not module:
            self._latest = module, nodes_of(module)
        return self._latest[1]


nodes_of_module = NodesOfModule()
"""The one of this process."""
