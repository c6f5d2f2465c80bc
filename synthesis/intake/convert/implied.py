"""Implied: what a data model means without declaring it, and what of it is no business of anybody's."""

from __future__ import annotations

import re
from collections.abc import Collection

from synthesis.intake.convert.kinds import kind_of
from synthesis.intake.foreign import ForeignColumn, ForeignModel, ForeignReference, ForeignTable
from synthesis.intake.names import words_of
from synthesis.intake.notes import Notes

_BOOKKEEPING = frozenset(
    {"schema_migrations", "ar_internal_metadata", "active_storage_variant_records"}
    | {"django_migrations", "django_session", "django_content_type", "django_admin_log"}
    | {"failed_jobs", "job_batches", "cache_locks", "password_resets"}
    | {"password_reset_tokens", "personal_access_tokens", "telescope_entries"}
    | {"flyway_schema_history", "schema_version", "databasechangelog", "databasechangeloglock"}
    | {
        "alembic_version",
        "_prisma_migrations",
        "knex_migrations",
        "knex_migrations_lock",
        "mikro_orm_migrations",
    }
    | {"sequelizemeta", "typeorm_metadata", "__efmigrationshistory", "goose_db_version", "schema_info"}
    | {"spatial_ref_sys", "geometry_columns", "doctrine_migration_versions"}
)
"""Tables of Rails, Django, Laravel, Flyway, Alembic, Prisma and others that hold no records of a business."""
_BOOKKEEPING_IF = {
    "cache": (frozenset({"value", "expiration"}),),
    "jobs": (frozenset({"queue", "payload"}),),
    "migrations": (frozenset({"migration", "batch"}), frozenset({"timestamp", "name"})),
    "sessions": (frozenset({"payload", "last_activity"}), frozenset({"session_id", "data"})),
}
"""Names that a business may use as well, and columns by which a framework's table is known."""
_KEY = re.compile(r"(?:_id|(?<=[a-z])I[dD])\Z")


def leave_out_bookkeeping(model: ForeignModel, *, wanted: Collection[str], notes: Notes) -> None:
    """Remove tables in which frameworks keep their own state, unless asked for, referred to, or all there is.

    Args:
        model: The tables.
        wanted: Names of tables that were asked for.
        notes: Where it is told.
    """
    asked = {name.lower() for name in wanted}
    foreign_tables = [
        table for table in model.tables.values() if _is_bookkeeping(table) and table.name.lower() not in asked
    ]
    others = [table for table in model.tables.values() if table not in foreign_tables]
    needed = {parent.name for table in others for parent in model.parents(table)}
    if not others:
        return
    for table in foreign_tables:
        if table.name not in needed:
            model.tables.pop(table.name)
            message = (
                f"{table.name} is left out: a framework keeps its own state in it. Name it among the tables "
                "wanted to keep it."
            )
            notes.add("bookkeeping_is_left_out", message, where=table.name)


def _is_bookkeeping(table: ForeignTable) -> bool:
    name = table.name.rpartition(".")[2].lower()
    columns = {column.lower() for column in table.columns}
    return name in _BOOKKEEPING or any(shape <= columns for shape in _BOOKKEEPING_IF.get(name, ()))


def add_implied_references(model: ForeignModel, notes: Notes) -> None:
    """Let `customer_id` refer to `customers` where no foreign key says so and only one table can be meant."""
    for table in model.tables.values():
        taken = {name.lower() for one in table.references for name in one.columns}
        for column in table.columns.values():
            alone = tuple(name.lower() for name in table.primary_key) == (column.name.lower(),)
            if alone or column.name.lower() in taken or not _KEY.search(column.name):
                continue
            target = _meant(model, table, column)
            if target is not None:
                table.references.append(ForeignReference((column.name,), target.name))
                place = f"{table.name}.{column.name}"
                notes.add(
                    "references_are_taken_from_names",
                    f"{place}: no foreign key is declared; by its name it refers to {target.name}.",
                    where=place,
                    warn=False,
                )


def _meant(model: ForeignModel, table: ForeignTable, column: ForeignColumn) -> ForeignTable | None:
    stem = words_of(_KEY.sub("", column.name))
    if any(words_of(other) in (f"{stem} type", f"{stem} class") for other in table.columns):
        return None  # a pair of columns that names rows of several tables
    named = {one.name: words_of(one.name.rpartition(".")[2]) for one in model.tables.values()}
    whole = [name for name, words in named.items() if _singular(words) == stem]
    # "customer" of tbl_customer and shop_customer, but not of customer itself
    behind = [name for name, words in named.items() if _singular(words.partition(" ")[2]) == stem]
    fitting = whole or behind
    target = model.tables[fitting[0]] if len(fitting) == 1 else None
    if target is None or len(target.primary_key) != 1:
        return None
    key = target.column(target.primary_key[0])
    same = key is not None and key.name.lower() in ("id", column.name.lower()) and _fits(model, key, column)
    return target if same else None


def _fits(model: ForeignModel, key: ForeignColumn, column: ForeignColumn) -> bool:
    return kind_of(key, dialect=model.dialect).name == kind_of(column, dialect=model.dialect).name


def _singular(words: str) -> str:
    if words.endswith("ies"):
        return f"{words[:-3]}y"
    if words.endswith(("sses", "xes", "ches", "shes")):
        return words[:-2]
    return words[:-1] if words.endswith("s") and not words.endswith(("ss", "us")) else words
