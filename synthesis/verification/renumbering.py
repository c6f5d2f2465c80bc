"""Renumbering: a right end state in which new rows got other numbers than in the reference run.

They do where something was added and taken back before. No agent chooses such numbers, so no verifier may
demand them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from synthesis.documents.schema import Schema, Table
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.verification.row_edits import RowEdit, key_of, stored
from synthesis.verification.write_relations import references_without_key

_STEP = 7
"""By how much the number of a new row is higher; larger than the new rows of most tasks are many."""

NewKeys = Mapping[tuple[str, Scalar], int]
"""By table and number: the other number."""


def renumbered(changes: StateDiff, schema: Schema, text: str) -> tuple[tuple[RowEdit, ...], ...]:
    """Edits of a right end state that give its new rows other numbers, in two orders of which the schema may
    allow one; none where such an end is not right.

    Args:
        changes: What the reference run changed.
        schema: The tables.
        text: The instruction and the reference answer: a number that is told there is no free one.
    """
    tables = {table.name: table for table in schema.tables}
    keys: dict[tuple[str, Scalar], int] = {}
    step = max(_STEP, len(changes.inserted) + 1)
    for change in changes.inserted:
        number = _number(tables[change.table], change)
        if number is not None:
            keys[(change.table, number)] = number + step
    stated = set(re.findall(r"\d+", text))
    if any(str(number) in stated for _, number in keys) or not keys:
        return ()
    added: list[RowEdit] = []
    gone: list[RowEdit] = []
    for change in changes.inserted:
        table, row = tables[change.table], change.after or {}
        values = stored(table, _pointing(table, row, keys, schema))
        number = _number(table, change)
        if number is not None:
            values[table.primary_key[0]] = keys[(table.name, number)]
        if values != stored(table, row):
            added.append(RowEdit("insert", table.name, values=values))
            gone.insert(0, RowEdit("delete", table.name, key_of(table, row)))
    moved = [
        edit for change in changes.updated if (edit := _moved(tables[change.table], change, keys, schema))
    ]
    return (*gone, *added, *moved), (*added, *moved, *gone)


def _number(table: Table, change: RowChange) -> int | None:
    """The number that the system gave a new row; None where its key is told or says more."""
    if len(table.primary_key) != 1:
        return None
    key, value = table.primary_key[0], (change.after or {}).get(table.primary_key[0])
    refers = any(key in other.columns for other in table.foreign_keys)
    return value if isinstance(value, int) and not isinstance(value, bool) and not refers else None


def _pointing(table: Table, row: Mapping[str, Scalar], keys: NewKeys, schema: Schema) -> dict[str, Scalar]:
    """A row that names the new rows by their other numbers, also where no foreign key says that it does."""
    parents = {key.columns[0]: key.table for key in table.foreign_keys if len(key.columns) == 1}
    parents |= {column: other.name for column, other in references_without_key(table, schema).items()}
    return {column: keys.get((parents.get(column, ""), value), value) for column, value in row.items()}


def _moved(table: Table, change: RowChange, keys: NewKeys, schema: Schema) -> RowEdit | None:
    after = change.after or {}
    values = {
        column: value
        for column, value in _pointing(table, after, keys, schema).items()
        if value != after.get(column)
    }
    return RowEdit("update", table.name, key_of(table, after), values) if values else None
