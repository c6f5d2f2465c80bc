"""Near-misses: end states that look like the right one and are wrong, made by machine from a reference run.

A mutant is a state (the reference end state or the untouched one, with some rows edited) and an answer; a
verifier
must refuse every one of them. Cells that depend on when the agent acted, and cells that say who acted, are no
part of a wrong state: no agent can be asked for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange
from synthesis.verification.other_values import other_values, refers
from synthesis.verification.reference_run import ReferenceRun
from synthesis.verification.row_edits import RowEdit, key_of, stored, undoing

MOST_PER_KIND = 6
"""Mutants of one kind per task."""
_ROWS_TRIED = 6
_MOST_VARIANTS = 24
_COMPOSED = 40
"""Characters from which a text that was not quoted to the agent counts as its own wording."""

Edits = tuple[RowEdit, ...]


class Mutant(NamedTuple):
    """An end state that must be refused."""

    kind: str
    """"other_row", "wrong_value", "twice", "partial", "reverted", "collateral"."""
    description: str
    """What is wrong with it, for people."""
    start: Literal["before", "after"]
    """Which state the edits apply to."""
    variants: tuple[Edits, ...]
    """Edits that make it; the first that the schema allows counts."""


def near_misses(environment: Environment, run: ReferenceRun) -> Iterator[Mutant]:
    """All near-misses of a task's end state, at most `MOST_PER_KIND` of a kind.

    For a task that changes nothing these are damages alone: any change to the world is wrong there.
    """
    maker = _NearMisses(environment, run)
    if run.changes:
        for kind in (maker.other_rows, maker.wrong_values, maker.twice, maker.partial, maker.reverted):
            yield from islice(kind(), MOST_PER_KIND)
    yield from islice(maker.collateral(), MOST_PER_KIND)


class _NearMisses:
    def __init__(self, environment: Environment, run: ReferenceRun) -> None:
        self._run = run
        self._tables: dict[str, Table] = {table.name: table for table in environment.schema.tables}
        self._actor = environment.seed_data.actor
        self._said = _revealed(run)
        self._named = {name for call in run.task.reference_solution for name in call.arguments}
        self._changed = {(change.table, change.key) for change in run.changes.changes}

    def other_rows(self) -> Iterator[Mutant]:
        """The change is made to another row of the table, or a new row belongs to another one."""
        for change in self._run.changes.updated:
            table = self._tables[change.table]
            values = {column: (change.after or {})[column] for column in self._demanded(change)}
            if not values:
                continue
            variants = tuple(
                (undoing(change, table), RowEdit(kind="update", table=table.name, key=key, values=values))
                for key in islice(self._other_keys(change), _ROWS_TRIED)
            )
            yield self._mutant(
                "other_row", f"another row of {table.name} than {change.key} is changed", variants
            )
        for change in self._run.changes.inserted:
            table = self._tables[change.table]
            for column in self._demanded(change):
                if refers(table, column):
                    yield self._with_other_value("other_row", change, column)

    def wrong_values(self) -> Iterator[Mutant]:
        """One cell has another value."""
        for change in (*self._run.changes.inserted, *self._run.changes.updated):
            table = self._tables[change.table]
            for column in self._demanded(change):
                if column not in table.primary_key and (
                    change.kind == "updated" or not refers(table, column)
                ):
                    yield self._with_other_value("wrong_value", change, column)

    def twice(self) -> Iterator[Mutant]:
        """A new row is there twice, a count has moved twice as far."""
        for change in self._run.changes.inserted:
            table = self._tables[change.table]
            copies = tuple((copy,) for copy in self._copies(table, change.after or {}))
            yield self._mutant("twice", f"the new row of {table.name} is there twice", copies)
        for change in self._run.changes.updated:
            for column in self._demanded(change):
                was, now = (change.before or {}).get(column), (change.after or {}).get(column)
                if (
                    isinstance(was, int)
                    and isinstance(now, int)
                    and not refers(self._tables[change.table], column)
                ):
                    edit = self._update(change, {column: now + now - was})
                    yield self._mutant("twice", f"{_place(change)}.{column} moved twice as far", ((edit,),))

    def partial(self) -> Iterator[Mutant]:
        """One of the changes is missing."""
        changes = self._run.changes.changes
        for change in changes:
            table = self._tables[change.table]
            if len(changes) > 1:
                yield self._mutant(
                    "partial", f"{_place(change)} is not {change.kind}", ((undoing(change, table),),)
                )
            demanded = self._demanded(change)
            if change.kind == "updated" and len(demanded) > 1:
                for column in demanded:
                    edit = self._update(change, {column: (change.before or {}).get(column)})
                    yield self._mutant("partial", f"{_place(change)}.{column} is as before", ((edit,),))

    def reverted(self) -> Iterator[Mutant]:
        """What was updated is as before, what was added remains; and the other way round."""
        changes = self._run.changes
        if not (changes.updated and changes.inserted):
            return
        updated = tuple(undoing(change, self._tables[change.table]) for change in changes.updated)
        inserted = tuple(undoing(change, self._tables[change.table]) for change in reversed(changes.inserted))
        yield self._mutant("reverted", "every updated row is as before, new rows remain", (updated,))
        yield self._mutant("reverted", "every new row is gone, updates remain", (inserted,))

    def collateral(self) -> Iterator[Mutant]:
        """The right state, and a row that has nothing to do with it was changed, deleted or added."""
        touched = [table for table in self._tables.values() if any(table.name == t for t, _ in self._changed)]
        others = [table for table in self._tables.values() if table not in touched and self._rows(table)]
        for table in (*touched[:2], *_spread(others, 2)):
            yield self._mutant(
                "collateral", f"an unrelated row of {table.name} is changed too", self._damages(table)
            )
        loose = [table for table in reversed(self._tables.values()) if self._rows(table)]
        deletions = (
            (RowEdit(kind="delete", table=table.name, key=key_of(table, row)),)
            for table in loose
            for row in self._unrelated(table)[-3:]
        )
        yield self._mutant("collateral", "an unrelated row is deleted too", deletions)
        additions = (
            (copy,)
            for table in (*others[::-1], *touched)
            for row in self._unrelated(table)[:3]
            for copy in self._copies(table, row)
        )
        yield self._mutant("collateral", "an unrelated row is added too", additions)

    def _mutant(self, kind: str, description: str, variants: Iterable[Edits]) -> Mutant:
        start: Literal["before", "after"] = "after" if self._run.changes else "before"
        return Mutant(
            kind=kind, description=description, start=start, variants=tuple(islice(variants, _MOST_VARIANTS))
        )

    def _with_other_value(self, kind: str, change: RowChange, column: str) -> Mutant:
        table, right = self._tables[change.table], (change.after or {}).get(column)
        # The value the cell had before is "partial", which is another mutant.
        was = (change.before or {}).get(column, right)
        variants = tuple(
            (self._update(change, {column: value}),)
            for value in islice(other_values(table, column, right, self._run.rows), 12)
            if value != was
        )
        return self._mutant(kind, f"{_place(change)}.{column} is not {right!r}", variants)

    def _update(self, change: RowChange, values: dict[str, Scalar]) -> RowEdit:
        table = self._tables[change.table]
        return RowEdit(
            kind="update", table=change.table, key=key_of(table, change.after or {}), values=values
        )

    def _damages(self, table: Table) -> Iterator[Edits]:
        for row in self._unrelated(table)[:_ROWS_TRIED]:
            for column in table.columns:
                if column.primary_key or column.generated:
                    continue
                for value in islice(
                    other_values(table, column.name, row.get(column.name), self._run.rows), 2
                ):
                    yield (
                        RowEdit(
                            kind="update",
                            table=table.name,
                            key=key_of(table, row),
                            values={column.name: value},
                        ),
                    )

    def _copies(self, table: Table, row: dict[str, Scalar]) -> Iterator[RowEdit]:
        """The row once more under a new key: as it is, and with each of its unique texts made different."""
        values = stored(table, row)
        keys = table.primary_key
        if len(keys) == 1 and isinstance(values.get(keys[0]), int):
            del values[keys[0]]
        elif len(keys) == 1 and keys[0] in values:
            values[keys[0]] = f"{values[keys[0]]}x"
        yield RowEdit(kind="insert", table=table.name, values=values)
        texts = [column for column, value in values.items() if isinstance(value, str)]
        for column in texts[:6]:
            yield RowEdit(kind="insert", table=table.name, values={**values, column: f"{values[column]} x"})

    def _demanded(self, change: RowChange) -> list[str]:
        """Columns of a change that an agent can be asked for."""
        table, after = self._tables[change.table], change.after or {}
        generated = {column.name for column in table.columns if column.generated}
        found = []
        for column in change.columns:
            value = after.get(column)
            if change.kind == "inserted" and (value is None or column in table.primary_key):
                continue
            exempt = (table.name, column) in self._run.volatile or column in generated
            if not (exempt or self._says_who_acted(table, column, value) or self._is_composed(value)):
                found.append(column)
        return found

    def _says_who_acted(self, table: Table, column: str, value: Scalar) -> bool:
        actor = self._actor
        if actor is None or value != actor.key or column in self._named:
            return False
        return any(key.columns == (column,) and key.table == actor.table for key in table.foreign_keys)

    def _is_composed(self, value: Scalar) -> bool:
        """A longer text that nobody showed to the agent: its own words, which no verifier can demand."""
        return isinstance(value, str) and len(value) >= _COMPOSED and value not in self._said

    def _rows(self, table: Table) -> list[dict[str, Scalar]]:
        return self._run.rows.get(table.name, [])

    def _unrelated(self, table: Table) -> list[dict[str, Scalar]]:
        return [row for row in self._rows(table) if (table.name, _key(table, row)) not in self._changed]

    def _other_keys(self, change: RowChange) -> Iterator[dict[str, Scalar]]:
        """Keys of other rows of the table, those that looked like the right one before the change first."""
        table, was = self._tables[change.table], change.before or {}

        def unlike(row: dict[str, Scalar]) -> int:
            return sum(row.get(column) != was.get(column) for column in change.columns)

        for row in sorted(self._unrelated(table), key=unlike):
            yield key_of(table, row)


def _revealed(run: ReferenceRun) -> str:
    """Everything the agent was told: the instruction and what the calls returned."""
    return "\n".join([run.task.instruction, *(str(result.observation()) for result in run.results)])


def _key(table: Table, row: dict[str, Scalar]) -> Scalar | tuple[Scalar, ...]:
    values = tuple(row.get(column) for column in table.primary_key)
    return values[0] if len(values) == 1 else values


def _place(change: RowChange) -> str:
    return f"{change.table} {change.key}"


def _spread(tables: list[Table], count: int) -> list[Table]:
    """Some tables from the whole length of the schema."""
    return tables[:: max(1, len(tables) // count)][:count] if tables else []
