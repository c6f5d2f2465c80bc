"""Triggers that keep a table append-only, for the databases the studio runs on."""

from __future__ import annotations

from django.db.backends.base.base import BaseDatabaseWrapper

_REFUSAL = "the audit trail is append-only"
_EVENTS = ("UPDATE", "DELETE")


def protect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Let the database refuse to change or delete rows of a table."""
    with connection.cursor() as cursor:
        for statement in _statements(connection.vendor, table):
            cursor.execute(statement)


def unprotect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Take the triggers away, for a migration back and for tests that empty every table."""
    with connection.cursor() as cursor:
        for event in _EVENTS:
            where = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {_name(table, event)}{where}")


def _name(table: str, event: str) -> str:
    return f"{table}_no_{event.lower()}"


def _statements(vendor: str, table: str) -> list[str]:
    if vendor == "sqlite":
        return [
            f"CREATE TRIGGER {_name(table, event)} BEFORE {event} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            for event in _EVENTS
        ]
    function = (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    )
    return [function] + [
        f"CREATE TRIGGER {_name(table, event)} BEFORE {event} ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        for event in _EVENTS
    ]
