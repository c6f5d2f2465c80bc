"""RowStatements: rows as INSERT statements of literals, each after the rows it refers to.

Loaders of the format run each statement alone with foreign keys on, and leave out what fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from synthesis.documents.environment import Environment
from synthesis.documents.schema import Schema, Table
from synthesis.documents.seed_data import Row, Scalar
from synthesis.errors import InvalidInput
from synthesis.worlds.tables import quoted

Placed = tuple[Table, Row]


def row_statements(
    environment: Environment, rows: Mapping[str, Sequence[Row]]
) -> list[tuple[str, list[str]]]:
    """Statements by table; a table may occur again where rows of two tables refer to each other.

    Args:
        environment: Whose schema says what refers to what.
        rows: The rows of every table as its database holds them, so that defaults are values too.

    Raises:
        InvalidInput: Rows refer to each other in a circle.
    """
    ordered = _ordered(environment, rows)
    return [
        (name, [_insert(table, row) for table, row in placed_rows])
        for name, placed_rows in groupby(ordered, key=lambda placed: placed[0].name)
    ]


def _ordered(environment: Environment, rows: Mapping[str, Sequence[Row]]) -> list[Placed]:
    schema = environment.schema
    waiting = [(table, _stored(table, row)) for table in schema.tables for row in rows.get(table.name, ())]
    there: set[tuple[str, tuple[str, ...], tuple[Any, ...]]] = set()
    targets = _targets(schema)
    ordered: list[Placed] = []
    while waiting:
        left: list[Placed] = []
        for placed in waiting:
            own = set(_places(placed, targets))
            if all(place in there or place in own for place in _references(placed, schema)):
                ordered.append(placed)
                there |= own
            else:
                left.append(placed)
        if len(left) == len(waiting):
            table, row = left[0]
            raise InvalidInput(
                f"{environment.name}: a row of {table.name} refers to rows that refer back to it, or to none "
                f"({dict(list(row.items())[:4])}); readers of the format load rows one by one."
            )
        waiting = left
    return ordered


def _stored(table: Table, row: Row) -> Row:
    """The cells that are values of their own, in the table's order."""
    return {name: row[name] for name in table.stored_columns}


def _targets(schema: Schema) -> dict[str, set[tuple[str, ...]]]:
    """By table, in lower case: the columns by which other rows refer to its rows."""
    results: dict[str, set[tuple[str, ...]]] = {}
    for table in schema.tables:
        for key in table.foreign_keys:
            referred = _table(schema, key.table)
            columns = key.references or (referred.primary_key if referred else ())
            results.setdefault(key.table.lower(), set()).add(_lower(columns))
    return results


def _places(
    placed: Placed, targets: Mapping[str, set[tuple[str, ...]]]
) -> Iterator[tuple[str, tuple[str, ...], tuple[Any, ...]]]:
    table, row = placed
    cells = {name.lower(): value for name, value in row.items()}
    for columns in targets.get(table.name.lower(), ()):
        yield table.name.lower(), columns, tuple(cells.get(column) for column in columns)


def _references(placed: Placed, schema: Schema) -> Iterator[tuple[str, tuple[str, ...], tuple[Any, ...]]]:
    table, row = placed
    cells = {name.lower(): value for name, value in row.items()}
    for key in table.foreign_keys:
        values = tuple(cells.get(column.lower()) for column in key.columns)
        referred = _table(schema, key.table)
        columns = key.references or (referred.primary_key if referred else ())
        if all(value is not None for value in values):
            yield key.table.lower(), _lower(columns), values


def _table(schema: Schema, name: str) -> Table | None:
    return next((table for table in schema.tables if table.name.lower() == name.lower()), None)


def _lower(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _insert(table: Table, row: Row) -> str:
    if not row:
        return f"INSERT INTO {quoted(table.name)} DEFAULT VALUES;"
    names = ", ".join(map(quoted, row))
    values = ", ".join(map(literal, row.values()))
    return f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({values});"  # noqa: S608 - names and values are quoted


def literal(value: Scalar) -> str:
    """A cell as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)
