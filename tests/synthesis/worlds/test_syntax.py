"""Syntax: every node is listed, in the order of `ast.walk`."""

from __future__ import annotations

import ast
import inspect
import typing
from pathlib import Path

import pytest

from synthesis.worlds.syntax import nodes_of, nodes_of_module

_EVERYTHING = '''
"""Text."""
from __future__ import annotations
import a.b as c, d
from .e import f as g

@decorated(1)
class K[T](Base, metaclass=M):
    x: "int" = 1
    async def m(self, /, p, *q, r=2, **s) -> None:
        global y, z
        async with a as b, c: await d
        async for i in j: yield i
        try: raise E from F
        except* G as h: pass
        return (yield from k)

def f(a: int = 1, *, b: str | None = None):
    nonlocal c
    match a:
        case {"k": [1, *rest], **more} if rest: pass
        case P(q, r=None) | "s" | None | True: del t[0]
        case -1 as u: assert v, "w"
        case _: pass
    l = lambda x, y=1: {**x, 1: y, (z := 2): f"{x!r:>{y}} {z}"}
    e = -a < b <= c and not d
    return [*a, *(i for i in b if i for j in i)], {1, 2}, {k: v for k, v in c}, a[1:2, ...], e
type Alias[U] = list[U]
'''


def _parsed(text: str) -> ast.Module:
    """The text on this Python, without the lines that are newer than it."""
    for new in ("[T]", "type Alias[U] = list[U]\n"):
        try:
            return ast.parse(text)
        except SyntaxError:
            text = text.replace(new, "")
    return ast.parse(text)


@pytest.mark.parametrize(
    "source", [inspect.getsource(ast), inspect.getsource(typing), Path(__file__).read_text(encoding="utf-8")]
)
def test_lists_what_ast_walk_does_but_for_contexts(source: str) -> None:
    tree = ast.parse(source)
    assert nodes_of(tree) == [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]


def test_lists_every_kind_of_node() -> None:
    tree = _parsed(_EVERYTHING.replace("except*", "except"))
    nodes = nodes_of(tree)
    assert nodes == [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    assert {ast.MatchMapping, ast.MatchClass, ast.ExceptHandler, ast.FormattedValue, ast.keyword} <= set(
        map(type, nodes)
    )


def test_begins_anywhere_and_sees_what_was_replaced() -> None:
    statement = ast.parse("x = f(1)").body[0]
    assert isinstance(statement, ast.Assign)
    assert [type(node) for node in nodes_of(statement.value)] == [ast.Call, ast.Name, ast.Constant]
    statement.value = ast.Name("y", ast.Load())
    assert [node.id for node in nodes_of(statement) if isinstance(node, ast.Name)] == ["x", "y"]


def test_the_nodes_of_a_module_are_listed_once_and_never_those_of_another() -> None:
    one, other = ast.parse("x = 1"), ast.parse("x = 1")
    assert nodes_of_module(one) is nodes_of_module(one)
    assert nodes_of_module(one) == nodes_of(one)
    assert nodes_of_module(other) == nodes_of(other)
    assert nodes_of_module(one)[0] is one
