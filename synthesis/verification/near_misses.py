"""Near-misses: end states that look like the right one and are wrong, made by machine from a reference run.

Each is the right end state with some rows edited; a verifier must reject every one of them. None is left
out: every cell of every changed row gets several values, every table is damaged in three ways. Cells that
depend on when the agent acted, that say who acted, or that hold the agent's own words are no part of a wrong
state: no agent can be asked for them. They are edited all the same, as near-misses that a verifier may
accept, so that it is known whether what a verifier says of them is tried by anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, product, zip_longest
from typing import NamedTuple, overload

from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.seed_data import Scalar
from synthesis.documents.state_diff import RowChange
from synthesis.reading.json_values import JsonValues
from synthesis.verification.other_values import invented_rows, other_values, parent_keys, refers
from synthesis.verification.reference_run import ReferenceRun
from synthesis.verification.row_edits import RowEdit, key_of, stored, undoing

_ROWS_TRIED = 6
_OTHER_ROWS = 4
_MOST_VARIANTS = 40
_UNUSED_VALUES = 2
"""Values of a cell that no row has, with each of which a new row is tried once more."""
_CELL_VALUES = 2
"""Values of a cell that is not to change."""
_COMPOSED = 40
"""Characters from which a text that was not quoted to the agent counts as its own wording."""

Edits = tuple[RowEdit, ...]


class Variants(Sequence[Edits]):
    """Ways to make one near-miss, worked out only as far as they are asked for: mostly the first will do.

    Args:
        variants: All of them, most tempting first.
    """

    def __init__(self, variants: Iterable[Edits]) -> None:
        self._rest, self._known = iter(variants), list[Edits]()

    def first(self, count: int) -> list[Edits]:
        """The first so many of them, fewer where there are no more."""
        self._known += islice(self._rest, max(0, count - len(self._known)))
        return self._known[:count]

    def __iter__(self) -> Iterator[Edits]:
        place = 0
        while len(self.first(place + 1)) > place:
            yield self._known[place]
            place += 1

    @overload
    def __getitem__(self, place: int) -> Edits: ...
    @overload
    def __getitem__(self, place: slice) -> list[Edits]: ...
    def __getitem__(self, place: int | slice) -> Edits | list[Edits]:
        if isinstance(place, int) and place >= 0:
            self.first(place + 1)
        else:
            self._known += self._rest
        return self._known[place]

    def __len__(self) -> int:
        self._known += self._rest
        return len(self._known)

    def __bool__(self) -> bool:
        return bool(self.first(1))


class NearMiss(NamedTuple):
    """An end state that must be rejected."""

    kind: str
    """"other_row", "wrong_value", "other_cell", "twice", "partial", "reverted", "collateral"; those that
    calls of tools made have kinds of their own."""
    description: str
    """What is wrong with it, for people."""
    variants: Sequence[Edits]
    """Edits of the right end state that make it; the first that the schema allows counts."""
    required: bool = True
    """Whether a verifier must reject it; it may, in any case."""
    reached: bool = False
    """Whether calls of tools led there."""
    calls: tuple[str, ...] = ()
    """Names of those tools."""


class NearMissMaker:
    """Makes the near-misses of one task's end state that edits of rows lead to.

    Args:
        environment: The design.
        run: The task's reference run.
    """

    def __init__(self, environment: Environment, run: ReferenceRun) -> None:
        self._run = run
        self._tables: dict[str, Table] = {table.name: table for table in environment.schema.tables}
        self._actor = environment.seed_data.actor
        self._composed: dict[str, bool] = {}
        self._named = {name for call in run.task.reference_solution for name in call.arguments}
        self._changed = {(change.table, change.key) for change in run.changes.changes}

    def all(self) -> Iterator[NearMiss]:
        """All of them. Of a task that changes nothing these are damages alone: any change is wrong there."""
        if self._run.changes:
            yield from self.other_rows()
            yield from self.wrong_values()
            yield from self.other_cells()
            yield from self.twice()
            yield from self.partial()
            yield from self.reverted()
        yield from self.collateral()

    def other_rows(self) -> Iterator[NearMiss]:
        """The change is made to another row of the table."""
        for change in self._run.changes.updated:
            table = self._tables[change.table]
            values = {column: (change.after or {})[column] for column in self.demanded(change)}
            for key in islice(self._other_keys(change), _OTHER_ROWS) if values else ():
                named = ", ".join(str(part) for part in key.values())
                yield NearMiss(
                    "other_row",
                    f"{table.name} {named} is changed instead of {change.key}",
                    ((undoing(change, table), RowEdit("update", table.name, key, values)),),
                )
        for change in self._run.changes.deleted:
            table = self._tables[change.table]
            for key in self._neighbours(table, change.before or {}):
                named = ", ".join(str(part) for part in key.values())
                yield NearMiss(
                    "other_row",
                    f"{table.name} {named} is deleted instead of {change.key}",
                    ((undoing(change, table), RowEdit("delete", table.name, key)),),
                )

    def _neighbours(self, table: Table, was: dict[str, Scalar]) -> Iterator[dict[str, Scalar]]:
        """Keys of other rows, the nearest on both sides of the right one by each column of the key."""
        right = key_of(table, was)
        keys = [key_of(table, row) for row in self._unrelated(table)]
        chosen: list[dict[str, Scalar]] = []
        for column, side in product(right, (-1, 1)):
            beside = (key for key in keys if _compared(key[column], right[column]) == side)
            nearest = max(beside, key=lambda key: len(key.items() & right.items()), default=None)
            if nearest is not None and nearest not in chosen:
                chosen.append(nearest)
        yield from chosen

    def wrong_values(self) -> Iterator[NearMiss]:
        """One cell that was changed has another value."""
        for change in (*self._run.changes.inserted, *self._run.changes.updated):
            table, demanded = self._tables[change.table], self.demanded(change)
            for column in change.columns:
                if column in _numbering(table, change) or _generated(table, column):
                    continue
                right = (change.after or {}).get(column)
                kind = "other_row" if change.kind == "inserted" and refers(table, column) else "wrong_value"
                for value in other_values(table, column, right, self._run.rows):
                    yield NearMiss(
                        kind,
                        f"{_place(change)}.{column} is {value!r} instead of {right!r}",
                        ((self._update(change, {column: value}),),),
                        required=column in demanded and not _same_in_form(value, right),
                    )

    def other_cells(self) -> Iterator[NearMiss]:
        """A cell of an updated row that was to stay has another value."""
        for change in self._run.changes.updated:
            table = self._tables[change.table]
            for column in (each.name for each in table.columns):
                if column in (*change.columns, *table.primary_key) or _generated(table, column):
                    continue
                was = (change.after or {}).get(column)
                values = other_values(table, column, was, self._run.rows)
                for value in islice(values, _CELL_VALUES * 4):
                    yield NearMiss(
                        "other_cell",
                        f"{_place(change)}.{column} is {value!r} and no longer {was!r}",
                        ((self._update(change, {column: value}),),),
                        required=(change.table, column) not in self._run.volatile,
                    )

    def twice(self) -> Iterator[NearMiss]:
        """A new row is there twice, a number has moved twice as far."""
        for change in self._run.changes.inserted:
            table = self._tables[change.table]
            copies = tuple((copy,) for copy in self._copies(table, change.after or {}))
            yield self._first("twice", f"the new row {_place(change)} is there twice", copies)
        for change in self._run.changes.updated:
            for column in self.demanded(change):
                was, now = (change.before or {}).get(column), (change.after or {}).get(column)
                if (
                    isinstance(was, int)
                    and isinstance(now, int)
                    and not refers(self._tables[change.table], column)
                ):
                    edit = self._update(change, {column: now + now - was})
                    yield self._first("twice", f"{_place(change)}.{column} moved twice as far", ((edit,),))

    def partial(self) -> Iterator[NearMiss]:
        """One of the changes is missing."""
        changes = self._run.changes.changes
        for change in changes:
            table = self._tables[change.table]
            if len(changes) > 1 and (change.kind != "updated" or self.demanded(change)):
                yield self._first(
                    "partial", f"{_place(change)} is not {change.kind}", ((undoing(change, table),),)
                )
            if change.kind == "updated" and len(change.columns) > 1:
                demanded = self.demanded(change)
                for column in change.columns:
                    edit = self._update(change, {column: (change.before or {}).get(column)})
                    yield NearMiss(
                        "partial",
                        f"{_place(change)}.{column} is as before",
                        ((edit,),),
                        required=column in demanded,
                    )

    def reverted(self) -> Iterator[NearMiss]:
        """What was updated is as before, what was added remains; and the other way round."""
        changes = self._run.changes
        if not (changes.updated and changes.inserted):
            return
        updated = tuple(undoing(change, self._tables[change.table]) for change in changes.updated)
        inserted = tuple(undoing(change, self._tables[change.table]) for change in reversed(changes.inserted))
        yield self._first("reverted", "every updated row is as before, new rows remain", (updated,))
        yield self._first("reverted", "every new row is gone, updates remain", (inserted,))

    def collateral(self) -> Iterator[NearMiss]:
        """The right state, and a row that has nothing to do with it was changed, deleted or added, in every
        table."""
        for table in self._tables.values():
            row = f"an unrelated row of {table.name} is"
            yield self._first("collateral", f"{row} changed too", self._damages(table))
            yield self._first("collateral", f"{row} deleted too", self._deletions(table))
            yield self._first("collateral", f"{row} added too", self._additions(table))

    def _first(self, kind: str, description: str, variants: Iterable[Edits]) -> NearMiss:
        return NearMiss(kind, description, Variants(islice(variants, _MOST_VARIANTS)))

    def _update(self, change: RowChange, values: dict[str, Scalar]) -> RowEdit:
        table = self._tables[change.table]
        return RowEdit("update", change.table, key_of(table, change.after or {}), values)

    def _damages(self, table: Table) -> Iterator[Edits]:
        for row in self._unrelated(table)[:_ROWS_TRIED]:
            for column in table.columns:
                if column.primary_key or column.generated:
                    continue
                values = other_values(table, column.name, row.get(column.name), self._run.rows)
                for value in islice(values, 2):
                    yield (RowEdit("update", table.name, key_of(table, row), {column.name: value}),)

    def _deletions(self, table: Table) -> Iterator[Edits]:
        for row in self._unrelated(table)[-_ROWS_TRIED:]:
            yield (RowEdit("delete", table.name, key_of(table, row)),)

    def _additions(self, table: Table) -> Iterator[Edits]:
        for row in self._unrelated(table)[:3] or self._rows(table)[:3]:
            for copy in self._copies(table, row):
                yield (copy,)
        for row in () if self._rows(table) else invented_rows(table, self._run.rows):
            yield (RowEdit("insert", table.name, values=row),)

    def _copies(self, table: Table, row: dict[str, Scalar]) -> Iterator[RowEdit]:
        """The row once more under a new key: as it is, then with one cell different, which may be unique."""
        values = self._under_new_key(table, stored(table, row))
        yield RowEdit("insert", table.name, values=values)
        texts = [column for column, value in values.items() if isinstance(value, str)]
        for column in texts[:6]:
            yield RowEdit("insert", table.name, values={**values, column: f"{values[column]} x"})
        others = [self._unused(table, column, value) for column, value in values.items()]
        for same_rank in zip_longest(*others):
            for column, value in zip(values, same_rank, strict=True):
                if value is not None:
                    yield RowEdit("insert", table.name, values={**values, column: value})

    def _under_new_key(self, table: Table, values: dict[str, Scalar]) -> dict[str, Scalar]:
        """A row's values without its number, or with another text for its key."""
        keys = table.primary_key
        if len(keys) != 1 or keys[0] not in values:
            return values
        key = values[keys[0]]
        if isinstance(key, int):
            return {column: value for column, value in values.items() if column != keys[0]}
        return {**values, keys[0]: f"{key}x"}

    def _unused(self, table: Table, column: str, value: Scalar) -> list[Scalar]:
        """Other values of a cell that no row has yet, so that a unique column takes them."""
        taken = {row.get(column) for row in self._rows(table)}
        others = chain(
            parent_keys(table, column, self._run.rows), other_values(table, column, value, self._run.rows)
        )
        unused = (other for other in others if other is not None and other not in taken)
        return list(islice(unused, _UNUSED_VALUES))

    def demanded(self, change: RowChange) -> list[str]:
        """Columns of a change that an agent can be asked for."""
        table, after = self._tables[change.table], change.after or {}
        texts = []
        for column in change.columns:
            value = after.get(column)
            if change.kind == "inserted" and (value is None or column in table.primary_key):
                continue
            exempt = (table.name, column) in self._run.volatile or _generated(table, column)
            if not (exempt or self._says_who_acted(table, column, value) or self._is_composed(value)):
                texts.append(column)
        return texts

    def _says_who_acted(self, table: Table, column: str, value: Scalar) -> bool:
        actor = self._actor
        if actor is None or value != actor.key or column in self._named:
            return False
        return any(key.columns == (column,) and key.table == actor.table for key in table.foreign_keys)

    def _is_composed(self, value: Scalar) -> bool:
        """A longer text that nobody showed to the agent before it wrote it: no verifier can demand that."""
        if not isinstance(value, str) or len(value) < _COMPOSED:
            return False
        if value not in self._composed:
            self._composed[value] = value not in _revealed_before(self._run, value)
        return self._composed[value]

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


def _revealed_before(run: ReferenceRun, text: str) -> str:
    """What the agent was told until it wrote a text into a call: the instruction, and what calls returned."""
    texts = [run.task.instruction]
    for call, result in zip(run.task.reference_solution, run.results, strict=True):
        if any(given == text for _, given in JsonValues([call.arguments]).texts):
            break
        texts.append(str(result.observation()))
    return "\n".join(texts)


def _compared(one: Scalar, other: Scalar) -> int:
    """-1, 0 or 1 for a value below, at or above another; by their texts where they cannot be compared."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return (one > other) - (one < other)
    return (str(one) > str(other)) - (str(one) < str(other))


def _generated(table: Table, column: str) -> bool:
    return any(each.name == column and each.generated for each in table.columns)


def _numbering(table: Table, change: RowChange) -> tuple[str, ...]:
    """Key columns that say nothing but which row it is; not a new row's own text or composite key."""
    keys = table.primary_key
    is_known = len(keys) > 1 or any(isinstance((change.after or {}).get(key), str) for key in keys)
    return () if change.kind == "inserted" and is_known else keys


def _same_in_form(value: Scalar, right: Scalar) -> bool:
    """Whether two texts differ in case, blanks and signs only, or are one number written in two ways."""
    if not isinstance(value, str) or not isinstance(right, str):
        return False
    return _plain(value) == _plain(right) or (
        bool(_PHONE.fullmatch(right)) and _digits(value) == _digits(right)
    )


_PHONE = re.compile(r"[+(]?\d[\d ()./-]{4,}")


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdigit())


def _key(table: Table, row: dict[str, Scalar]) -> Scalar | tuple[Scalar, ...]:
    values = tuple(row.get(column) for column in table.primary_key)
    return values[0] if len(values) == 1 else values


def _place(change: RowChange) -> str:
    return f"{change.table} {change.key}"
