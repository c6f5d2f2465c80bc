"""Inside a worker: one verifier held against many near-misses, and weakened against those it rejects.

A near-miss is a few edits of the right end state. It is made in a transaction that is rolled back again, so
pages, prepared statements and all rows that do not differ are shared by hundreds of them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import CodeType
from typing import Any

import apsw

from synthesis.worlds.sandbox.soft_limit import SOFT_LIMIT, OutOfTime
from synthesis.worlds.tables import TableShape, quoted, schema_rows
from synthesis.worlds.weakness import NAME, SensitivityProbe, Weakness
from synthesis.worlds.worker.cached_comparisons import CachedComparisons
from synthesis.worlds.worker.cached_reads import CachedDatabase, ReadCache
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.changes import ChangedRow, Changes, changed_row
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.worker.row_watch import RowWatch
from synthesis.worlds.worker.state import Change, Row, change, compare, sort_key
from synthesis.worlds.worker.verification_run import Check, VerifierFailed, checks_of, each_check

_BEGIN = "BEGIN /* of the trial */"
_ROLLBACK = "ROLLBACK /* of the trial */"
_DEFERRED = "PRAGMA defer_foreign_keys = ON"
_STATEMENTS = 400
"""Prepared statements: an edit takes longer to prepare, with the foreign keys of its table, than to run."""

_WHOLE = frozenset({"check", "constant"})
"""Kinds of weakenings that let a near-miss through wherever their checks alone reject it."""

Edit = dict[str, Any]
NearMiss = dict[str, Any]
"""`variants`: lists of edits; `reached`: whether calls of tools led there, so that its keys are in order in
the end; `shown`: whether the rows that differ are wanted."""
Site = dict[str, Any]
"""One weakening: `place`, and of what it is about `check`, `column` and `table`, each "" where unknown."""


class SealedVerifierTrial:
    """One verifier on trial.

    Args:
        blueprint: The world whose first state episodes begin with.
        image: The right end state.
        now: The clock of the right end state.
        code: The verifier, compiled.
        prepared: The verifier prepared to be weakened, compiled; None where it is only to be asked.
        sites: Its weakenings.
        answer: The right answer.
        evidence: What was called and said on the way to the right end state.
    """

    def __init__(
        self,
        blueprint: WorldBlueprint,
        *,
        image: bytes,
        now: datetime,
        seed: int,
        code: CodeType,
        prepared: CodeType | None,
        sites: list[Site],
        answer: str,
        evidence: Mapping[str, Any],
    ) -> None:
        self._code, self._prepared, self._answer = code, prepared, answer
        self._evidence = evidence
        self._tables = {table.name: table for table in blueprint.tables}
        self._places = {table.name: number for number, table in enumerate(blueprint.tables)}
        self._base, self._rows = blueprint.base(), blueprint.rows
        context = CallContext(now, seed=seed)
        self._connection = GuardedConnection(context, access="write", image=image, statements=_STATEMENTS)
        self._connection.only_we_write()
        right = compare(self._rows or self._base, self._connection, blueprint.tables)
        self._right = {self._place_of(entry): entry for entry in right}
        self._watch: RowWatch | None = None
        self._right_rows: dict[tuple[str, Any], Row | None] = {}
        """By table and key: the rows of the right end state that differ from the first one."""
        if all(table.row_id for table in blueprint.tables):
            self._watch = RowWatch(self._connection, blueprint.tables)
            self._right_rows = {(entry["table"], entry["key"]): self._row_of(entry) for entry in right}
        plain = all(kind in ("table", "index") for kind, *_ in schema_rows(self._base))
        self._before_reads, self._after_reads = ReadCache(), ReadCache(has_views=not plain)
        self._comparisons = CachedComparisons(self._before_reads, self._after_reads, blueprint.tables)
        self._keyless = {table.name for table in blueprint.tables if not table.key or table.nullable_key}
        self._edited_tables: set[str] = set()
        self._was: dict[str, dict[Any, Row]] = {}
        self._alive = {site["place"]: site for site in sites}
        self.killed: list[int] = []
        self.runs = 0

    def try_all(self, near_misses: list[NearMiss], *, seconds: float) -> list[dict[str, Any]]:
        """What came of each, in order; fewer than were given when the time is over.

        Each is an object of `possible`, `open` (names of checks that do not hold), `error` and `changes`
        (rows that differ from the right end state, where they are wanted or the verifier accepts it).
        """
        until, results = time.monotonic() + seconds, []
        for near_miss in near_misses:
            results.append(self._try(near_miss))
            if time.monotonic() > until:
                break
        return results

    def _try(self, near_miss: NearMiss) -> dict[str, Any]:
        reached, shown = near_miss.get("reached", False), near_miss.get("shown", False)
        watch = None if shown else self._watch
        for edits in near_miss["variants"]:
            with self._edited(edits, watch, reached=reached) as differs:
                result = self._measured(edits, differs) if differs else None
            if result is None:
                continue
            if shown or result["error"] or not result["open"]:
                result["changes"] = differs if watch is None else self._in_order(edits, reached=reached)
            return result
        return {"possible": False}

    def _in_order(self, edits: list[Edit], *, reached: bool) -> list[Change]:
        """Rows that differ after the edits, in the order of a session."""
        with self._edited(edits, None, reached=reached) as differs:
            return differs

    @contextlib.contextmanager
    def _edited(self, edits: list[Edit], watch: RowWatch | None, *, reached: bool) -> Iterator[list[Change]]:
        """Edit, and take it back afterwards: rows that differ from the right end state meanwhile, none where
        the schema forbids the edits."""
        own = self._connection.own
        own(_BEGIN, cached=True)
        try:
            differs = self._differs(edits, watch)
            if not differs and reached:
                # The pragma has every prepared statement be prepared again, and few need it.
                own(_ROLLBACK, cached=True)
                own(_BEGIN, cached=True)
                own(_DEFERRED)
                differs = self._differs(edits, watch)
            yield differs
        finally:
            own(_ROLLBACK, cached=True)

    def _differs(self, edits: list[Edit], watch: RowWatch | None) -> list[Change]:
        try:
            if watch is not None:
                with watch.watching():
                    is_possible = all(map(self._edit, edits))
                return list(self._written(watch)) if is_possible else []
            with contextlib.closing(apsw.Session(self._connection, "main")) as session:
                session.attach()
                return list(self._differences(session)) if all(map(self._edit, edits)) else []
        except Exception:  # noqa: BLE001 - whatever SQLite or a constraint has against it: it is not allowed
            return []

    def _edit(self, edit: Edit) -> bool:
        connection, table, key, values = self._connection, edit["table"], edit["key"], edit["values"]
        before = connection.total_changes()
        if edit["kind"] == "insert":
            names, marks = ", ".join(map(quoted, values)), ", ".join("?" * len(values))
            sql = f"INSERT INTO {quoted(table)} ({names}) VALUES ({marks})"  # noqa: S608 - names are quoted
            connection.own(sql, tuple(values.values()), cached=True)
            return True
        where = " AND ".join(f"{quoted(column)} IS ?" for column in key)
        if edit["kind"] == "delete":
            sql = f"DELETE FROM {quoted(table)} WHERE {where}"  # noqa: S608 - names are quoted
            connection.own(sql, tuple(key.values()), cached=True)
        else:
            assigned = ", ".join(f"{quoted(column)} = ?" for column in values)
            sql = f"UPDATE {quoted(table)} SET {assigned} WHERE {where}"  # noqa: S608 - names are quoted
            connection.own(sql, (*values.values(), *key.values()), cached=True)
        return connection.total_changes() != before

    def _written(self, watch: RowWatch) -> Iterator[Change]:
        """The rows that differ, in any order."""
        for table, key in watch.written:
            was, after = self._right_row(table, key), self._row(self._connection, table, key)
            if was is not None or after is not None:
                differs = change(table, key, was, after)
                if differs["columns"]:
                    yield differs

    def _right_row(self, table: TableShape, key: Any) -> Row | None:
        """A row of the right end state."""
        place = table.name, key
        return self._right_rows[place] if place in self._right_rows else self._before(table, key)

    def _row_of(self, entry: Change) -> Row | None:
        """A row that differs in the right end state, as it is there."""
        return self._row(self._connection, self._tables[entry["table"]], entry["key"])

    def _differences(self, session: apsw.Session) -> Iterator[Change]:
        for entry in apsw.Changeset.iter(self._connection.changeset(session)):
            table = self._tables[entry.name]
            known: Any = entry.new if entry.op == "INSERT" else entry.old
            key = table.key_of(known)
            after = self._row(self._connection, table, key)
            if entry.op == "INSERT":
                yield change(table, key, None, after)
                continue
            old = known if after is None else self._whole(known, after)
            differs = change(table, key, old, after)
            if differs["columns"]:
                yield differs

    @staticmethod
    def _whole(old: Row, after: Row) -> Row:
        return tuple(now if was is apsw.no_change else was for was, now in zip(old, after, strict=True))

    def _measured(self, edits: list[Edit], differs: list[Change]) -> dict[str, Any]:
        self._forget({entry["table"] for entry in differs})
        changes = list(map(changed_row, self._since_the_start(differs)))
        result: dict[str, Any] = {"possible": True, "open": [], "error": ""}
        try:
            result["open"] = self._open(self._code, changes)
        except OutOfTime:
            result["error"] = "it ran out of time"
        except VerifierFailed as error:
            result["error"] = str(error)
        except Exception as error:  # noqa: BLE001 - generated code may raise anything
            result["error"] = f"{type(error).__name__}: {error}"[:500]
        if result["open"] and not result["error"]:
            with contextlib.suppress(OutOfTime):  # the time is over for this one, which says nothing of it
                self._weaken(edits, changes, result["open"], {entry["table"] for entry in differs})
        return result

    def _forget(self, tables: set[str]) -> None:
        """Forget what was read of the tables that this near-miss edits, or that the last one did."""
        stale = tables | self._edited_tables | self._keyless
        self._after_reads.forget(stale)
        self._comparisons.forget(stale)
        self._edited_tables = tables

    def _since_the_start(self, differs: list[Change]) -> list[Change]:
        """All rows that differ from the world's first state, by table in CREATE order and then by key."""
        entries = dict(self._right)
        for entry in differs:
            table = self._tables[entry["table"]]
            key = tuple(entry["key"]) if isinstance(entry["key"], list) else entry["key"]
            before = self._before(table, key)
            after = self._row(self._connection, table, key)
            place = self._place_of(entry)
            entries.pop(place, None)
            if before is not None or after is not None:
                result = change(table, key, before, after)
                if result["columns"]:
                    entries[place] = result
        return [entries[place] for place in sorted(entries)]

    def _place_of(self, entry: Change) -> tuple[int, Any]:
        key = tuple(entry["key"]) if isinstance(entry["key"], list) else entry["key"]
        return self._places[entry["table"]], sort_key(key)

    def _before(self, table: TableShape, key: Any) -> Row | None:
        if self._rows is None:
            return self._row(self._base, table, key)
        if table.name not in self._was:
            self._was[table.name] = {table.key_of(row): row for row in self._rows[table.name]}
        return self._was[table.name].get(key)

    @staticmethod
    def _row(connection: GuardedConnection, table: TableShape, key: Any) -> Row | None:
        rows: Any = connection.execute(table.select_one, key if isinstance(key, tuple) else (key,)).fetchall()
        return rows[0] if rows else None

    def _open(self, code: CodeType, changes: list[ChangedRow], switch: Weakness | None = None) -> list[str]:
        """Names of the checks that do not hold."""
        with SOFT_LIMIT:
            return [check.name for check in self._checks(code, changes, switch) if check.passed is not True]

    def _checks(self, code: CodeType, changes: list[ChangedRow], switch: Weakness | None) -> Iterator[Check]:
        return each_check(
            checks_of(
                code,
                CachedDatabase(self._base, self._before_reads),
                CachedDatabase(self._connection, self._after_reads),
                Changes(changes),
                self._answer,
                self._evidence,
                also_given={**self._comparisons.given(), **({} if switch is None else {NAME: switch})},
            )
        )

    def _weaken(
        self, edits: list[Edit], changes: list[ChangedRow], rejected: list[str], tables: set[str]
    ) -> None:
        """Weaken the verifier wherever that may let this near-miss through; what does is not tried again."""
        columns = {column for edit in edits if edit["kind"] == "update" for column in edit["values"]}
        candidates = [
            site
            for site in self._alive.values()
            if (not site["check"] or rejected == [site["check"]])
            and (not site["column"] or not columns or site["column"] in columns)
            and (not site["table"] or site["table"] in tables)
        ]
        sensitive = self._sensitive(changes, rejected) if len(candidates) > 1 else None
        for site in candidates:
            place = site["place"]
            whole = site["kind"] in _WHOLE
            if sensitive is not None and place not in sensitive and not whole:
                continue
            if whole or self._lets_through(place, changes):
                del self._alive[place]
                self.killed.append(place)

    def _sensitive(self, changes: list[ChangedRow], rejected: list[str]) -> set[int] | None:
        """The places at which a weakening may make a difference here; None where that cannot be told."""
        assert self._prepared is not None
        probe = SensitivityProbe()
        try:
            return probe.sensitive if self._open(self._prepared, changes, probe) == rejected else None
        except OutOfTime:
            raise
        except Exception:  # noqa: BLE001 - generated code may do with a value what its probe cannot
            return None

    def _lets_through(self, place: int, changes: list[ChangedRow]) -> bool:
        assert self._prepared is not None
        self.runs += 1
        try:
            with SOFT_LIMIT:
                return all(
                    check.passed is True for check in self._checks(self._prepared, changes, Weakness(place))
                )
        except Exception:  # noqa: BLE001 - a weakening that gives up lets nothing through
            return False
