"""What tables a live database has, as the schema documents describe them and as reading them needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from synthesis.documents.schema import Column, ForeignKey, Table

if TYPE_CHECKING:
    from synthesis.worlds.worker.connection import GuardedConnection

_GENERATED = (2, 3)
SchemaRows = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class TableShape:
    """How to read one table: its stored columns, its key, and the order of its rows."""

    name: str
    columns: tuple[str, ...]
    """Stored columns in table order; generated ones follow from them and are left out."""
    key: tuple[str, ...]
    """Columns of the primary key; empty where the table has none."""
    row_id: bool
    """Whether the key is SQLite's own row id (INTEGER PRIMARY KEY)."""
    nullable_key: bool
    """Whether SQLite would accept NULL in the key, which a world never does."""

    select: str = field(init=False, compare=False)
    """All rows in a stable order, as SQL."""
    select_one: str = field(init=False, compare=False)
    """The row of one key, as SQL."""
    key_of: Callable[[tuple[Any, ...]], Any] = field(init=False, compare=False, repr=False)
    """The key of a row: a scalar, or a tuple for a composite key; the whole row where there is no key."""

    def __post_init__(self) -> None:
        everything = f"SELECT {', '.join(map(quoted, self.columns))} FROM {quoted(self.name)}"  # noqa: S608 - names are quoted
        order = [quoted(column) for column in self.key]
        if not self.key or self.nullable_key:
            order += [f"{quoted(column)} COLLATE BINARY" for column in self.columns if column not in self.key]
        where = " AND ".join(f"{quoted(column)} IS ?" for column in self.key)
        object.__setattr__(self, "select", f"{everything} ORDER BY {', '.join(order)}")
        object.__setattr__(self, "select_one", f"{everything} WHERE {where}")
        places = [self.columns.index(column) for column in self.key]
        object.__setattr__(self, "key_of", itemgetter(*places) if places else _whole)


def _whole(row: tuple[Any, ...]) -> Any:
    return row


def quoted(name: str) -> str:
    """An identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'


def schema_rows(connection: GuardedConnection) -> SchemaRows:
    """What `sqlite_schema` holds: equal for databases with the same tables, views, indexes and triggers."""
    return connection.own("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")


def shapes(connection: GuardedConnection) -> tuple[TableShape, ...]:
    """The shapes of all tables in CREATE order."""
    return tuple(_shape(connection, name) for name, _ in _listed(connection))


def shape_of(connection: GuardedConnection, name: str) -> TableShape | None:
    """The shape of one table; None where there is none of exactly this name."""
    known = connection.own("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,))
    return _shape(connection, name) if known else None


def declared(connection: GuardedConnection, originals: dict[str, str]) -> tuple[Table, ...]:
    """The tables as documents, in CREATE order.

    Args:
        connection: A database that has them.
        originals: The CREATE statement of each table as its author wrote it, by lower-case name.
    """
    return tuple(
        Table(
            name=name,
            columns=tuple(_columns(connection, name)),
            foreign_keys=tuple(_foreign_keys(connection, name)),
            sql=originals.get(name.lower(), sql),
        )
        for name, sql in _listed(connection)
    )


def load_order(tables: Iterable[Table]) -> tuple[str, ...]:
    """Table names so that each follows the tables it refers to; CREATE order within a cycle."""
    waiting = {table.name.lower(): table for table in tables}
    ordered: list[str] = []
    while waiting:
        ready = [name for name, table in waiting.items() if not _refers_to(table, waiting)]
        ordered += [waiting.pop(name).name for name in ready or list(waiting)[:1]]
    return tuple(ordered)


def _refers_to(table: Table, waiting: dict[str, Table]) -> bool:
    own = table.name.lower()
    return any(key.table.lower() in waiting and key.table.lower() != own for key in table.foreign_keys)


def _listed(connection: GuardedConnection) -> list[tuple[str, str]]:
    rows = connection.own(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    return [(str(name), str(sql)) for name, sql in rows]


def _columns(connection: GuardedConnection, table: str) -> Iterable[Column]:
    for _, name, type, not_null, default, key, hidden in connection.own(
        f"PRAGMA table_xinfo({quoted(table)})"
    ):
        yield Column.model_validate(
            {
                "name": name,
                "type": type or "",
                "not_null": bool(not_null),
                "default": default,
                "primary_key": key,
                "generated": hidden in _GENERATED,
            }
        )


def _foreign_keys(connection: GuardedConnection, table: str) -> list[ForeignKey]:
    rows = connection.own(f"PRAGMA foreign_key_list({quoted(table)})")
    grouped: dict[int, list[Any]] = {}
    for row in sorted(rows, key=lambda row: (row[0], row[1])):
        grouped.setdefault(int(row[0]), []).append(row)  # type: ignore[call-overload]
    foreign_keys = []
    for _, parts in sorted(grouped.items(), reverse=True):  # SQLite lists the last one first
        parent = str(parts[0][2])
        references = [part[4] for part in parts]
        if None in references:
            references = list(_primary_key(connection, parent)) or [part[3] for part in parts]
        foreign_keys.append(
            ForeignKey(
                columns=tuple(part[3] for part in parts),
                table=parent,
                references=tuple(references),
                on_delete=str(parts[0][6]),
            )
        )
    return foreign_keys


def _primary_key(connection: GuardedConnection, table: str) -> tuple[str, ...]:
    rows: list[Any] = connection.own(f"PRAGMA table_xinfo({quoted(table)})")
    return tuple(str(row[1]) for row in sorted(rows, key=lambda row: row[5]) if row[5])


def _shape(connection: GuardedConnection, name: str) -> TableShape:
    columns: list[Any] = connection.own(f"PRAGMA table_xinfo({quoted(name)})")
    stored = tuple(str(row[1]) for row in columns if row[6] not in _GENERATED)
    key = _primary_key(connection, name)
    details: list[Any] = connection.own(f"PRAGMA table_list({quoted(name)})")
    without_row_id = bool(details and details[0][4])
    indexes: list[Any] = connection.own(f"PRAGMA index_list({quoted(name)})")
    # A key that has no index of its own in a row-id table is the row id itself.
    row_id = bool(key) and not without_row_id and not any(row[3] == "pk" for row in indexes)
    not_null = {str(row[1]) for row in columns if row[3]}
    nullable = bool(key) and not row_id and not without_row_id and not set(key) <= not_null
    return TableShape(name=name, columns=stored, key=key, row_id=row_id, nullable_key=nullable)
