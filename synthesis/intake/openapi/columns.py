"""Api columns: a scalar of a JSON schema as the type, default and limits of a column."""

from __future__ import annotations

from sqlglot import exp

from synthesis.intake.foreign import Expression
from synthesis.intake.openapi.document import Node

_SCALARS = frozenset({"string", "integer", "number", "boolean"})
_FORMATS = {
    "date": "date",
    "date-time": "timestamptz",
    "time": "time",
    "uuid": "uuid",
    "duration": "interval",
    "ipv4": "inet",
    "ipv6": "inet",
    "byte": "bytea",
    "binary": "bytea",
    "decimal": "numeric(12,2)",
}
_LIMITS = (
    ("minimum", "exclusiveMinimum", exp.GTE, exp.GT),
    ("maximum", "exclusiveMaximum", exp.LTE, exp.LT),
)


def kinds(schema: Node) -> list[str]:
    """The types a schema allows, without null."""
    message = schema.get("type")
    listed = message if isinstance(message, list) else [message] if message else []
    if not listed and isinstance(schema.get("enum"), list):
        listed = ["string"]
    return [str(one) for one in listed if one != "null"]


def is_scalar(schema: Node) -> bool:
    """Whether a schema is one value of one type."""
    texts = kinds(schema)
    return bool(texts) and all(kind in _SCALARS for kind in texts)


def nullable(schema: Node) -> bool:
    """Whether null is allowed, as 3.0 and as 3.1 say it."""
    message = schema.get("type")
    return bool(schema.get("nullable")) or (isinstance(message, list) and "null" in message)


def declared(schema: Node) -> exp.DataType:
    """The type of a column."""
    texts = kinds(schema)
    if texts == ["integer"]:
        return exp.DataType.build("bigint")
    if texts == ["boolean"]:
        return exp.DataType.build("boolean")
    if texts and set(texts) <= {"integer", "number"}:
        return exp.DataType.build(
            _FORMATS.get(str(schema.get("format")), "double precision"), dialect="postgres"
        )
    longest = schema.get("maxLength")
    plain = f"varchar({longest})" if isinstance(longest, int) and 0 < longest < 10_000 else "text"
    return exp.DataType.build(_FORMATS.get(str(schema.get("format")), plain), dialect="postgres")


def default_of(schema: Node) -> Expression | None:
    """The default, where it is a plain value."""
    value = schema.get("default", schema.get("const"))
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int | float):
        return exp.Literal.number(value)
    return exp.Literal.string(value) if isinstance(value, str) else None


def limit_checks(column: str, schema: Node) -> list[Expression]:
    """The CHECKs that minimum, maximum and their exclusive kinds are."""
    exprs: list[Expression] = []
    for plain, exclusive, within, beyond in _LIMITS:
        limit, strict = schema.get(plain), schema.get(exclusive)
        if isinstance(strict, int | float) and not isinstance(strict, bool):
            exprs.append(_compared(beyond, column, strict))
        elif isinstance(limit, int | float) and not isinstance(limit, bool):
            exprs.append(_compared(beyond if strict is True else within, column, limit))
    least = schema.get("minLength")
    if isinstance(least, int) and least > 0 and "string" in kinds(schema) and not schema.get("enum"):
        length = exp.Length(this=exp.column(column, quoted=True))
        exprs.append(exp.GTE(this=length, expression=exp.Literal.number(least)))
    return exprs


def _compared(comparison: type[exp.Binary], column: str, limit: float) -> Expression:
    number = exp.Literal.number(abs(limit))
    value = exp.Neg(this=number) if limit < 0 else number
    return comparison(this=exp.column(column, quoted=True), expression=value)
