"""Guarded connections: SQLite with every way out of the database shut, and time and chance from the world.

Only workers open databases. The guard gives early, clear errors; the boundary is the sealed process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import apsw

from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.deterministic_sql import install
from synthesis.worlds.worker.store import CONNECTION_FLAGS, Store

Access = Literal["build", "write", "read"]
"""build: create tables and load rows. write: tools. read: verifiers and pages."""

PAGE_SIZE = 512
"""Bytes per database page; small worlds fit several times as many instances as with 4 KiB (measured)."""

STATEMENTS = 48
"""Prepared statements kept per connection: an episode uses 10 to 40, each takes about 5 KiB."""

_OWN = apsw.SQLITE_PREPARE_PERSISTENT
"""Flags under which statements of ours are cached, and no others."""

_STEPS_PER_CHECK = 20_000

_READING = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_RECURSIVE}
_WRITING = {apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE}
_BUILDING = {
    apsw.SQLITE_CREATE_TABLE,
    apsw.SQLITE_CREATE_INDEX,
    apsw.SQLITE_REINDEX,
}
_SAFE_PRAGMAS = frozenset(
    {
        "table_info",
        "table_xinfo",
        "foreign_key_list",
        "index_list",
        "index_info",
        "index_xinfo",
        "data_version",
    }
)
_HIDDEN_FUNCTIONS = frozenset(
    {
        "load_extension",
        "fts3_tokenizer",
        "sqlite_version",
        "sqlite_source_id",
        "sqlite_compileoption_get",
        "sqlite_compileoption_used",
        "sqlite_log",
        "total_changes",
    }
)
_LIMITS = {
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_COLUMN: 500,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 200,
    apsw.SQLITE_LIMIT_LENGTH: 16 * 2**20,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    apsw.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 50,
    apsw.SQLITE_LIMIT_VARIABLE_NUMBER: 10_000,
    apsw.SQLITE_LIMIT_VDBE_OP: 250_000,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}


_OPTIONS = {
    apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    apsw.SQLITE_DBCONFIG_DQS_DML: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_FKEY: 1,
    # Plans do not follow bound values: else statements are prepared again for them, 30 us a call.
    apsw.SQLITE_DBCONFIG_ENABLE_QPSG: 1,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
}
_LARGEST_REFILL = 2**20
"""Bytes; a larger image is parsed and prepared for anew."""
_SETTINGS = f"PRAGMA page_size = {PAGE_SIZE}; PRAGMA temp_store = MEMORY"


class GuardedConnection(apsw.Connection):
    """An in-memory database that can do only what its access allows.

    Args:
        context: Clock and random numbers of the present call.
        access: What statements may do; our own statements switch it with `allow`.
        image: A serialised database to start from; an empty one otherwise.
        max_mib: Ceiling of the database's size.
        statements: Prepared statements it keeps.
        refillable: Whether further images of the same schema are to be loaded into it. A second connection
            then replaces its pages, so that what it has parsed and prepared stays in use: that takes most of
            the time of a first call.
    """

    def __init__(
        self,
        context: CallContext,
        *,
        access: Access,
        image: bytes | None = None,
        max_mib: int = 64,
        statements: int = STATEMENTS,
        refillable: bool = False,
    ) -> None:
        self._store = Store() if refillable else None
        address = self._store.address if self._store else ":memory:"
        super().__init__(address, flags=CONNECTION_FLAGS, statementcachesize=statements)
        self._trusted = True
        self._access: Access = access
        self._max_bytes = max_mib * 2**20
        self.context = context
        for option, value in _OPTIONS.items():
            self.config(option, value)
        for limit, value in _LIMITS.items():
            self.limit(limit, value)
        self.execute(_SETTINGS)
        if image is not None:
            self.load(image, same_schema=True)  # none is known yet
        self._bound_size(_page_size(image) if image else PAGE_SIZE)
        if access == "read":
            self.only_read()
        install(self, context)
        self.set_progress_handler(_go_on, _STEPS_PER_CHECK)
        self.authorizer = self._authorize
        self._trusted = False

    def only_read(self) -> None:
        """Give up writing, for good."""
        self.own("PRAGMA query_only = ON")
        self._access = "read"

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Refuse meanwhile every statement that writes, whoever prepared it.

        The pragma for it would have all prepared statements of the connection be prepared again.
        """
        before = self.exec_trace
        try:
            self.exec_trace = _refuse_writing
            yield
        finally:
            self.exec_trace = before

    def only_we_write(self) -> None:
        """Refuse writing to everybody's statements but our own."""
        self._access = "read"

    def load(self, image: bytes, *, same_schema: bool = False) -> None:
        """Become the database of an image; the connection's guard stays."""
        small = len(image) <= _LARGEST_REFILL
        if same_schema and small and self._store is not None and self._store.replace(image):
            return
        trusted, self._trusted = self._trusted, True
        self._store = None
        try:
            self.deserialize("main", image)
            self._bound_size(_page_size(image))
        finally:
            self._trusted = trusted

    def _bound_size(self, page_size: int) -> None:
        self.execute(f"PRAGMA max_page_count = {self._max_bytes // page_size}", can_cache=False)

    def own(
        self, sql: str, bindings: tuple[object, ...] = (), *, cached: bool = False
    ) -> list[tuple[object, ...]]:
        """Run a statement of ours past the authorizer.

        Args:
            sql: The statement.
            bindings: Its values.
            cached: Whether it stays prepared. Its flags keep it apart from generated SQL of the same text,
                which must not come upon a statement that the authorizer was never asked about.
        """
        trusted, self._trusted = self._trusted, True
        flags = _OWN if cached else 0
        try:
            return self.execute(sql, bindings, can_cache=cached, prepare_flags=flags).fetchall()
        finally:
            self._trusted = trusted

    def image(self) -> bytes:
        """The whole database as bytes."""
        self._trusted = True  # SQLite asks itself for the number of pages
        try:
            return self.serialize("main")
        finally:
            self._trusted = False

    def changeset(self, session: apsw.Session) -> bytes:
        """What a session recorded; it takes a savepoint of its own."""
        self._trusted = True
        try:
            return session.changeset()
        finally:
            self._trusted = False

    def _authorize(
        self, action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
    ) -> int:
        if self._trusted or action in _READING:
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_FUNCTION:
            return apsw.SQLITE_DENY if (second or "").lower() in _HIDDEN_FUNCTIONS else apsw.SQLITE_OK
        if action == apsw.SQLITE_PRAGMA:
            return apsw.SQLITE_OK if (first or "").lower() in _SAFE_PRAGMAS else apsw.SQLITE_DENY
        allowed = (action in _WRITING and self._may_write(first or "")) or (
            action in _BUILDING and self._access == "build"
        )
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    def _may_write(self, table: str) -> bool:
        if self._access == "build":
            return True
        return self._access == "write" and not table.lower().startswith("sqlite_")


def _page_size(image: bytes) -> int:
    """Bytes of a page, as an image's header says it: 1 stands for 64 KiB."""
    size = int.from_bytes(image[16:18], "big") or PAGE_SIZE
    return 65_536 if size == 1 else size


def _refuse_writing(cursor: apsw.Cursor, _sql: str, _bindings: object) -> bool:
    if not cursor.is_readonly:
        raise apsw.ReadOnlyError("attempt to write a readonly database")
    return True


def _go_on() -> bool:
    """Called every few thousand steps of a statement so that a pending time limit can be raised from here."""
    return False
