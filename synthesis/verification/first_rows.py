"""First rows: places in tools that take the first of several rows without saying which is the first.

Read from the source alone. Only what is certain is named: the statement must be known whole, sort nothing and
name no single row by a key, and the row must be used for more than the question whether there is one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from synthesis.documents.schema import Schema
from synthesis.verification.selects import limited_to_one, table_of_several, whole
from synthesis.worlds.definitions import UNPARSABLE
from synthesis.worlds.syntax import nodes_of

_TAKING_ONE = frozenset({"one", "fetchone"})
_ASKING = (ast.Compare, ast.If, ast.While, ast.UnaryOp, ast.BoolOp, ast.Expr)
"""What a row stands in that is only asked whether it is there."""
_LONGEST_TEXT = 5_000
"""Characters of a statement that is read; nothing is certain of a longer one."""
_TAKING_ALL = frozenset({"query", "fetchall", "execute"})


class FirstRow(NamedTuple):
    """One such place.

    Attributes:
        function: The function it is in.
        line: Of the source.
        table: The table whose rows are asked for.
    """

    function: str
    line: int
    table: str


def first_rows(source: str, schema: Schema, sizes: Mapping[str, int]) -> list[FirstRow]:
    """Every such place of a module, in its order; none where it does not parse.

    Args:
        source: The tools.
        schema: The tables.
        sizes: Number of rows by table; of a table with one row, the first is no choice.
    """
    try:
        module = ast.parse(source)
    except UNPARSABLE:
        return []
    constants = _assigned(module.body)
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    return [
        FirstRow(function.name, line, table)
        for function in functions
        for line, table in sorted(set(_RowTaker(function, constants).places(schema, sizes)))
    ]


class _RowTaker:
    """One function that may take rows: what its names stand for, and how its values are used."""

    def __init__(self, function: ast.FunctionDef, constants: Mapping[str, ast.expr]) -> None:
        self._nodes = nodes_of(function)
        own = _assigned(node for node in self._nodes if isinstance(node, ast.stmt))
        arguments = {each.arg for each in nodes_of(function.args) if isinstance(each, ast.arg)}
        self._own = own
        self._loads: dict[str, list[ast.AST]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._loads.setdefault(node.id, []).append(node)
        self._names = {**{name: node for name, node in constants.items() if name not in arguments}, **own}

    @cached_property
    def _above(self) -> dict[ast.AST, ast.AST]:
        """What each node stands in; asked for by the few functions that take a row in no certain order."""
        return {below: node for node in self._nodes for below in ast.iter_child_nodes(node)}

    def places(self, schema: Schema, sizes: Mapping[str, int]) -> Iterator[tuple[int, str]]:
        for node in self._nodes:
            call = self._asked(node)
            if call is not None:
                places = list(self._place(call, whole, schema, sizes))
                yield from places if places and self._is_used(node) else ()
            if isinstance(node, ast.Call) and node.args:
                yield from self._place(node, limited_to_one, schema, sizes)

    def _place(
        self, call: ast.Call, parts: Callable[[str], list[str]], schema: Schema, sizes: Mapping[str, int]
    ) -> Iterator[tuple[int, str]]:
        text = self._text(call.args[0])
        for select in parts(text) if 0 < len(text) <= _LONGEST_TEXT else ():
            table = table_of_several(select, schema)
            if table and sizes.get(table, 0) > 1:
                yield call.lineno, table

    def _asked(self, node: ast.AST) -> ast.Call | None:
        """The call whose first row a node takes; None for any other node."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in _TAKING_ONE:
                return None
            return node if node.args else self._call(node.func.value, {"execute"})
        rows = _first_of(node)
        if rows is None or (isinstance(rows, ast.Name) and self._is_counted_or_sorted(rows.id)):
            return None
        return self._call(rows, _TAKING_ALL)

    def _call(self, node: ast.expr, methods: Collection[str]) -> ast.Call | None:
        if isinstance(node, ast.Name):
            node = self._own.get(node.id, node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            return node if node.func.attr in methods else None
        return None

    def _is_counted_or_sorted(self, name: str) -> bool:
        """Whether rows are sorted later, or counted, as who refuses several does."""
        return any(
            isinstance(node, ast.Call)
            and (
                (_calls(node, "len") and any(_is_name(each, name) for each in node.args))
                or (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr == "sort"
                    and _is_name(node.func.value, name)
                )
            )
            for node in self._nodes
        )

    def _is_used(self, node: ast.AST) -> bool:
        """Whether a row is used for more than whether there is one, and beyond the words of a refusal."""
        waiting, followed = [node], set[str]()
        while waiting:
            place = waiting.pop()
            above = self._above.get(place)
            if isinstance(above, _ASKING) or (isinstance(above, ast.IfExp) and above.test is place):
                continue
            names = _only_names(above)
            if not names and not self._is_refusal(place):
                return True
            for name in names - followed:
                waiting += self._loads.get(name, ())
            followed |= names
        return False

    def _is_refusal(self, node: ast.AST) -> bool:
        above: ast.AST | None = node
        while above is not None and not isinstance(above, ast.stmt):
            above = self._above.get(above)
        return isinstance(above, ast.Raise)

    def _text(self, node: ast.expr, depth: int = 0) -> str:
        """The text that an expression is, "" where the source does not say it."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else ""
        if isinstance(node, ast.Name) and node.id in self._names and depth < 8:
            return self._text(self._names[node.id], depth + 1)
        parts: Sequence[ast.expr] = ()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = (node.left, node.right)
        elif isinstance(node, ast.JoinedStr):
            parts = [each.value if isinstance(each, ast.FormattedValue) else each for each in node.values]
        texts = [self._text(part, depth + 1) for part in parts]
        return "".join(texts)[: _LONGEST_TEXT + 1] if all(texts) else ""


def _only_names(above: ast.AST | None) -> set[str]:
    """The names that an assignment binds; none where it binds something else, or is none."""
    if not isinstance(above, ast.Assign | ast.NamedExpr):
        return set()
    targets = above.targets if isinstance(above, ast.Assign) else [above.target]
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    return names if all(isinstance(one, ast.Name) for one in targets) else set()


def _assigned(statements: Iterator[ast.stmt] | Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """What names stand for that are bound exactly once, by a plain assignment."""
    bound: dict[str, list[ast.expr | None]] = {}
    for statement in statements:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        value = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.AugAssign | ast.For):
            targets = [statement.target]
        for target in targets:
            for name in nodes_of(target):
                if isinstance(name, ast.Name):
                    bound.setdefault(name.id, []).append(value if name is target else None)
    return {name: values[0] for name, values in bound.items() if len(values) == 1 and values[0] is not None}


def _first_of(node: ast.AST) -> ast.expr | None:
    """The rows of which a node is the first: rows[0], next(iter(rows)); None for any other node."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 0:
        return node.value
    iterated = node.args[0] if isinstance(node, ast.Call) and _calls(node, "next") and node.args else None
    if isinstance(iterated, ast.Call) and _calls(iterated, "iter") and iterated.args:
        return iterated.args[0]
    return None


def _calls(node: ast.Call, name: str) -> bool:
    return _is_name(node.func, name)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
