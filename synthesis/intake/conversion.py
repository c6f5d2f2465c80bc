"""Conversion: the intake that somebody else's data model becomes."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.documents.intake import Intake
from synthesis.errors import BrokenEnvironment, InvalidInput
from synthesis.intake.convert.implied import add_implied_references, leave_out_bookkeeping
from synthesis.intake.convert.proposal import propose
from synthesis.intake.convert.sample import convert_rows, latest
from synthesis.intake.convert.schema_converter import SchemaConverter
from synthesis.intake.convert.selection import select
from synthesis.intake.foreign import ForeignModel
from synthesis.intake.import_options import ImportOptions
from synthesis.intake.notes import Notes
from synthesis.worlds.database import read_schema


def intake(
    model: ForeignModel,
    *,
    name: str,
    source: str,
    import_options: ImportOptions,
    notes: Notes,
    fetch: Callable[[SchemaConverter], None] | None = None,
) -> Intake:
    """The intake that a foreign model becomes.

    Args:
        model: The tables; those that are not wanted are removed.
        name: What the source calls itself.
        source: What was read, for people.
        import_options: Which tables, how many rows.
        notes: What was left behind so far.
        fetch: Brings sample rows into the tables' sources, once it is known which columns are wanted.

    Raises:
        InvalidInput: The model has no table, or what it became does not build.
    """
    if not any(table.columns for table in model.tables.values()):
        raise InvalidInput(
            f"{source} declares no table. Hand in the CREATE TABLE statements, for example the output of "
            "pg_dump --schema-only, mysqldump --no-data or sqlite3 FILE .schema."
        )
    leave_out_bookkeeping(model, wanted=import_options.tables, notes=notes)
    add_implied_references(model, notes)
    select(model, tables=import_options.tables, notes=notes, most=import_options.most_tables)
    converter = SchemaConverter(model, notes)
    try:
        schema = read_schema(converter.sql(source=source))
    except BrokenEnvironment as error:
        raise InvalidInput(f"{source} was read, but what it became does not build: {error}") from error
    if fetch is not None and import_options.rows:
        fetch(converter)
    seed_data = convert_rows(converter, schema, seed=import_options.seed, notes=notes)
    weights = _weights(converter)
    names = sorted(weights, key=lambda table: (-weights[table], table))
    return Intake(
        scenario=propose(name, names, clock=latest(converter, seed_data)),
        schema=schema,
        seed_data=seed_data,
        findings=notes.findings(),
        source=source,
    )


def _weights(converter: SchemaConverter) -> dict[str, int]:
    """How much each table is bound to others; being referred to counts twice."""
    weights = dict.fromkeys(converter.references, 0)
    for name, references in converter.references.items():
        for one in references:
            weights[one.table] += 2
            weights[name] += 1
    return weights
