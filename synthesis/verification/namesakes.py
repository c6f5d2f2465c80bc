"""Namesakes: rows that an instruction names by a name which several rows have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Row
from synthesis.documents.tasks import Task
from synthesis.verification.argument_values import singular
from synthesis.worlds.comparison import MONTHS

_NAMING = frozenset({"name", "full_name", "display_name", "title", "label"})
_PERSON = ("first_name", "last_name")
_SHORTEST = 4
"""Characters of a name, or of a value that tells namesakes apart."""


def namesakes(environment: Environment, task: Task) -> Iterator[tuple[str, str, int]]:
    """Names in an instruction that several rows have, where nothing says which is meant.

    Only rows whose key the reference solution uses count: the others decide nothing. Told apart by any other
    value of the row, or of a row that belongs to it, in the instruction.

    Yields:
        The name, the table, and how many rows have it.
    """
    text = task.instruction.casefold()
    for table in environment.schema.tables:
        if len(table.primary_key) != 1:
            continue
        used = _used_keys(task, table)
        rows = environment.seed_data.rows.get(table.name, ())
        for columns in _naming_columns(table):
            by_name: dict[str, list[Row]] = {}
            for row in rows:
                name = _name_of(row, columns)
                if len(name) >= _SHORTEST:
                    by_name.setdefault(name.casefold(), []).append(row)
            for name, alike in by_name.items():
                meant = [row for row in alike if row.get(table.primary_key[0]) in used]
                if len(alike) > 1 and len(meant) == 1 and _says(text, name):
                    others = [row for row in alike if row is not meant[0]]
                    if not _is_distinguished(environment, table, text, meant[0], others, columns):
                        yield _name_of(meant[0], columns), table.name, len(alike)


def _naming_columns(table: Table) -> Iterator[tuple[str, ...]]:
    """Columns that together make a name: one, or first name and last name."""
    names = {column.name for column in table.columns}
    yield from ((name,) for name in sorted(names & _NAMING))
    if set(_PERSON) <= names:
        yield _PERSON


def _name_of(row: Row, columns: tuple[str, ...]) -> str:
    parts = [row.get(column) for column in columns]
    return " ".join(part for part in parts if isinstance(part, str))


def _used_keys(task: Task, table: Table) -> set[object]:
    names = {f"{singular(table.name)}_{table.primary_key[0]}", f"{singular(table.name)}_id"}
    return {
        value
        for call in task.reference_solution
        for name, value in call.arguments.items()
        if (name in names or any(name.endswith(f"_{each}") for each in names))
        and isinstance(value, int | str)
    }


def _is_distinguished(
    environment: Environment, table: Table, text: str, meant: Row, others: list[Row], columns: tuple[str, ...]
) -> bool:
    own: set[object] = {
        value
        for name, value in meant.items()
        if name not in columns and all(other.get(name) != value for other in others)
    }
    own |= set(_values_around(environment, table, meant))
    return any(_says(text, shown) for value in own for shown in _written(value))


def _values_around(environment: Environment, table: Table, row: Row) -> Iterator[object]:
    """Values of the rows that a row refers to and of those that refer to it."""
    key = row.get(table.primary_key[0])
    rows = environment.seed_data.rows
    for reference in table.foreign_keys:
        if len(reference.columns) == 1:
            wanted = row.get(reference.columns[0])
            for other in rows.get(reference.table, ()):
                if wanted is not None and other.get(reference.references[0]) == wanted:
                    yield from other.values()
    for other_table in environment.schema.tables:
        for reference in other_table.foreign_keys:
            if reference.table == table.name and len(reference.columns) == 1:
                for other in rows.get(other_table.name, ()):
                    if other.get(reference.columns[0]) == key:
                        yield from other.values()


def _written(value: object) -> Iterator[str]:
    """How a value may stand in an instruction; short and common values tell nothing apart."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield str(value)
        if value >= 100:
            yield f"{value / 100:.2f}"
    elif isinstance(value, str):
        if re.match(r"\d{4}-\d\d-\d\d", value):
            year, month, day = value[:10].split("-")
            yield value[:10]
            yield f"{int(day)} {MONTHS[int(month) - 1]}" if 1 <= int(month) <= 12 else year
        elif len(value) >= _SHORTEST:
            yield value.casefold()


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text) is not None
