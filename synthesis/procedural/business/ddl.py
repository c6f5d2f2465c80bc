"""DDL: the schema of a business."""

from __future__ import annotations

from synthesis.procedural.business.model import Business, BusinessColumn, BusinessTable, Row


def schema_sql(business: Business) -> str:
    """CREATE statements of all tables, parents first, with an index on every reference."""
    parts = [_table(table) for table in business.tables.values()]
    parts += [
        f"CREATE INDEX {table.name}_{column.name} ON {table.name} ({column.name});"
        for table in business.tables.values()
        for column in table.columns
        if column.kind == "ref"
    ]
    return "\n\n".join(parts) + "\n"


def prefix_of(table: BusinessTable) -> str:
    """What numbers of a table begin with: the first letters of its noun's words."""
    words = table.noun.replace("-", " ").split()
    letters = "".join(word[0] for word in words[:3]).upper() if len(words) > 1 else words[0][:2].upper()
    return letters if letters.isascii() and letters.isalpha() else "NR"


def number_of(table: BusinessTable, row: Row) -> str:
    """The number that the schema generates for a row."""
    return f"{prefix_of(table)}-{row['id']}"


def _table(table: BusinessTable) -> str:
    lines = [f"    {_column(column, table)}" for column in table.columns]
    for first, last in (("starts_on", "ends_on"),):
        if table.has(first) and table.has(last):
            lines.append(f"    CHECK ({last} >= {first})")
    if table.has("quantity") and table.has("total_cents"):
        lines.append("    CHECK (total_cents = quantity * unit_price_cents)")
    body = ",\n".join(lines)
    return f"CREATE TABLE {table.name} (\n{body}\n) STRICT;"


def _column(column: BusinessColumn, table: BusinessTable) -> str:  # noqa: PLR0911 - one line per kind
    required = "" if column.null else " NOT NULL"
    name = column.name
    if column.kind == "id":
        return f"{name} INTEGER PRIMARY KEY"
    if column.kind == "number":
        return f"{name} TEXT GENERATED ALWAYS AS ('{prefix_of(table)}-' || id) VIRTUAL"
    if column.kind == "ref":
        return f"{name} INTEGER{required} REFERENCES {column.table} (id)"
    if column.kind == "choice":
        members = ", ".join(f"'{choice}'" for choice in column.choices)
        return f"{name} TEXT{required} CHECK ({name} IN ({members}))"
    if column.kind == "flag":
        return f"{name} INTEGER{required} CHECK ({name} IN (0, 1))"
    if column.kind in ("money", "count"):
        return f"{name} INTEGER{required} CHECK ({name} >= 0)"
    if column.kind == "day":
        return f"{name} TEXT{required} CHECK ({name} IS date({name}))"
    return f"{name} TEXT{required}"
