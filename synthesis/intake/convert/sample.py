"""Sample: the rows that came along with a foreign model, anonymised and referentially closed."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Row, Scalar, SeedData
from synthesis.intake.convert.anonymise import Anonymiser, Treatment, of_people, treatment
from synthesis.intake.convert.cells import NotAValue, converted_value
from synthesis.intake.convert.column_contents import Look, look_of, names_emails
from synthesis.intake.convert.converted_table import ConvertedColumn, ConvertedTable
from synthesis.intake.convert.schema_converter import Reference, SchemaConverter
from synthesis.intake.notes import Notes
from synthesis.worlds.database import seed_findings

_MOST_PASSES = 20
Rows = dict[str, list[Row]]


def convert_rows(converter: SchemaConverter, schema: Schema, *, seed: int, notes: Notes) -> SeedData | None:
    """The rows that the foreign tables hold, as seed data that loads; None when there are none.

    Args:
        converter: The tables; their sources contain the rows.
        schema: What the tables became.
        seed: Seed of the values that stand in for personal ones.
        notes: Where it is told what was replaced and which rows stayed behind.
    """
    if not any(table.source.rows for table in converter.tables.values()):
        return None
    rows = _Sample(converter, seed, notes).rows()
    left = _close(converter, rows) + _loadable(schema, rows)
    for name, count in left.items():
        notes.add(
            "rows_stay_behind",
            f"{name}: {count} of the sampled rows were left out, because they name rows that are not here or "
            "break a constraint of the table.",
            where=f"{name}: sampled rows",
            part="seed_data",
            warn=False,
        )
    entries = {name: tuple(results) for name, results in rows.items() if results}
    return SeedData(rows=entries) if entries else None


def latest(converter: SchemaConverter, seed_data: SeedData | None) -> datetime | None:
    """The morning after the latest moment that rows speak of; None where they speak of none."""
    texts: list[str] = []
    for table in converter.tables.values():
        moments = [one.name for one in table.columns.values() if one.kind.name in ("moment", "day")]
        for row in seed_data.rows.get(table.name, ()) if seed_data is not None else ():
            texts += [str(value) for name in moments if (value := row.get(name)) is not None]
    plausible = [text for text in texts if "1990" <= text[:4] <= "2100"]
    if not plausible:
        return None
    return (datetime.fromisoformat(max(plausible)) + timedelta(days=1)).replace(hour=8, minute=30, second=0)


class _Sample:
    def __init__(self, converter: SchemaConverter, seed: int, notes: Notes) -> None:
        self._converter, self._notes = converter, notes
        self._anonymiser = Anonymiser(seed=seed)
        self._ordinal = 0
        self._contents: dict[tuple[str, str], Look | None] = {}

    def rows(self) -> Rows:
        return {table.name: self._of(table) for table in self._converter.ordered()}

    def _of(self, table: ConvertedTable) -> list[Row]:
        ways = {name: self._way(table, name, column) for name, column in table.columns.items()}
        results = [self._row(table, row, ways) for row in table.source.rows]
        return [row for row in results if row is not None]

    def _way(self, table: ConvertedTable, name: str, column: ConvertedColumn) -> Treatment:
        """A foreign key's values are dealt with like those they refer to, so that they still fit."""
        owner, target = table, column
        for _ in range(10):
            step = self._followed(owner, target)
            if step is None:
                break
            owner, target = step
        if target.name in owner.key and owner is table and column.kind.name == "integer":
            return "keep"
        source = target.source.name if target.source is not None else name
        people = of_people(owner.name, owner.source.columns) or self._emails(owner) is not None
        way = treatment(source, target.kind.name, people=people)
        if way in ("keep", "text") and target.kind.name in ("text", "integer"):
            way = self._look(owner, target) or way
        if way in ("text", "secret", "document", "link") and _is_key(self._converter, owner, target):
            way = "keep" if way in ("text", "link") else "secret"
        if way != "keep":
            place = f"{table.source.name}.{name}"
            what = "withheld" if way == "secret" else f"replaced ({way.replace('_', ' ')})"
            self._notes.add(
                "personal_values_are_replaced",
                f"{place}: values of the sample are {what}.",
                where=place,
                part="seed_data",
                warn=False,
            )
        return way

    def _look(self, table: ConvertedTable, column: ConvertedColumn) -> Look | None:
        """What the values look like, where the name says nothing of people."""
        if column.source is None or (column.name in table.key and column.kind.name == "integer"):
            return None
        place = (table.name, column.name)
        if place not in self._contents:
            values = [row.get(column.source.name) for row in table.source.rows]
            look = look_of(values)
            emails = self._emails(table) if look is None and column.kind.name == "text" else None
            named = emails is not None and names_emails(values, emails)
            self._contents[place] = "name" if named else look
        result = self._contents[place]
        return result if column.kind.name == "text" or result == "number" else None

    def _emails(self, table: ConvertedTable) -> list[Any] | None:
        """The first column of e-mail addresses, row by row."""
        for column in table.columns.values():
            if column.source is not None and column.kind.name == "text":
                values = [row.get(column.source.name) for row in table.source.rows]
                if look_of(values) == "email":
                    return values
        return None

    def _followed(
        self, table: ConvertedTable, column: ConvertedColumn
    ) -> tuple[ConvertedTable, ConvertedColumn] | None:
        for one in self._converter.references[table.name]:
            if column.name in one.columns:
                target = self._converter.named(one.table)
                converted_column = target.column(one.references[one.columns.index(column.name)])
                return None if target is table and converted_column is column else (target, converted_column)
        return None

    def _row(self, table: ConvertedTable, source: dict[str, Any], ways: dict[str, Treatment]) -> Row | None:
        values: Row = {}
        self._ordinal += 1
        for name, column in table.columns.items():
            if column.computed is not None or (column.source is None and name == ""):
                continue
            try:
                value = converted_value(source.get(name), column.kind.name)
            except NotAValue:
                value = None
            given = self._given(column, value, ways[name])
            if given is None and column.not_null:
                return None
            values[column.name] = given
        return values

    def _given(self, column: ConvertedColumn, value: Scalar, way: Treatment) -> Scalar:
        if way == "secret":
            if not column.not_null:
                return None
            if column.kind.name == "uuid":
                return f"00000000-0000-0000-0000-{self._ordinal:012d}"
            if column.kind.name == "json":
                return "{}"
            return self._ordinal if column.kind.name == "integer" else f"withheld-{self._ordinal}"
        if way == "keep" and column.kind.name != "text":
            return value
        result = self._anonymiser.replace(value, way, longest=column.longest)
        return int(result) if isinstance(result, bool) else result


def _is_key(converter: SchemaConverter, table: ConvertedTable, column: ConvertedColumn) -> bool:
    named = any(
        one.table == table.name and column.name in one.references
        for references in converter.references.values()
        for one in references
    )
    return named or column.name in table.key


def _close(converter: SchemaConverter, rows: Rows) -> Counter[str]:
    """Leave out rows whose foreign keys name no row; where the key may be NULL, it is, instead."""
    left: Counter[str] = Counter()
    for _ in range(_MOST_PASSES):
        changed = False
        for name, references in converter.references.items():
            for one in references:
                changed |= _close_one(converter.named(name), one, rows, left)
        if not changed:
            break
    return left


def _close_one(table: ConvertedTable, one: Reference, rows: Rows, left: Counter[str]) -> bool:
    there = {tuple(row.get(name) for name in one.references) for row in rows.get(one.table, ())}
    nullable = next((name for name in one.columns if not table.column(name).not_null), None)
    remaining: list[Row] = []
    changed = False
    for row in rows.get(table.name, ()):
        texts = tuple(row.get(name) for name in one.columns)
        if None in texts or texts in there:
            remaining.append(row)
            continue
        changed = True
        if nullable is not None:
            remaining.append({**row, nullable: None})
        else:
            left[table.name] += 1
    rows[table.name] = remaining
    return changed


def _loadable(schema: Schema, rows: Rows) -> Counter[str]:
    """Leave out rows that the database refuses, until it takes them all."""
    left: Counter[str] = Counter()
    for _ in range(_MOST_PASSES):
        findings = seed_findings(
            schema, SeedData(rows={name: tuple(matches) for name, matches in rows.items()})
        )
        if not findings:
            return left
        refused: dict[str, set[int]] = {}
        for finding in findings:
            number = finding.evidence.get("row") if isinstance(finding.evidence, dict) else None
            whole = range(1, len(rows.get(finding.where, ())) + 1)
            refused.setdefault(finding.where, set()).update([number] if isinstance(number, int) else whole)
        for name, numbers in refused.items():
            results = rows.get(name, [])
            rows[name] = [row for number, row in enumerate(results, start=1) if number not in numbers]
            left[name] += len(results) - len(rows[name])
    left.update({name: len(hits) for name, hits in rows.items()})
    rows.clear()
    return left
