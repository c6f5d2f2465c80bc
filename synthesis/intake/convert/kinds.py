"""Kinds: what a column of another system becomes here, by its declared type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from sqlglot import exp

from synthesis.intake.foreign import ForeignColumn

KindName = Literal[
    "integer",
    "real",
    "money",
    "text",
    "flag",
    "day",
    "moment",
    "time",
    "year",
    "json",
    "uuid",
    "choice",
    "gone",
]

DAY: Final = "____-__-__"
MOMENT: Final = "____-__-__T__:__:__"
TIME: Final = "__:__:__"
UUID: Final = "________-____-____-____-____________"

_PATTERNS: Final[dict[KindName, str]] = {"day": DAY, "moment": MOMENT, "time": TIME, "uuid": UUID}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column becomes.

    Attributes:
        name: Kind of value; `gone` columns are left out.
        sql: Declared type in SQLite; empty for `gone`.
        note: What is different from the source; empty where nothing is.
    """

    name: KindName
    sql: str = ""
    note: str = ""

    def check(self, column: str, values: tuple[str, ...]) -> str:
        """The CHECK that holds the kind's values to their form; empty where none is needed.

        Args:
            column: The column's name, quoted.
            values: Values of an enumeration.
        """
        if self.name == "choice":
            return f"{column} IN ({', '.join(map(literal, values))})"
        if self.name == "flag":
            return f"{column} IN (0, 1)"
        if self.name == "json":
            return f"json_valid({column})"
        if self.name == "year":
            return f"{column} BETWEEN 1901 AND 2155"
        pattern = _PATTERNS.get(self.name)
        return f"{column} LIKE '{pattern}'" if pattern else ""


def literal(text: str) -> str:
    """A string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


_INTEGERS = (
    "INT", "TINYINT", "SMALLINT", "MEDIUMINT", "BIGINT", "INT128", "INT256", "UINT", "UTINYINT", "USMALLINT",
    "UMEDIUMINT", "UBIGINT", "SERIAL", "SMALLSERIAL", "BIGSERIAL", "OID",
)  # fmt: skip
_TEXTS = (
    "CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "BPCHAR", "TEXT", "TINYTEXT", "MEDIUMTEXT", "LONGTEXT", "NAME",
)  # fmt: skip
_PLAIN: dict[str, Kind] = {
    **dict.fromkeys(_INTEGERS, Kind("integer", "INTEGER")),
    **dict.fromkeys(_TEXTS, Kind("text", "TEXT")),
    **dict.fromkeys(("JSON", "JSONB", "HSTORE"), Kind("json", "TEXT")),
    **dict.fromkeys(("TIMESTAMP", "DATETIME", "TIMESTAMPNTZ", "SMALLDATETIME"), Kind("moment", "TEXT")),
    **dict.fromkeys(("FLOAT", "DOUBLE"), Kind("real", "REAL")),
    **dict.fromkeys(
        ("TIMESTAMPTZ", "TIMESTAMPLTZ"),
        Kind("moment", "TEXT", "timestamps become local times, the time zone is left out"),
    ),
    "BOOLEAN": Kind("flag", "INTEGER"),
    "DATE": Kind("day", "TEXT"),
    "TIME": Kind("time", "TEXT"),
    "TIMETZ": Kind("time", "TEXT", "times become local, the time zone is left out"),
    "YEAR": Kind("year", "INTEGER"),
    "UUID": Kind("uuid", "TEXT"),
    "ENUM": Kind("choice", "TEXT"),
}
_AS_TEXT = {
    "INET": "a network address becomes plain text, its format is not checked",
    "CIDR": "a network becomes plain text, its format is not checked",
    "MACADDR": "a hardware address becomes plain text, its format is not checked",
    "INTERVAL": "a duration becomes plain text, for example 'PT2H' or '3 days'",
    "XML": "XML becomes plain text, its format is not checked",
    "SET": "a set of values becomes plain text with commas, its values are not checked",
    "INT4RANGE": "a range becomes plain text, for example '[1,5)'",
    "POINT": "a point becomes plain text, for example 'POINT(7.1 51.5)'",
    "GEOMETRY": "a geometry becomes plain text, for example 'POINT(7.1 51.5)'",
    "LTREE": "a path becomes plain text",
    "REGCLASS": "an object name becomes plain text",
}
_FAMILIES = {
    "GEOGRAPHY": "GEOMETRY",
    "LSEG": "POINT",
    "LINE": "POINT",
    "BOX": "POINT",
    "PATH": "POINT",
    "POLYGON": "GEOMETRY",
    "LINESTRING": "GEOMETRY",
    "MACADDR8": "MACADDR",
    "IPADDRESS": "INET",
    "IPV4": "INET",
    "IPV6": "INET",
}
_BINARY = frozenset(
    {"BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BINARY", "VARBINARY", "BYTEA", "IMAGE", "ROWVERSION"}
)
_DERIVED = frozenset({"TSVECTOR", "TSQUERY", "VECTOR"})
_MONEY_WORDS = {
    "price", "cost", "amount", "total", "subtotal", "fee", "fees", "balance", "salary", "wage",
    "payment", "paid", "charge", "charged", "revenue", "budget", "refund", "refunded", "deposit",
    "freight", "tip", "fare", "rent", "premium", "payout", "invoiced", "turnover", "tax",
}  # fmt: skip
_NO_MONEY = {
    "rate", "percent", "percentage", "pct", "ratio", "factor", "count", "quantity", "qty",
    "number", "score",
}  # fmt: skip


def kind_of(column: ForeignColumn, *, dialect: str) -> Kind:
    """What a column becomes."""
    name = type_name(column.type)
    if column.values:
        return Kind("choice", "TEXT")
    if name in ("BIT", "TINYINT") and _width(column.type) == 1 and dialect == "mysql":
        return Kind("flag", "INTEGER")
    if name in ("DECIMAL", "MONEY", "SMALLMONEY", "FLOAT", "DOUBLE", "BIGDECIMAL"):
        return _number(column, name)
    if name in _PLAIN:
        return _sized(_PLAIN[name], column.type)
    return _other(name, column)


def type_name(declared: exp.DataType) -> str:
    """The name of a type in upper case; a type of the source's own by its last name."""
    if isinstance(declared.this, exp.DType):
        if declared.this is not exp.DType.USERDEFINED:
            return str(declared.this.name)
        kind = declared.args.get("kind")
        shown = kind.sql() if isinstance(kind, exp.Expr) else str(kind or "")
        return shown.rpartition(".")[2].strip('"`').upper()
    return str(declared.this).upper()


def _number(column: ForeignColumn, name: str) -> Kind:
    scale = _scale(column.type)
    if name in ("MONEY", "SMALLMONEY") or (scale != 0 and _is_money(column.name)):
        return Kind("money", "INTEGER", "money becomes an integer number of cents")
    if name == "DECIMAL" and scale == 0:
        return Kind("integer", "INTEGER")
    if name == "DECIMAL":
        return Kind("real", "REAL", "an exact decimal becomes a floating-point number")
    return Kind("real", "REAL")


def _is_money(name: str) -> bool:
    words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())
    return any(word in _MONEY_WORDS for word in words) and not any(word in _NO_MONEY for word in words)


def _other(name: str, column: ForeignColumn) -> Kind:
    shown = column.type.sql()
    if name == "CITEXT":
        return Kind("text", "TEXT COLLATE NOCASE")
    if name in _DERIVED:
        return Kind("gone", note=f"{shown} contains full-text search vectors")
    if name in _BINARY:
        return Kind("gone", note=f"{shown} contains binary data, which is not seed data")
    if name in ("ARRAY", "LIST"):
        return Kind("json", "TEXT", f"{shown} becomes a JSON array, its members are not checked")
    if name == "BIT":
        return Kind("integer", "INTEGER", "a bit string becomes an integer")
    family = "INT4RANGE" if name.endswith("RANGE") else _FAMILIES.get(name, name)
    words = _AS_TEXT.get(family, "the type is unknown, its values become plain text")
    return Kind("text", "TEXT", f"{shown}: {words}")


def _sized(kind: Kind, declared: exp.DataType) -> Kind:
    """Text keeps its declared length, which SQLite shows and does not enforce."""
    width = _width(declared)
    if kind.name != "text" or width is None or type_name(declared) == "TEXT":
        return kind
    return Kind("text", f"VARCHAR({width})")


def _width(declared: exp.DataType) -> int | None:
    return _parameter(declared, 0)


def _scale(declared: exp.DataType) -> int | None:
    """Digits behind the point; None where the type does not say."""
    if not declared.expressions:
        return None
    return _parameter(declared, 1) or 0


def _parameter(declared: exp.DataType, place: int) -> int | None:
    if len(declared.expressions) <= place:
        return None
    shown = declared.expressions[place].sql()
    return int(shown) if shown.isdigit() else None
