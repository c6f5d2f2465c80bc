"""SeedRows: the rows a world starts with: they fit the schema, the rules of their states, and each other."""

from __future__ import annotations

import re
from datetime import datetime

from synthesis.documents.seed_data import Actor, SeedData
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.column_values import ColumnValues, Row, Value, skewed
from synthesis.procedural.entity import Column, Entity

TRIES = 60
"""How often a row is drawn again that would break a uniqueness rule or overlap another."""


def seed_data(made: Blueprint, salt: int = 0) -> SeedData:
    """The rows of every table in load order, and the clerk the agent acts for."""
    drawing = SeedRows(made, salt)
    rows = drawing.all()
    first = drawing.rows[made.actor.key][0]["id"]
    return SeedData(rows=rows, actor=Actor(table=made.actor.table, key=first))


class SeedRows:
    """Draws the rows of one environment, by column key first.

    Args:
        made: The blueprint.
        salt: Another number draws other rows.
    """

    def __init__(self, made: Blueprint, salt: int = 0) -> None:
        self.made = made
        self.rng = made.random("seed_rows", salt)
        self.values = ColumnValues(made, self.rng)
        self.rows: dict[str, list[Row]] = {}
        places = self.rng.sample(range(1, len(made.entities) + 10), len(made.entities))
        self.first_keys = dict(zip(made.entities, (100 * place + 1 for place in places), strict=True))
        """Keys of different tables never meet, so that one number cannot be taken for another's row."""
        self.limits = _limits(made)

    def all(self) -> dict[str, tuple[Row, ...]]:
        """Rows by table, under the schema's column names, with keys from 1."""
        for entity in self.made.entities.values():
            self.rows[entity.key] = self._of(entity)
        for entity in self.made.entities.values():
            self._sum_up(entity)
        return {
            entity.table: tuple(
                {"id": row["id"], **{c.name: row[c.key] for c in entity.columns}}
                for row in self.rows[entity.key]
            )
            for entity in self.made.entities.values()
        }

    def _of(self, entity: Entity) -> list[Row]:
        made: list[Row] = []
        for parent in self._parents(entity):
            for _ in range(TRIES):
                row = self._row(entity, parent)
                if row is not None and self._fits(entity, row, made):
                    made.append(row)
                    break
        if entity.spec.family == "party":
            self._namesake(entity, made)
        if entity.spec.family in ("document", "log") and entity.spec.order:
            made.sort(key=lambda row: str(row[entity.spec.order]))
        self._number(entity, made)
        if entity.spec.family == "staff" and made:
            made[0]["active"] = 1
        return made

    def _parents(self, entity: Entity) -> list[Row]:
        """For each row to make, the row it belongs to; an empty one where it stands alone."""
        spec = entity.spec
        if not spec.per:
            return [{}] * max(1, round(self.rng.randint(*spec.rows) * self.made.size.rows))
        found: list[Row] = []
        for row in self.rows[spec.per]:
            if not spec.per_states or row["status"] in spec.per_states:
                found += [row] * self.rng.randint(*spec.each)
        return found

    def _row(self, entity: Entity, parent: Row) -> Row | None:
        row: Row = {}
        if entity.states:
            row["status"] = self.rng.choices(list(entity.states), list(entity.spec.status.values()))[0]
        for column in entity.columns:
            if column.key == "status":
                continue
            if column.kind == "ref":
                row[column.key] = self._reference(entity, column, row, parent)
                if row[column.key] is None and not column.nullable:
                    return None
            else:
                row[column.key] = self._value(entity, column, row)
        return row

    def _value(self, entity: Entity, column: Column, row: Row) -> Value:
        spec = column.spec
        if spec.when and row["status"] not in spec.when:
            return None
        if spec.null and self.rng.random() < spec.null:
            return None
        if spec.copies:
            ref, _, key = spec.copies.partition(".")
            return self._referred(entity.column(ref), row)[key]
        if spec.total or column.kind == "number":
            return 0
        return self.values.value(column, row)

    def _reference(self, entity: Entity, column: Column, row: Row, parent: Row) -> Value:
        spec = column.spec
        if parent and column.entity == entity.spec.per:
            return parent["id"]
        if (spec.when and row.get("status") not in spec.when) or self.rng.random() < spec.null:
            return None
        choices = [r for r in self.rows[column.entity] if not spec.states or r.get("status") in spec.states]
        if spec.copies and entity.has(spec.copies) and self.made.target(column).has(spec.copies):
            choices = [r for r in choices if r[spec.copies] == row.get(spec.copies)]
        if not choices:
            return None
        family = self.made.target(column).spec.family
        chosen = skewed(self.rng, choices) if family == "party" else self.rng.choice(choices)
        return chosen["id"]

    def _referred(self, column: Column, row: Row) -> Row:
        return next(r for r in self.rows[column.entity] if r["id"] == row[column.key])

    def _fits(self, entity: Entity, row: Row, others: list[Row]) -> bool:
        for unique in entity.spec.once:
            keys = [key for key in unique if entity.has(key)]
            if any(all(other[key] == row[key] for key in keys) for other in others):
                return False
        if not self._within_limits(entity, row, others):
            return False
        for column in entity.columns:
            unique_label = column.kind in ("label", "company") or column.spec.unique
            if unique_label and any(other[column.key] == row[column.key] for other in others):
                return False
            if column.spec.free and any(_overlaps(row, other, column, entity) for other in others):
                return False
        if entity.has("first_name"):
            return all(
                (o["first_name"], o["last_name"]) != (row["first_name"], row["last_name"]) for o in others
            )
        return True

    def _within_limits(self, entity: Entity, row: Row, others: list[Row]) -> bool:
        """Whether a row keeps the rules on how many there may be at a time."""
        for keys, states, most in self.limits.get(entity.key, ()):
            if states and row.get("status") not in states:
                continue
            alike = [o for o in others if all(o[key] == row[key] for key in keys)]
            if sum(not states or o["status"] in states for o in alike) >= most:
                return False
        return True

    def _namesake(self, entity: Entity, made: list[Row]) -> None:
        """Give one person another's full name, so that a name alone does not always tell who is meant."""
        if entity.has("first_name") and entity.has("birth_date") and len(made) > 5:
            one, other = made[1], made[-1]
            other["first_name"], other["last_name"] = one["first_name"], one["last_name"]

    def _number(self, entity: Entity, made: list[Row]) -> None:
        start = self.rng.randint(101, 899) * 10
        for place, row in enumerate(made):
            row["id"] = self.first_keys[entity.key] + place
            for column in entity.columns:
                if column.kind == "number":
                    row[column.key] = f"{column.spec.prefix}-{start + place + 1}"

    def _sum_up(self, entity: Entity) -> None:
        """Fill totals over child rows and make room for what a count has to cover."""
        for column in entity.columns:
            if column.spec.total:
                child_key, _, expression = column.spec.total.partition(":")
                self._total(entity, column, self.made.entities[child_key], expression)
            if column.spec.covers in self.made.entities:
                self._cover(entity, column, self.made.entities[column.spec.covers])

    def _total(self, entity: Entity, column: Column, child: Entity, expression: str) -> None:
        own = next(ref for ref in child.refs if ref.entity == entity.key)
        for row in self.rows[entity.key]:
            lines = [line for line in self.rows[child.key] if line[own.key] == row["id"]]
            row[column.key] = sum(_product(expression, line) for line in lines)

    def _cover(self, entity: Entity, column: Column, child: Entity) -> None:
        own = next(ref for ref in child.refs if ref.entity == entity.key)
        for row in self.rows[entity.key]:
            lines = [line for line in self.rows[child.key] if line[own.key] == row["id"]]
            counted = [
                line for line in lines if not column.spec.states or line["status"] in column.spec.states
            ]
            row[column.key] = max(1, len(counted) + self.rng.randint(*column.spec.slack))


def _limits(made: Blueprint) -> dict[str, list[tuple[list[str], tuple[str, ...], int]]]:
    """By entity: the columns, states and number that rules allow at most, as far as rows alone tell."""
    found: dict[str, list[tuple[list[str], tuple[str, ...], int]]] = {}
    for action in made.actions:
        for guard in action.spec.guards:
            counted = made.entities.get(guard.of)
            if guard.kind not in ("limit", "once") or counted is None or not action.creates:
                continue
            if counted.key != action.entity.key or not all(counted.has(key) for key in guard.per):
                continue
            rule = action.rules.get(guard.value)
            most = 1 if guard.kind == "once" else rule.value if rule else int(guard.value)
            found.setdefault(counted.key, []).append((list(guard.per), guard.states, most))
    return found


def _product(expression: str, line: Row) -> int:
    result = 1
    for factor in re.findall(r"[a-z_]+", expression):
        value = line[factor]
        assert isinstance(value, int)
        result *= value
    return result


def _overlaps(row: Row, other: Row, column: Column, entity: Entity) -> bool:
    if row[column.spec.free] != other[column.spec.free]:
        return False
    end = next(c for c in entity.columns if c.spec.after == column.key and c.kind == "moment")
    start, until = (datetime.fromisoformat(str(row[key])) for key in (column.key, end.key))
    begun, ended = (datetime.fromisoformat(str(other[key])) for key in (column.key, end.key))
    return start < ended and begun < until
