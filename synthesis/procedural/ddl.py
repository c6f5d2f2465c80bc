"""Ddl: the tables of a blueprint as SQL, in an order in which each table only refers to tables above it."""

from __future__ import annotations

from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import TEXT_KINDS, Column, Entity
from synthesis.procedural.wording import sentence, snake

DAY_PATTERN = "____-__-__"
MOMENT_PATTERN = "____-__-__T__:__:__"


def schema_sql(made: Blueprint) -> str:
    """The whole of schema.sql."""
    head = (
        f"-- {made.organisation}. Tables stand in load order: a table only refers to tables above it.\n"
        "-- Days are 'YYYY-MM-DD', moments are 'YYYY-MM-DDTHH:MM:SS' in local time, money is integer cents.\n"
    )
    tables = [_table(made, entity) for entity in made.entities.values()]
    indexes = [line for entity in made.entities.values() for line in _indexes(entity)]
    return "\n".join([head, *tables, *indexes]) + "\n"


def _table(made: Blueprint, entity: Entity) -> str:
    lines = ["id INTEGER PRIMARY KEY"]
    lines += [_column(made, column) for column in entity.columns]
    lines += _row_checks(entity)
    for unique in entity.spec.once:
        names = [entity.column(key).name for key in unique if entity.has(key)]
        lines.append(f"UNIQUE ({', '.join(names)})")
    body = ",\n".join(f"    {line}" for line in lines)
    about = f"-- {sentence(entity.spec.about)}\n" if entity.spec.about else ""
    return f"{about}CREATE TABLE {entity.table} (\n{body}\n);\n"


def _column(made: Blueprint, column: Column) -> str:
    kind = "TEXT" if column.kind in TEXT_KINDS else "INTEGER"
    parts = [column.name, kind]
    if not column.nullable:
        parts.append("NOT NULL")
    if column.spec.default is not None:
        parts.append(f"DEFAULT {_literal(column.spec.default)}")
    if column.kind == "number" or column.spec.unique:
        parts.append("UNIQUE")
    if column.kind == "ref":
        parts.append(f"REFERENCES {made.target(column).table} (id)")
    if check := _check(column):
        parts.append(f"CHECK ({check})")
    return " ".join(parts)


def _check(column: Column) -> str:
    spec, name = column.spec, column.name
    if column.kind == "choice":
        return f"{name} IN ({', '.join(_literal(value) for value in spec.values)})"
    if column.kind == "flag":
        return f"{name} IN (0, 1)"
    if column.kind in ("count", "money"):
        return f"{name} >= 0"
    if column.kind in ("day", "birth_date"):
        return f"{name} LIKE '{DAY_PATTERN}'"
    if column.kind == "moment":
        return f"{name} LIKE '{MOMENT_PATTERN}'"
    return ""


def _row_checks(entity: Entity) -> list[str]:
    checks = []
    for column in entity.columns:
        if column.spec.when:
            states = ", ".join(_literal(state) for state in column.spec.when)
            checks.append(f"CHECK ((status IN ({states})) = ({column.name} IS NOT NULL))")
        if column.spec.after and column.kind == "moment":
            checks.append(f"CHECK ({entity.column(column.spec.after).name} < {column.name})")
    return checks


def _indexes(entity: Entity) -> list[str]:
    table = entity.table
    return [
        f"CREATE INDEX {table}_by_{snake(column.stem)} ON {table} ({column.name});"
        for column in entity.refs
        if column.key != "actor" and entity.spec.family in ("document", "line", "log")
    ]


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
