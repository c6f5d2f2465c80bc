"""Sheets: many cells of a table changed, rows added and taken away, as one change of the seed data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.services.environments.edits import Change
from studio.services.errors import Missing
from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Row, Scalar
from synthesis.errors import InvalidInput


@dataclass(frozen=True)
class NewRow:
    """In place of a key: a row that the same sheet adds.

    Attributes:
        table: Its table.
        at: Its place among the rows added to that table, from 0.
        column: The column of it that is referred to.
        label: What the sheet calls it.
    """

    table: str
    at: int
    column: str
    label: str


Cells = Mapping[str, Scalar | NewRow]
"""Values by column; rows that are added are referred to before they have a key."""


@dataclass(frozen=True)
class SheetChange:
    """What is changed of a table, by the places of its rows from 0 as they were looked at.

    Attributes:
        cells: Changed values by row.
        removed: Rows that are taken away.
        added: Rows that are added.
        others: Rows added to tables that this one refers to, by table.
    """

    cells: Mapping[int, Cells]
    removed: frozenset[int]
    added: tuple[Cells, ...]
    others: Mapping[str, tuple[Cells, ...]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether nothing is changed."""
        return not (self.cells or self.removed or self.added or any(self.others.values()))


def edit_sheet(table: str, seen: Sequence[Row], asked: SheetChange) -> Change:
    """Change cells of rows that were looked at; what others changed meanwhile stays.

    Args:
        table: Its name.
        seen: The rows of the table as they were looked at.
        asked: What is changed of them.
    """

    def change(environment: Environment) -> Environment:
        known = _known(environment, table)
        if asked.empty:
            raise InvalidInput("No cell was changed. Change one, or add or remove a row, and save again.")
        rows: list[Cells | None] = list(environment.seed_data.rows.get(table, ()))
        places = _places(seen, rows, known.primary_key, {*asked.cells, *asked.removed})
        for at, values in asked.cells.items():
            rows[places[at]] = {**(rows[places[at]] or {}), **values}
        for at in asked.removed:
            rows[places[at]] = None
        remaining = {table: [row for row in rows if row is not None]}
        remaining |= {name: list(environment.seed_data.rows.get(name, ())) for name in asked.others}
        added = {**asked.others, table: asked.added}
        keyed = {name: _keyed(_known(environment, name), remaining[name], added[name]) for name in added}
        changed = {
            name: tuple(_resolved(row, keyed) for row in (*remaining[name], *keyed[name])) for name in keyed
        }
        rows_by_table = {**environment.seed_data.rows, **changed}
        return environment.replace(seed_data=environment.seed_data.replace(rows=rows_by_table))

    return change


def next_key(table: Table, rows: Iterable[Cells]) -> Row:
    """The next free number where the key of a table is one of its own: its column and the number."""
    key = table.primary_key
    alone = len(key) == 1 and not any(key[0] in each.columns for each in table.foreign_keys)
    numbers = [row.get(key[0]) for row in rows] if alone else []
    known = [number for number in numbers if isinstance(number, int)]
    return {key[0]: max(known) + 1} if known else {}


def _known(environment: Environment, name: str) -> Table:
    if (table := environment.schema.table(name)) is None:
        raise Missing(f"There is no table {name!r}.")
    return table


def _keyed(table: Table, rows: Sequence[Cells], added: Sequence[Cells]) -> list[Cells]:
    """Added rows with their keys: those that the database gives come too late to be referred to."""
    results: list[Cells] = []
    for row in added:
        results.append({**next_key(table, (*rows, *added, *results)), **row})
    return results


def _resolved(row: Cells, keyed: Mapping[str, Sequence[Cells]]) -> Row:
    return {
        name: _key_of(value, keyed) if isinstance(value, NewRow) else value for name, value in row.items()
    }


def _key_of(meant: NewRow, keyed: Mapping[str, Sequence[Cells]]) -> Scalar:
    """The key of a row that is added.

    Raises:
        InvalidInput: It has none, since only numbers follow from those that there are.
    """
    value = keyed[meant.table][meant.at].get(meant.column)
    if value is None or isinstance(value, NewRow):
        raise InvalidInput(f"{meant.label} is referred to: enter its {meant.column.replace('_', ' ')}, too.")
    return value


def _places(
    seen: Sequence[Row], rows: Sequence[Cells | None], key: Sequence[str], wanted: set[int]
) -> dict[int, int]:
    """Where the rows that were looked at are now: at their places, or where their key or content is.

    Raises:
        InvalidInput: One is not there any more.
    """
    if list(seen) == list(rows):
        return {at: at for at in wanted}
    identity = {_identity(row, key): at for at, row in enumerate(rows) if row is not None}
    places = {at: identity.get(_identity(seen[at], key)) for at in wanted}
    gone = sorted(at for at, place in places.items() if place is None)
    if gone:
        numbers = ", ".join(str(at + 1) for at in gone)
        raise InvalidInput(
            f"Somebody removed or replaced row {numbers} meanwhile. Undo your change there, or open "
            "the sheet again."
        )
    return {at: place for at, place in places.items() if place is not None}


def _identity(row: Cells, key: Sequence[str]) -> tuple[str, ...]:
    if key and all(row.get(name) is not None for name in key):
        return tuple(repr(row[name]) for name in key)
    return tuple(f"{name}={value!r}" for name, value in sorted(row.items()))
