"""Seeding: rows for every table of a schema: they refer to each other, differ where they must, and load."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime

from synthesis.documents.schema import ForeignKey, Schema
from synthesis.documents.seed_data import SeedData
from synthesis.procedural.composing.skew import skewed
from synthesis.procedural.derived.data_model import DataModel
from synthesis.procedural.derived.field_values import FieldValues
from synthesis.procedural.derived.moments import in_time, is_of_nobody, states_with
from synthesis.procedural.derived.relation import NUMBERS, Field, Pointer, Relation, Value
from synthesis.worlds.database import seed_findings

Row = dict[str, Value]
ATTEMPTS = 40
"""How often a row is drawn again that breaks a rule of uniqueness."""
ROUNDS = 60
"""How often it is looked which rows the database turns away; it names 50 at a time."""
PATIENCE = 8
"""How often the rows of one table are drawn again before they are left out."""
UNREFERENCED_FROM = 6
"""Rows of a table from which on the last two are left alone, so that some can be deleted."""
MOST_SAMPLED = 60
"""Sample rows of one table that are kept."""
MOST_ROWS = 1_500


class Seeding:
    """Fills the tables of one data model.

    Args:
        model: The tables.
        schema: Their DDL, to try rows on.
        clock: The world's time.
        rng: Where chance comes from.
        samples: Rows to begin with, if there are any.
    """

    def __init__(
        self, model: DataModel, schema: Schema, clock: datetime, rng: random.Random, samples: SeedData | None
    ) -> None:
        self.model, self.schema, self.rng = model, schema, rng
        self.values = FieldValues(clock, rng)
        self.samples = samples.rows if samples else {}
        self.rows: dict[str, list[Row]] = {}
        self.keys: dict[str, list[Value]] = {}
        """Keys that rows yet to be made will have, so that tables may refer to each other in a circle."""
        self.given: dict[str, int] = {}
        """How many rows of a table came from the samples."""
        self.unfilled: list[str] = []
        """Tables of which no row could be made."""

    def rows_of_all(self) -> SeedData:
        """Rows of all tables; `unfilled` names the tables without any afterwards."""
        for number, relation in enumerate(self.model.relations.values()):
            remaining = [dict(row) for row in self.samples.get(relation.table, ())[:MOST_SAMPLED]]
            self.rows[relation.table] = remaining
            self.given[relation.table] = len(remaining)
            self._foresee_keys(relation, number, self._wanted(relation) - len(remaining))
        for relation in self.model.relations.values():
            self._fill(relation)
        self._repair()
        self.unfilled = [table for table, rows in self.rows.items() if not rows]
        return self._seed_data()

    def _seed_data(self) -> SeedData:
        return SeedData(rows={table: tuple(rows) for table, rows in self.rows.items()})

    def _wanted(self, relation: Relation) -> int:
        """How many rows a table is to have: parts the most, what little else is kept about the fewest."""
        many = len(self.model.relations)
        scale = 1.0 if many <= 30 else 0.6 if many <= 80 else 0.35
        refs = len([key for key in relation.foreign_keys if key.table != relation.table])
        asked = len([f for f in relation.fields if f.asked])
        if refs >= 1 and relation.owner:
            count = self.rng.randint(22, 28)
        elif refs:
            count = self.rng.randint(14, 20)
        else:
            count = self.rng.randint(5, 7) if asked <= 3 else self.rng.randint(9, 13)
        return max(3, int(count * scale))

    def _foresee_keys(self, relation: Relation, number: int, count: int) -> None:
        if not relation.generated_key:
            return
        only = relation.key[0]
        known = [row.get(only.column) for row in self.rows[relation.table]]
        numbers = [value for value in known if isinstance(value, int)]
        if only.kind in ("uuid", "code"):
            self._foresee_texts(relation, count)
            return
        first = max(numbers, default=100 * (number + 1)) + 1
        if only.high is not None and first + count > only.high:
            first = max(int(only.low or 1), max(numbers, default=0) + 1)
        self.keys[relation.table] = [self.values.fitted(only, first + place) for place in range(count)]

    def _foresee_texts(self, relation: Relation, count: int) -> None:
        only = relation.key[0]
        taken = {row.get(only.column) for row in self.rows[relation.table]}
        values: dict[Value, None] = {}
        for _ in range(max(0, count) * ATTEMPTS):
            value = self.values.draw(relation, only, {})
            if value not in taken and len(values) < count:
                values[value] = None
        self.keys[relation.table] = list(values)

    def _fill(self, relation: Relation) -> None:
        """Top up one table."""
        results = self.rows[relation.table]
        wanted = self._wanted(relation) if relation.table not in self.keys else 0
        keys: list[Value] = self.keys.get(relation.table, [None] * max(0, wanted - len(results)))
        seen = _Seen(relation, results)
        for key in keys:
            row = self._distinct(relation, key, seen)
            if row is not None:
                results.append(row)
                seen.add(row)

    def _distinct(self, relation: Relation, key: Value, seen: _Seen) -> Row | None:
        for attempt in range(ATTEMPTS):
            row = self._row(relation, key, prefer_literals=False)
            if row is None:
                continue
            if attempt > ATTEMPTS // 2:
                self._vary(relation, row)
            if not seen.clashes(row):
                return row
        return None

    def _vary(self, relation: Relation, row: Row) -> None:
        """Make texts that have to be unique longer, once plain ones are used up."""
        for field in relation.fields:
            value = row.get(field.column)
            if (
                field.unique
                and isinstance(value, str)
                and field.kind in ("name", "word", "company", "city", "country")
            ):
                row[field.column] = self.values.fitted(field, f"{value} {self.rng.randint(2, 99)}")

    def _row(self, relation: Relation, key: Value, *, prefer_literals: bool) -> Row | None:
        row: Row = {}
        if key is not None:
            row[relation.key[0].column] = key
        for foreign in sorted(relation.foreign_keys, key=lambda k: -len(k.columns)):
            if not self._refer(relation, foreign, row):
                return None
        for field in _earlier_first(relation):
            if field.column in row or field.kind in ("computed", "ref", "pointer"):
                continue
            value = self._value(relation, field, row, prefer_literals=prefer_literals)
            row[field.column] = in_time(
                field, value, self._referred(relation, row), self.values.clock, self.rng
            )
        for pointer in relation.pointers:
            self._point(relation, pointer, row)
        return {f.column: row[f.column] for f in relation.fields if f.column in row}

    def _referred(self, relation: Relation, row: Row) -> Iterator[tuple[Relation, Row]]:
        """The rows that a row refers to by one column."""
        for field in relation.refs:
            for other in self.rows[field.target] if field.target != relation.table else ():
                if row.get(field.column) is not None and other[field.target_column] == row[field.column]:
                    yield self.model.relations[field.target], other

    def _point(self, relation: Relation, pointer: Pointer, row: Row) -> None:
        """Name a row of one of the tables that are meant, or none where there is none or need not be."""
        columns = (pointer.type_column, pointer.key_column)
        row.update(dict.fromkeys(columns))
        optional = all(relation.field(column).nullable for column in columns)
        filled = [(value, keys) for value, table in pointer.tables if (keys := self._keys_of(table))]
        if filled and not (optional and self.rng.random() < 0.1):
            value, keys = self.rng.choice(filled)
            row.update(zip(columns, (value, self.rng.choice(keys)), strict=True))

    def _keys_of(self, table: str) -> list[Value]:
        """Keys of the rows that a table has or is going to have."""
        (only,) = self.model.relations[table].key
        return [row.get(only.column) for row in self.rows[table]] or self.keys.get(table, [])

    def _value(self, relation: Relation, field: Field, row: Row, *, prefer_literals: bool) -> Value:
        if field.kind == "blob" and field.nullable:
            return None
        if is_of_nobody(relation, field, row):
            return None
        states = states_with(relation, field)
        state = row.get(relation.state.column) if relation.state is not None and states else None
        if state is not None:
            return self.values.draw(relation, field, row) if state in states else None
        if (
            field.nullable
            and field.column not in relation.label
            and self.rng.random() < self._emptiness(relation, field)
        ):
            return None
        pool = [v for v in relation.literals.get(field.column, ()) if _suits(field, v)]
        if prefer_literals and pool and self.rng.random() < 0.6:
            return self.values.fitted(field, self.rng.choice(pool))
        near = self._near_miss(relation, field)
        return near if near is not None else self.values.draw(relation, field, row)

    def _emptiness(self, relation: Relation, field: Field) -> float:
        if field.column in dict(relation.stamps):
            return 0.45
        return 0.5 if field.column in relation.checked else 0.12

    def _near_miss(self, relation: Relation, field: Field) -> Value:
        """Now and then a name that begins like another one, so that a careless look finds the wrong row."""
        if field.kind not in ("name", "company", "full_name") or self.rng.random() > 0.15:
            return None
        others = [row.get(field.column) for row in self.rows[relation.table]]
        texts = [text for text in others if isinstance(text, str) and " " in text]
        if not texts or field.longest:
            return None
        fresh = self.values.draw(relation, field, {})
        return f"{self.rng.choice(texts).split(' ', maxsplit=1)[0]} {str(fresh).rpartition(' ')[2]}"

    def _refer(self, relation: Relation, foreign: ForeignKey, row: Row) -> bool:
        """Choose the row that a foreign key names, in keeping with what the row holds already."""
        fields = [relation.by_column[column] for column in foreign.columns]
        pairs = list(zip(foreign.columns, foreign.references, strict=True))
        fixed = {theirs: row[ours] for ours, theirs in pairs if ours in row}
        parents = list(self._parents(relation, foreign, row))
        if len(parents) >= UNREFERENCED_FROM and foreign.table != relation.table:
            parents = parents[:-2]
        fitting = [p for p in parents if all(p.get(c) == v for c, v in fixed.items())]
        optional = [f for f in fields if f.nullable and f.column not in row]
        if optional and (not fitting or self.rng.random() < 0.15):
            row[optional[0].column] = None
            row.update({f.column: None for f in optional})
            return True
        if not fitting:
            return False
        parent = skewed(self.rng, fitting) if len(fields) == 1 else self.rng.choice(fitting)  # type: ignore[arg-type]
        row.update({ours: parent[theirs] for ours, theirs in pairs})
        return True

    def _parents(self, relation: Relation, foreign: ForeignKey, row: Row) -> Iterator[Mapping[str, Value]]:
        results = self.rows[foreign.table]
        if foreign.table == relation.table and not results:
            if all(relation.by_column[column].nullable for column in foreign.columns):
                return
            own = {c: row.get(c) for c in foreign.references}
            if None not in own.values():
                yield own
            return
        yield from results
        foreseen = self.keys.get(foreign.table, [])
        only = self.model.relations[foreign.table].key
        if not results and foreseen and foreign.references == (only[0].column,):
            yield from ({only[0].column: key} for key in foreseen)

    def _repair(self) -> None:
        """Draw again, and at last leave out, the rows that the database turns away."""
        failed: Counter[str] = Counter()
        for _ in range(ROUNDS):
            broken = self._turned_away()
            if not broken and not self._dangling():
                return
            for table, places in broken.items():
                failed[table] += 1
                self._mend(table, places, give_up=failed[table] > PATIENCE)
            while dangling := self._dangling():
                for table, places in dangling.items():
                    self._mend(table, places, give_up=True)

    def _mend(self, table: str, places: set[int], *, give_up: bool) -> None:
        relation, rows = self.model.relations[table], self.rows[table]
        seen = _Seen(relation, [row for place, row in enumerate(rows) if place not in places])
        for place in sorted(places, reverse=True):
            fresh = self._again(relation, rows[place], seen) if not give_up else None
            if fresh is None:
                del rows[place]
            else:
                rows[place] = fresh
                seen.add(fresh)

    def _dangling(self) -> dict[str, set[int]]:
        """Rows by table and place that refer to rows which are not there."""
        results: dict[str, set[int]] = {}
        for relation in self.model.relations.values():
            for key in relation.foreign_keys:
                there = {tuple(row.get(c) for c in key.references) for row in self.rows[key.table]}
                for place, row in enumerate(self.rows[relation.table]):
                    values = tuple(row.get(c) for c in key.columns)
                    if None not in values and values not in there:
                        results.setdefault(relation.table, set()).add(place)
            for pointer in relation.pointers:
                keys = {value: set(self._keys_of(table)) for value, table in pointer.tables}
                for place, row in enumerate(self.rows[relation.table]):
                    if place < self.given[relation.table]:
                        continue  # what a sample row points to need not have come with it
                    kind, only = row.get(pointer.type_column), row.get(pointer.key_column)
                    if isinstance(kind, str) and kind in keys and only not in keys[kind]:
                        results.setdefault(relation.table, set()).add(place)
        return results

    def _again(self, relation: Relation, row: Row, seen: _Seen) -> Row | None:
        key = row.get(relation.key[0].column) if relation.generated_key else None
        for _ in range(ATTEMPTS):
            fresh = self._row(relation, key, prefer_literals=True)
            if fresh is not None and not seen.clashes(fresh):
                return fresh
        return None

    def _turned_away(self) -> dict[str, set[int]]:
        results: dict[str, set[int]] = {}
        for finding in seed_findings(self.schema, self._seed_data()):
            details = finding.evidence if isinstance(finding.evidence, dict) else {}
            number = details.get("row")
            table = finding.where
            if "FOREIGN KEY" in finding.message:
                continue
            if isinstance(number, int) and table in self.rows:
                results.setdefault(table, set()).add(number - 1)
        return results


class _Seen:
    """Values that must not come twice in one table."""

    def __init__(self, relation: Relation, rows: list[Row]) -> None:
        key = tuple(field.column for field in relation.key)
        self.sets = [columns for columns in (key, *relation.uniques) if columns]
        if relation.label and relation.label not in self.sets and not _is_repeatable(relation):
            self.sets.append(relation.label)
        self.known: list[Counter[tuple[Value, ...]]] = [Counter() for _ in self.sets]
        for row in rows:
            self.add(row)

    def clashes(self, row: Row) -> bool:
        """Whether the row has the same values as another one where it must not."""
        return any(
            known[self._of(columns, row)] for columns, known in zip(self.sets, self.known, strict=True)
        )

    def add(self, row: Row) -> None:
        """Take a row in."""
        for columns, known in zip(self.sets, self.known, strict=True):
            values = self._of(columns, row)
            if None not in values:
                known[values] += 1

    def _of(self, columns: tuple[str, ...], row: Row) -> tuple[Value, ...]:
        return tuple(v.lower() if isinstance(v := row.get(c), str) else v for c in columns)


def _suits(field: Field, value: str | float) -> bool:
    """Whether a literal of a CHECK may be a value of a field of that kind."""
    if field.kind in NUMBERS:
        return not isinstance(value, str)
    return isinstance(value, str) and field.kind in (
        "word",
        "text",
        "code",
        "name",
        "country",
        "region",
        "city",
    )


def _is_repeatable(relation: Relation) -> bool:
    """Whether rows may well share their label: those that belong to others, such as tracks of albums."""
    return (
        len(relation.refs) > 0
        and len(relation.label) == 1
        and relation.field(relation.label[0]).kind == "word"
    )


def _earlier_first(relation: Relation) -> list[Field]:
    """The fields in their order, but what comes before another in time is known when that is drawn."""
    results: dict[str, Field] = {}
    begun: set[str] = set()

    def take(column: str) -> None:
        if column in begun:  # taken, or in a circle, which no order can satisfy
            return
        begun.add(column)
        for one, other in relation.before:
            if other == column:
                take(one)
        results[column] = relation.field(column)

    stated = [relation.state] if relation.state is not None else []  # it tells what else has happened
    for field in (*stated, *relation.fields):
        take(field.column)
    return list(results.values())
