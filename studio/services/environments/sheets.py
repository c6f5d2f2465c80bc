"""Sheets: many cells of a table changed, rows added and taken away, as one change of the seed data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.services.environments.edits import Change, edit_rows
from studio.services.errors import Missing
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import Row, Scalar
from synthesis.errors import InvalidInput


@dataclass(frozen=True)
class SheetChange:
    """What is changed of a table, by the places of its rows from 0 as they were looked at."""

    cells: Mapping[int, Mapping[str, Scalar]]
    removed: frozenset[int]
    added: tuple[Row, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing is changed."""
        return not (self.cells or self.removed or self.added)


def edit_sheet(table: str, seen: Sequence[Row], asked: SheetChange) -> Change:
    """Change cells of rows that were looked at; what others changed meanwhile stays.

    Args:
        table: Its name.
        seen: The rows of the table as they were looked at.
        asked: What is changed of them.
    """

    def change(environment: Environment) -> Environment:
        known = environment.schema.table(table)
        if known is None:
            raise Missing(f"There is no table {table!r}.")
        if asked.empty:
            raise InvalidInput("No cell was changed. Change one, or add or remove a row, and save again.")
        rows: list[Row | None] = list(environment.seed_data.rows.get(table, ()))
        places = _places(seen, rows, known.primary_key, {*asked.cells, *asked.removed})
        for at, values in asked.cells.items():
            rows[places[at]] = {**(rows[places[at]] or {}), **values}
        for at in asked.removed:
            rows[places[at]] = None
        remaining = [row for row in rows if row is not None]
        return edit_rows(table, [*remaining, *asked.added])(environment)

    return change


def _places(
    seen: Sequence[Row], rows: Sequence[Row | None], key: Sequence[str], wanted: set[int]
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


def _identity(row: Row, key: Sequence[str]) -> tuple[str, ...]:
    if key and all(row.get(name) is not None for name in key):
        return tuple(repr(row[name]) for name in key)
    return tuple(f"{name}={value!r}" for name, value in sorted(row.items()))
