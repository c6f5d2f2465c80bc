"""Expressions: checks, defaults and conditions of another dialect, in SQLite's words or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from synthesis.intake.convert.decimals import cents, decimal, integer, real
from synthesis.intake.convert.kinds import KindName, literal
from synthesis.intake.foreign import Expression


class NotExpressible(Exception):
    """An expression holds something that SQLite, or a world, does not have; the text names it."""


Columns = Callable[[str], tuple[str, KindName] | None]
"""From a column's name in the source to its name and kind here; None for a column that is not there."""

_ALLOWED: tuple[type[Expression], ...] = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.And, exp.Or, exp.Not,
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Is, exp.Like, exp.Neg,
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Length, exp.Lower, exp.Upper, exp.Trim, exp.Coalesce,
    exp.Abs, exp.DPipe, exp.Case, exp.If, exp.Substring, exp.Tuple, exp.Round,
)  # fmt: skip
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_NOW = (exp.CurrentTimestamp, exp.CurrentDatetime, exp.CurrentDate, exp.CurrentTime, exp.Localtimestamp)
_NOW_NAMES = frozenset(
    {"NOW", "CLOCK_TIMESTAMP", "STATEMENT_TIMESTAMP", "TRANSACTION_TIMESTAMP", "GETDATE", "SYSDATE"}
)
_NOW_HERE: dict[KindName, str] = {
    "moment": "(strftime('%Y-%m-%dT%H:%M:%S', 'now'))",
    "day": "(date('now'))",
    "time": "(time('now'))",
}
_UUIDS = frozenset({"UUID", "GEN_RANDOM_UUID", "UUID_GENERATE_V4", "UUID_GENERATE_V1", "UUIDV7"})
_UUID_HERE = (
    "(lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || "
    "hex(randomblob(2)) || '-' || hex(randomblob(6))))"
)
_FLAGS = {"true": "1", "t": "1", "1": "1", "yes": "1", "false": "0", "f": "0", "0": "0", "no": "0"}
_SPACED_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}")
_EMPTY_ARRAY = frozenset({"{}", "[]"})


def condition(expression: Expression, columns: Columns) -> str:
    """A CHECK or an index's WHERE in SQLite's dialect.

    Raises:
        NotExpressible: It holds a function, an operator or a column that is not to be had here.
    """
    tree = _plain(expression.copy())
    _scale_money(tree, columns)
    for node in list(tree.walk()):
        _require_allowed(node)
        if isinstance(node, exp.Column):
            tree = _renamed(tree, node, columns)
    return tree.sql(dialect="sqlite", identify=True)


def computed(expression: Expression, columns: Columns, *, money: bool = False) -> str:
    """A generated column's expression; money is not scaled within one.

    Args:
        expression: The expression in the source's dialect.
        columns: What the columns are here.
        money: Whether the column itself holds money.

    Raises:
        NotExpressible: As for `condition`, and for money that is not simply added or multiplied.
    """
    named = [texts for node in expression.find_all(exp.Column) if (texts := columns(node.name))]
    if money or any(kind == "money" for _, kind in named):
        if not money or _degree(expression, columns) != 1:
            raise NotExpressible("it computes with money, which is converted to cents")
        for node in list((tree := expression.copy()).walk()):
            _require_allowed(node)
            if isinstance(node, exp.Column):
                tree = _renamed(tree, node, columns)
        return tree.sql(dialect="sqlite", identify=True)
    return condition(expression, columns)


def _degree(node: Expression, columns: Columns) -> int | None:
    """How many amounts of money are multiplied: 1 for quantity * price; None for what is no such sum."""
    if isinstance(node, exp.Paren):
        return _degree(node.this, columns)
    if isinstance(node, exp.Column):
        texts = columns(node.name)
        return {"money": 1, "integer": 0}.get(texts[1]) if texts is not None else None
    if not isinstance(node, exp.Mul | exp.Add | exp.Sub):
        return None
    one, other = _degree(node.this, columns), _degree(node.expression, columns)
    if one is None or other is None:
        return None
    if isinstance(node, exp.Mul):
        return one + other
    return one if one == other else None


def default(expression: Expression, kind: KindName) -> str | None:
    """A DEFAULT in SQLite's dialect; None where the default is NULL or a number the table counts itself.

    Raises:
        NotExpressible: It is neither a constant nor the clock nor a random UUID.
    """
    tree = _plain(expression.copy())
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Null) or _called(tree) == "NEXTVAL":
        return None
    if isinstance(tree, _NOW) or _called(tree) in _NOW_NAMES:
        return _clock(kind)
    if isinstance(tree, exp.Uuid) or _called(tree) in _UUIDS:
        return _UUID_HERE
    return _constant(tree, kind)


def json_columns(check: Expression) -> Iterator[str]:
    """The columns that a CHECK holds to be JSON, as MariaDB writes its type JSON."""
    for node in check.find_all(exp.Anonymous):
        if _called(node) == "JSON_VALID":
            yield from (column.name for column in node.find_all(exp.Column))


def _clock(kind: KindName) -> str:
    if kind not in _NOW_HERE:
        raise NotExpressible(f"it is the clock, and the column is of kind {kind}")
    return _NOW_HERE[kind]


def _constant(tree: Expression, kind: KindName) -> str:
    if isinstance(tree, exp.Boolean):
        return "1" if tree.this else "0"
    if isinstance(tree, exp.Array) and not tree.expressions:
        return "'[]'"
    if isinstance(tree, exp.BitString):
        return str(int(str(tree.this), 2))
    negative = isinstance(tree, exp.Neg)
    inner = tree.this if negative else tree
    if isinstance(inner, exp.Column) and not inner.table:  # SQLite reads a name in double quotes as a text
        inner = exp.Literal.string(inner.name)
    if not isinstance(inner, exp.Literal):
        raise NotExpressible(f"{tree.sql()[:80]} is not a constant")
    text = ("-" if negative else "") + str(inner.this)
    return _as_text(text, kind)


def _as_text(text: str, kind: KindName) -> str:
    if kind in ("integer", "real", "year", "money"):
        return _number(text, kind)
    if kind == "flag":
        if text.lower() not in _FLAGS:
            raise NotExpressible(f"{text[:40]!r} is neither true nor false")
        return _FLAGS[text.lower()]
    if kind == "json" and text in _EMPTY_ARRAY:
        return literal(text if text == "[]" else "{}")
    if kind in ("day", "moment", "time"):
        return literal(_dated(text, kind))
    return literal(text)


def _number(text: str, kind: KindName) -> str:
    try:
        number = decimal(text)
        if kind == "money":
            return str(cents(number))
        if kind == "real":
            return str(real(number))
        whole = integer(number)
    except ValueError as error:
        raise NotExpressible(f"{text[:40]!r} {error}") from error
    if number != whole:
        raise NotExpressible(f"{text[:40]!r} is not a whole number")
    return str(whole)


def _dated(text: str, kind: KindName) -> str:
    message = text.replace(" ", "T", 1) if kind == "moment" else text
    if kind == "moment" and len(message) == 10:
        message += "T00:00:00"
    if len(message) == {"moment": 16, "time": 5}.get(kind, 0):
        message += ":00"
    message = message[: {"day": 10, "moment": 19, "time": 8}[kind]]
    if message.startswith("0000") or len(message) != {"day": 10, "moment": 19, "time": 8}[kind]:
        raise NotExpressible(f"{text[:40]!r} is not a valid {kind}")
    return message


def _plain(tree: Expression) -> Expression:
    """Without casts, with arrays after = ANY as lists, and counted NULLs as sums."""

    def step(node: Expression) -> Expression:
        bare = _bare(node)
        if bare is not None:
            return _plain(bare)
        if isinstance(node, exp.Literal) and node.is_string and _SPACED_MOMENT.match(node.name):
            return exp.Literal.string(node.name.replace(" ", "T", 1)[:19])
        if isinstance(node, exp.EQ) and isinstance(node.expression, exp.Any):
            array = node.expression.find(exp.Array)
            if array is not None:
                return exp.In(this=_plain(node.this), expressions=[_plain(one) for one in array.expressions])
        if isinstance(node, exp.Concat) and not node.args.get("coalesce"):
            first, *rest = (_plain(one) for one in node.expressions)
            for one in rest:
                first = exp.DPipe(this=first, expression=one, safe=True)
            return exp.paren(first)
        if _called(node) == "NUM_NONNULLS":
            there = [exp.Not(this=exp.Is(this=one, expression=exp.Null())) for one in node.expressions]
            return exp.paren(_sum([exp.paren(one) for one in there]))
        return node

    return tree.transform(step)


def _bare(node: Expression) -> Expression | None:
    """What is within a cast or a change of time zone; None for everything else."""
    if isinstance(node, exp.Cast | exp.TryCast | exp.AtTimeZone):
        return node.this  # type: ignore[no-any-return]
    if isinstance(node, exp.Introducer):
        return node.expression  # type: ignore[no-any-return]
    if _called(node) == "TIMEZONE" and len(node.expressions) == 2:
        return node.expressions[1]  # type: ignore[no-any-return]
    return None


def _sum(terms: list[Expression]) -> Expression:
    total = terms[0]
    for term in terms[1:]:
        total = exp.Add(this=total, expression=term)
    return total


def _called(node: Expression) -> str:
    return str(node.name).upper() if isinstance(node, exp.Anonymous) else ""


def _require_allowed(node: Expression) -> None:
    if isinstance(node, _ALLOWED) or _called(node) == "JSON_VALID":
        return
    raise NotExpressible(f"{(_called(node) or node.key).upper()} is not supported")


def _renamed(tree: Expression, node: exp.Column, columns: Columns) -> Expression:
    texts = columns(node.name)
    if texts is None:
        raise NotExpressible(f"column {node.name!r} is not converted")
    renamed = exp.column(texts[0], quoted=True)
    if node is tree:
        return renamed
    node.replace(renamed)
    return tree


def _scale_money(tree: Expression, columns: Columns) -> None:
    """Numbers that money is compared with, in cents; elsewhere money must not be computed with."""
    for comparison in list(tree.find_all(*_COMPARISONS)):
        kinds = {texts[1] for node in comparison.find_all(exp.Column) if (texts := columns(node.name))}
        if "money" not in kinds:
            continue
        if kinds != {"money"} or comparison.find(exp.Mul, exp.Div, exp.Mod, exp.Round):
            raise NotExpressible("it computes with money, which is converted to cents")
        for number in list(comparison.find_all(exp.Literal)):
            if not number.is_string:
                number.replace(exp.Literal.number(_number(str(number.this), "money")))
