"""Weakenings: every way in which a verifier could demand less than it does, found in its source.

The verifier is prepared once: each place that can be weakened asks a switch (`worlds.weakness`), so all
weakenings share one compiled module. This is mutation testing with mutant schemata (R. Untch, A. J. Offutt,
M. J. Harrold: Mutation Analysis Using Mutant Schemata, ISSTA 1993), applied to the tests themselves.

What an answer says is judged by the project's reading of facts; checks that look at the answer alone are left
as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from synthesis.documents.schema import Schema
from synthesis.verification.answer_checks import reads_answer_alone
from synthesis.worlds.syntax import nodes_of
from synthesis.worlds.verifier_trial import PreparedVerifier

Kind = Literal[
    "constant", "check", "condition", "column", "comparison", "count", "guard", "table", "other_columns"
]
"""All checks dropped; a check dropped; a condition within one; the value of a column ignored; a comparison
loosened; one row or many; a guard from row to table; one more table allowed; other columns of a changed row
ignored."""

KIND_WORDS: dict[Kind, str] = {
    "constant": "always content",
    "check": "check dropped",
    "condition": "condition dropped",
    "column": "column ignored",
    "comparison": "comparison loosened",
    "count": "any number of rows",
    "guard": "guard widened from row to table",
    "table": "one more table allowed",
    "other_columns": "other columns of the row ignored",
}

_SWITCH = "_weakness_"
_ROW_CHECKS = frozenset({"holds", "matches"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


class Weakening(NamedTuple):
    """One way to weaken a verifier."""

    place: int
    kind: Kind
    check: str
    """The check that would demand less; "" where several may, or its name is computed."""
    column: str
    """The column it is about; "" where it is about none."""
    table: str
    """The table in which it would allow changes; "" where that is not what it does."""
    text: str
    """In words."""
    loosening: str = ""
    """Of a comparison: "any", "at most", "at least", "contains" or "day"."""
    value: Any = None
    """Of a comparison: the value that is demanded."""

    def site(self) -> dict[str, Any]:
        """As the sealed process reads it."""
        return {
            "place": self.place,
            "kind": self.kind,
            "check": self.check,
            "column": self.column,
            "table": self.table,
        }


class Weakenings(NamedTuple):
    """All weakenings of one verifier."""

    source: str
    """The verifier with a switch at every place."""
    all: tuple[Weakening, ...]

    def prepared(self) -> PreparedVerifier:
        """For a trial."""
        return PreparedVerifier(self.source, tuple(weakening.site() for weakening in self.all))


def weakenings_of(source: str, schema: Schema) -> Weakenings:
    """The weakenings of a verifier; none where its source cannot be read.

    Args:
        source: The verifier.
        schema: The tables of its world.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Weakenings(source, ())
    preparation = _Preparation(schema, reads_answer_alone(tree))
    prepared = preparation.visit(tree)
    if preparation.weakenings:
        preparation.add_constant()
    return Weakenings(ast.unparse(prepared), tuple(preparation.weakenings))


class _Preparation(ast.NodeTransformer):
    """Puts a switch at every place; it stands in the expression it may weaken."""

    def __init__(self, schema: Schema, skipped: Collection[ast.AST]) -> None:
        self._all_tables = tuple(table.name for table in schema.tables)
        self._free = {
            table.name: {c.name for c in table.columns if not c.generated} - set(table.primary_key)
            for table in schema.tables
        }
        self._columns = {column.name for table in schema.tables for column in table.columns}
        self._skipped = {id(node) for node in skipped}
        self.weakenings: list[Weakening] = []
        self._check = ""
        self._row_checks = set(_ROW_CHECKS)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self._row_checks |= {
            statement.name
            for statement in node.body
            if isinstance(statement, ast.FunctionDef) and statement.args.kwarg and statement.args.args
        }
        return self.generic_visit(node)

    def add_constant(self) -> None:
        """A verifier that is content with everything: no place of its own is needed for it."""
        self._check = ""
        self._add("constant", "every end state is accepted")

    def visit(self, node: ast.AST) -> Any:
        return node if id(node) in self._skipped else super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "check":
            return self._visit_check(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "only":
            return self._visit_only(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._row_checks and len(node.args) == 1:
            return self._visit_row_check(node)
        return self.generic_visit(node)

    def _visit_check(self, node: ast.Call) -> ast.AST:
        passed = node.args[1] if len(node.args) > 1 else _keyword(node, "passed")
        if passed is None:
            return node
        name = node.args[0] if node.args else _keyword(node, "name")
        known = isinstance(name, ast.Constant) and isinstance(name.value, str)
        outer, self._check = self._check, str(name.value) if isinstance(name, ast.Constant) and known else ""
        place = self._add("check", f"the check “{self._check}” is dropped")
        weaker = self._or(place, self.visit(passed))
        if len(node.args) > 1:
            node.args[1] = weaker
        else:
            next(keyword for keyword in node.keywords if keyword.arg == "passed").value = weaker
        self._check = outer
        return node

    def _visit_only(self, node: ast.Call) -> ast.AST:
        named = {inner.value for inner in nodes_of(node) if isinstance(inner, ast.Constant)}
        args: list[ast.expr] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                table = _first_table(argument.value, self._all_tables)
                place = self._add(
                    "guard", f"any row of {table or 'the tables named'} may change", table=table
                )
                args.append(ast.Starred(_ask("places", place, argument.value), ast.Load()))
            elif isinstance(argument, ast.Tuple) and len(argument.elts) == 2:
                table = _first_table(argument, self._all_tables)
                place = self._add("guard", f"any row of {table} may change", table=table)
                args.append(_ask("place", place, argument))
            else:
                args.append(argument)
        others = tuple(table for table in self._all_tables if table not in named)
        if others:
            first = len(self.weakenings)
            for table in others:
                self._add("table", f"any row of {table} may change as well", table=table)
            args.append(ast.Starred(_ask("more", first, _literal(others)), ast.Load()))
        node.args = args
        return node

    def _visit_row_check(self, node: ast.Call) -> ast.AST:
        values = ast.Dict(
            keys=[ast.Constant(keyword.arg) if keyword.arg else None for keyword in node.keywords],
            values=[
                self._loose(self.visit(keyword.value), keyword.arg or "", whole=True)
                for keyword in node.keywords
            ],
        )
        rows = self.visit(node.args[0])
        if isinstance(node.func, ast.Name) and node.func.id == "matches":
            return ast.Call(node.func, [rows], [ast.keyword(None, values)])
        place = self._add("count", "any number of such rows will do")
        return _ask("some", place, node.func, rows, values)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        if not isinstance(node.op, ast.And) or not all(map(_is_condition, node.values)):
            return self.generic_visit(node)
        values = []
        for value in node.values:
            place = self._add("condition", f"“{_short(value)}” is dropped", column=_column_of(value))
            values.append(self._or(place, self.visit(value)))
        node.values = values
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq):
            return self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        columns = _columns_of(left) or _columns_of(right)
        if any(isinstance(side, ast.Dict | ast.Set) for side in (left, right)):
            actual, expected = (right, left) if isinstance(left, ast.Dict | ast.Set) else (left, right)
            if self._is_whole(actual, expected):
                node.left, node.comparators = self.visit(actual), [self._loosened(expected, columns)]
                return node
            place = self._add("other_columns", f"more than “{_short(expected)}” may have changed")
            return _ask("same", place, self.visit(actual), self._loosened(expected, columns))
        node.left = self._loosened(left, columns)
        node.comparators = [self._loosened(right, columns)]
        return node

    def _is_whole(self, actual: ast.expr, expected: ast.expr) -> bool:
        """Whether every column of a row that can change is expected to, so that none is left to ignore."""
        free = self._free.get(_first_table(actual, self._all_tables))
        names = expected.keys if isinstance(expected, ast.Dict) else getattr(expected, "elts", [])
        known = {name.value for name in names if isinstance(name, ast.Constant)}
        return free is not None and free <= known

    def _loosened(self, node: ast.expr, columns: Sequence[str]) -> ast.expr:
        """One side of an equality, every literal in it ready to be loosened."""
        if isinstance(node, ast.Dict):
            names = [
                key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
                for key in node.keys
            ]
            node.values = [self._loose(value, name) for name, value in zip(names, node.values, strict=True)]
            return node
        if isinstance(node, ast.Tuple | ast.List) and not _is_row_of_cells(node):
            if any(isinstance(element, ast.Tuple) for element in node.elts):
                node.elts = [self._loosened(element, columns) for element in node.elts]
            else:
                names = [*columns, *[""] * len(node.elts)][: len(node.elts)]
                node.elts = [self._loose(e, name) for e, name in zip(node.elts, names, strict=True)]
            return node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sorted":
            node.args = [self._loosened(argument, columns) for argument in node.args]
            return node
        if _is_value(node):
            return self._loose(node, columns[0] if len(columns) == 1 else "")
        return self.visit(node)  # type: ignore[no-any-return]

    def _loose(self, node: ast.expr, column: str, *, whole: bool = False) -> ast.expr:
        """A literal with which a cell is compared; with `whole`, any expression may be ignored."""
        if not _is_value(node):
            if not whole:
                return self.visit(node)  # type: ignore[no-any-return]
            first = self._add("column", f"any {column or 'value'} will do", column=column, loosening="any")
            return _ask("value", first, _literal(("any",)), node)
        value = ast.literal_eval(node)
        kinds = ("any", *_loosenings(value))
        first = len(self.weakenings)
        for kind in kinds:
            words = {"at most": "or less", "at least": "or more", "contains": "within a longer text"}
            text = (
                f"{column or 'the value'} may be {value!r} {words.get(kind, 'at another time of that day')}"
            )
            self._add(
                "column" if kind == "any" else "comparison",
                f"any {column or 'value'} will do instead of {value!r}" if kind == "any" else text,
                column=column,
                loosening=kind,
                value=value,
            )
        return _ask("value", first, _literal(kinds), node)

    def _add(self, kind: Kind, text: str, **more: Any) -> int:
        place = len(self.weakenings)
        fields = {"column": "", "table": "", **more}
        if fields["column"] not in self._columns:  # a name in a query, such as that of a count
            fields["column"] = ""
        self.weakenings.append(Weakening(place=place, kind=kind, check=self._check, text=text, **fields))
        return place

    @staticmethod
    def _or(place: int, condition: ast.expr) -> ast.expr:
        return ast.BoolOp(ast.Or(), [_ask("on", place), _ask("condition", place, condition)])


def _ask(method: str, place: int, *arguments: ast.expr) -> ast.Call:
    """A question to the switch."""
    function = ast.Attribute(ast.Name(_SWITCH, ast.Load()), method, ast.Load())
    return ast.Call(function, [ast.Constant(place), *arguments], [])


def _literal(texts: Iterable[str]) -> ast.Tuple:
    return ast.Tuple([ast.Constant(text) for text in texts], ast.Load())


def _loosenings(value: object) -> tuple[str, ...]:
    if isinstance(value, bool) or value is None:
        return ()
    if isinstance(value, int | float):
        return ("at most", "at least")
    if isinstance(value, str) and _MOMENT.match(value):
        return ("at most", "at least", "day")
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return ("at most", "at least")
    return ("contains",) if value else ()


def _is_value(node: ast.AST) -> bool:
    """Whether it is a literal text, number or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool | bytes | type(...))


def _is_condition(node: ast.AST) -> bool:
    """Whether a part of an `and` says yes or no, so that its place in it says nothing about values."""
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return True
    if isinstance(node, ast.BoolOp):
        return all(map(_is_condition, node.values))
    return isinstance(node, ast.Call)


def _is_row_of_cells(node: ast.Tuple | ast.List) -> bool:
    return bool(node.elts) and not any(_is_value(each) or isinstance(each, ast.Tuple) for each in node.elts)


def _column_of(node: ast.AST) -> str:
    """The column that an expression looks at, where it is one."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value
    if isinstance(node, ast.Compare | ast.Call):
        columns = {column for inner in ast.iter_child_nodes(node) if (column := _column_of(inner))}
        return columns.pop() if len(columns) == 1 else ""
    return ""


def _columns_of(node: ast.expr) -> list[str]:
    """The columns that one side of an equality looks at, in their order: of one cell, or of a tuple of
    cells."""
    if column := _column_of(node):
        return [column]
    for inner in nodes_of(node):
        if isinstance(inner, ast.Tuple | ast.List) and inner.elts:
            columns = [_column_of(each) for each in inner.elts]
            if any(columns):
                return columns
    return []


def _first_table(node: ast.AST, tables: Collection[str]) -> str:
    return next(
        (
            inner.value
            for inner in nodes_of(node)
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value in tables
        ),
        "",
    )


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 80 else f"{text[:77]}..."
