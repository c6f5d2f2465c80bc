"""LiveInstance: one instance inside its worker, a database with the tools that act on it."""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any

import apsw
import orjson

from synthesis.documents.tools import MEMORY_SPENT, TIME_SPENT
from synthesis.worlds.arguments import validation_errors, without_nulls
from synthesis.worlds.limits import Limits
from synthesis.worlds.runtime import Runtime
from synthesis.worlds.sandbox.protocol import brackets_in
from synthesis.worlds.sandbox.soft_limit import SOFT_LIMIT, OutOfTime
from synthesis.worlds.tables import TableShape, quoted, schema_rows, shapes
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.invariants import InvariantBroken, LoadedInvariants
from synthesis.worlds.worker.loading import application
from synthesis.worlds.worker.namespace import ToolError, given_to_tools, place_of, run_module
from synthesis.worlds.worker.pages import PageMap
from synthesis.worlds.worker.recorder import Recorder
from synthesis.worlds.worker.results import Unfit, encode
from synthesis.worlds.worker.state import Change, Reading, compare, read, state_hash, table_text
from synthesis.worlds.worker.tool_database import ToolDatabase

if TYPE_CHECKING:
    from synthesis.worlds.worker.web.application import Application

_LONGEST_MESSAGE = 2_000
_READ_AHEAD_BYTES = 2**20
"""Largest image whose rows a template keeps at hand: ten times its size, shared by all workers."""
_COMMIT = "COMMIT /* of the world */"
_ROLLBACK = "ROLLBACK /* of the world */"
_BEGIN = "BEGIN /* of the world */"

Reply = dict[str, Any]


class TooMuchChanged(ValueError):
    """A call changed more rows than one call may; the text goes on after the tool's name."""


class WritesUnseen(Exception):
    """A tool that was found to write nothing has changed rows."""


class WorldBlueprint:
    """What all instances of a world share. Made in a template process, which every worker is a copy of.

    Nothing of the tools has run here: their code is loaded, and executed only in a sealed worker.

    Args:
        code: The tools module, compiled and marshalled.
        tools: The tools as plain values, by which arguments are checked.
        image: The database to start from.
        start: The world's clock at its first call.
        actor: Key of the acting user's row.
        limits: Ceilings of results.
        runtime: What kind of module the code is.
        routes: Of a FastAPI module, its routes as plain `HttpOperation` values.
        invariants: The invariants module, compiled and marshalled; b"" where there is none.
        sentences: What each invariant demands, by name.
    """

    def __init__(
        self,
        *,
        code: bytes,
        tools: list[dict[str, Any]],
        image: bytes,
        start: datetime,
        actor: Any,
        limits: Limits,
        runtime: Runtime = "functions",
        routes: Sequence[Mapping[str, Any]] = (),
        invariants: bytes = b"",
        sentences: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._invariants = marshal.loads(invariants) if invariants else None  # noqa: S302 - as below
        self._sentences = sentences
        self.code: CodeType = marshal.loads(code)  # noqa: S302 - made by our own compiler
        self.runtime: Runtime = runtime
        self._routes = routes
        self._application: Application | None = None
        self.schemas = {tool["name"]: tool["inputSchema"] for tool in tools}
        self.reading = frozenset(tool["name"] for tool in tools if not tool.get("mutates_state", True))
        """Tools that were found to write nothing; a call that does all the same is undone."""
        self.image, self.start, self.actor, self.limits = image, start, actor, limits
        self._ready: GuardedConnection | None = self.connect(image)
        self.tables = shapes(self._ready)
        small = len(image) <= _READ_AHEAD_BYTES
        self.rows: Reading | None = read(self._ready, self.tables) if small else None
        """The rows of the image, read once for all comparisons with it; None where it is large."""
        self.texts = {
            table.name: table_text(table, self.rows[table.name]) for table in self.tables if self.rows
        }
        """What is hashed of each table of the image, made once; empty where it is large."""
        self._base = read_only(image, start) if small else None
        self._pages = PageMap(self._base, image) if self._base else None
        self._reader = GuardedConnection(
            CallContext(start), access="read", image=image if small else None, refillable=small
        )
        schema_rows(self._reader)  # so that it is parsed once, before there are workers

    def connect(self, image: bytes | None = None) -> GuardedConnection:
        """A database to play on; the first one without an image is the one the template has opened ahead."""
        if image is None and self._ready is not None:
            ready, self._ready = self._ready, None
            return ready
        connection = GuardedConnection(
            CallContext(self.start),
            access="write",
            image=self.image if image is None else image,
            max_mib=self.limits.max_database_mib,
            refillable=image is None or image is self.image or self.has_same_schema(image),
        )
        if self.runtime == "fastapi":  # SQLite's own default, with which such applications are written
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 0)
        return connection

    def base(self) -> GuardedConnection:
        """The world's own database to look into, at the clock of its first call; always the same one."""
        if self._base is None:
            self._base = self.connect()
            self._base.only_read()
        return self._base

    def look_into(self, image: bytes, now: datetime) -> GuardedConnection:
        """A database image to look into, in a connection that the template opened ahead.

        It is the same one every time: what was looked into before is gone.
        """
        self._reader.context.now = now
        self.load(self._reader, image)
        return self._reader

    def load(self, connection: GuardedConnection, image: bytes | None) -> None:
        """Put an image, or the world's own, in place of what a connection holds."""
        if image is None:
            connection.load(self.image, same_schema=True)
        else:
            connection.load(image, same_schema=self.has_same_schema(image))

    def has_same_schema(self, image: bytes) -> bool:
        """Whether an image surely has this world's tables; always false where the world's own is large."""
        return self._pages is not None and self._pages.has_same_schema(image)

    def touched(self, image: bytes) -> tuple[TableShape, ...]:
        """The tables in which an image may differ from the world's own; the others hold the same rows."""
        if self._pages is None:
            return self.tables
        alike = self._pages.alike(image)
        return tuple(table for table in self.tables if table.name not in alike)

    def namespace(self) -> dict[str, Any]:
        """The tools in a namespace of their own; a FastAPI module is loaded once per process."""
        if self.runtime == "functions":
            return run_module(self.code, "tools", given_to_tools())
        if self._application is None:
            self._application = application(self.code, self._routes)
        return self._application.functions()

    def given(self, connection: GuardedConnection) -> Any:
        """What a tool of an instance gets first."""
        return connection if self.runtime == "fastapi" else ToolDatabase(connection, self.tables, self.actor)

    def validation_errors(self, name: str, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments of a call; FastAPI checks those of its routes by itself."""
        if self.runtime == "fastapi":
            return ""
        return validation_errors(
            self.schemas[name],
            arguments,
            max_depth=self.limits.max_depth,
            max_size=self.limits.max_argument_bytes,
        )

    def invariants(self, connection: GuardedConnection) -> LoadedInvariants | None:
        """The invariants, to be tried on a database; None where none is declared."""
        if self._invariants is None:
            return None
        return LoadedInvariants(self._invariants, self._sentences, connection)


class LiveInstance:
    """A database brought to life. Nothing of the tools runs until it begins.

    Args:
        blueprint: The world's shared half.
        image: The database to start from; the world's own otherwise.
    """

    def __init__(self, blueprint: WorldBlueprint, *, image: bytes | None = None) -> None:
        self._blueprint, self.limits = blueprint, blueprint.limits
        self._schemas, self._tables = blueprint.schemas, blueprint.tables
        self._functions = dict[str, Any]()
        self._connection = blueprint.connect(image)
        self._invariants: LoadedInvariants | None = None
        self._context = self._connection.context
        self.was_stopped = False
        """Whether the last call was stopped by the time limit."""
        self.answered = 0
        """Bytes of the last result that was committed and of its changed rows."""
        self._recorder = Recorder(self._connection, self._tables)
        self._texts = self._known_texts(image)
        self._db = blueprint.given(self._connection)

    def prepare(self) -> None:
        """Do ahead what the first call would have to, in a template: once, and not in every worker."""
        for end in (_COMMIT, _ROLLBACK):
            self._connection.own(_BEGIN, cached=True)
            self._connection.own(end, cached=True)
        self.is_small()  # asked after each write, by statements that are kept
        self._recorder.begin()

    def begin(self, seed: int, *, fresh_namespace: bool = False) -> None:
        """Load the tools.

        Args:
            seed: Seed of the instance's random numbers.
            fresh_namespace: Execute the tools module again for every call, where instances share a process.
        """
        self._functions = {} if fresh_namespace else self._load()
        self._context.seed = seed

    def _known_texts(self, image: bytes | None) -> dict[str, bytes]:
        """What is hashed of the tables of the state it begins with, as far as it is known."""
        return dict(self._blueprint.texts) if image is None else {}

    def _load(self) -> dict[str, Any]:
        space = self._blueprint.namespace()
        return {name: space[name] for name in self._schemas}

    def call(self, number: int, name: str, arguments: dict[str, Any]) -> Reply:
        """One call as one transaction: it commits whole or changes nothing."""
        if name not in self._schemas:
            return _failure(
                "unknown_tool", f"There is no tool named {name!r:.80}. Tools: {', '.join(self._schemas)}."
            )
        if problem := self._blueprint.validation_errors(name, arguments):
            return _failure("invalid_arguments", problem)
        self._context.begin(number)
        return self._transaction(name, without_nulls(self._schemas[name], arguments))

    def query(self, sql: str, params: list[Any], limit: int) -> list[dict[str, Any]]:
        """Rows of a SELECT, at most `limit` of them, in a transaction that is always rolled back."""
        self._connection.own(_BEGIN)
        try:
            with self._connection.reading(), SOFT_LIMIT:
                return rows_of(self._connection, sql, params, limit)
        finally:
            self._connection.own(_ROLLBACK)

    def tables(self, limit: int) -> dict[str, list[dict[str, Any]]]:
        """Rows of every table: all of them, or so many that lie evenly over the whole table."""
        return {table.name: self._spread(table, limit) for table in self._tables}

    def _spread(self, table: TableShape, limit: int) -> list[dict[str, Any]]:
        rows = self.query(f"SELECT * FROM {quoted(table.name)}", [], limit + 1)  # noqa: S608
        if len(rows) <= limit or not table.key or limit < 2:
            return rows[:limit]
        named = ", ".join(map(quoted, table.key))
        keys = self._connection.own(f"SELECT {named} FROM {quoted(table.name)} ORDER BY {named}")  # noqa: S608
        chosen = [keys[at * (len(keys) - 1) // (limit - 1)] for at in range(limit)]
        where = " AND ".join(f"{quoted(column)} IS ?" for column in table.key)
        one = f"SELECT * FROM {quoted(table.name)} WHERE {where}"  # noqa: S608
        return [row for key in chosen for row in self.query(one, list(key), 1)]

    def image(self) -> bytes:
        """The database as bytes."""
        return self._connection.image()

    def is_small(self) -> bool:
        """Whether all of it is read in milliseconds."""
        ((pages,),) = self._connection.own("PRAGMA page_count", cached=True)
        ((size,),) = self._connection.own("PRAGMA page_size", cached=True)
        return int(str(pages)) * int(str(size)) <= _READ_AHEAD_BYTES

    def hash(self) -> str:
        """The hash of all rows; only tables that were written since the last time are read."""
        for table in self._tables:
            if table.name not in self._texts and self._blueprint.texts:
                rows = self._connection.execute(table.select, can_cache=False).fetchall()
                self._texts[table.name] = table_text(table, rows)
        return state_hash(self._connection, self._tables, self._texts)

    def restart(self, image: bytes | None, seed: int) -> None:
        """Begin again on the same connection, from an image or from the world's own, with fresh tools."""
        self._recorder.close()
        if self._functions:
            self._functions = self._load()
        self._invariants = None
        self._blueprint.load(self._connection, image)
        self._db = self._blueprint.given(self._connection)
        self._texts = self._known_texts(image)
        self._context.seed = seed
        self._context.begin(0)

    def close(self) -> None:
        """Give the memory back."""
        self._recorder.close()
        self._connection.close(True)

    def diff(self, image: bytes | None) -> list[Change]:
        """Rows that differ from an image, or from the one the instance began with."""
        if not image and self._blueprint.rows is not None:
            return compare(self._blueprint.rows, self._connection, self._tables)
        context = CallContext(self._context.now)
        before = GuardedConnection(context, access="read", image=image or self._blueprint.image)
        try:
            return compare(before, self._connection, self._tables)
        finally:
            before.close(True)

    def _transaction(self, name: str, arguments: dict[str, Any]) -> Reply:
        self.was_stopped = False
        connection, fresh = self._connection, dict[str, Any]()
        self._recorder.begin()
        connection.set_last_insert_rowid(0)
        self._context.changes_before = connection.total_changes()
        connection.own(_BEGIN, cached=True)
        try:
            with SOFT_LIMIT:
                functions = self._functions or (fresh := self._blueprint.namespace())
                value = functions[name](self._db, **arguments)
                encoded = encode(
                    value,
                    max_bytes=self.limits.max_output_bytes,
                    max_depth=self.limits.max_depth,
                    max_brackets=self.limits.max_brackets,
                )
                if self._recorder.has_written:
                    self._require_invariants()
            # Past the soft limit: a signal right after COMMIT must not turn a committed call into an error.
            return self._commit(name, encoded)
        except ToolError as refusal:
            return _failure("refused", _words(refusal, kind=False))
        except InvariantBroken as broken:
            message = f"{name} was undone: {broken}."
            return {**_failure("error", message), "broken_invariant": broken.name}
        except BaseException as error:  # noqa: BLE001 - generated code may raise anything; all of it is its failure
            self.was_stopped = isinstance(error, OutOfTime)
            return _failure("error", f"{name} {self._error_text(error)}")
        finally:
            if connection.in_transaction:
                connection.own(_ROLLBACK, cached=True)
            self._recorder.forget()
            fresh.clear()  # it refers to itself by its functions: now, not at the next garbage collection

    def _require_invariants(self) -> None:
        """Try the invariants before a call is committed; a breach from before it is told as such."""
        invariants = self._invariants or self._blueprint.invariants(self._connection)
        if invariants is None or not self._connection.in_transaction:
            return
        self._invariants = invariants if self._functions else None
        try:
            invariants.require()
        except InvariantBroken as after:
            self._connection.own(_ROLLBACK)
            if any(each["name"] == after.name for each in invariants.broken()):
                raise InvariantBroken(after.name, f"{after}, and was before the call") from None
            raise

    def _error_text(self, error: BaseException) -> str:
        """What an exception says about the tool that let it out."""
        if isinstance(error, OutOfTime):
            return f"{TIME_SPENT} {self.limits.call_seconds:g} s and was stopped."
        if isinstance(error, MemoryError | apsw.NoMemError):
            return f"{MEMORY_SPENT}."
        if isinstance(error, TooMuchChanged):
            return f"{error}: change fewer rows at a time."
        if isinstance(error, WritesUnseen):
            return (
                "changed rows although its source does not show it, so agents see it as read-only: "
                "write with db.execute or db.insert. The call was undone."
            )
        if isinstance(error, Unfit):
            return f"returned a value that no tool may return: {error}."
        return f"failed: {_words(error)}{place_of(error, 'tools')}"

    def _commit(self, name: str, encoded: bytes) -> Reply:
        if not self._connection.in_transaction:
            raise RuntimeError("the call's transaction was ended by its own SQL")
        if self._recorder.has_written and name in self._blueprint.reading:
            raise WritesUnseen
        changes = self._recorder.changes()
        as_json = self._bounded(changes) if changes else b"[]"
        self._connection.own(_COMMIT, cached=True)
        for written in changes:
            self._texts.pop(written["table"], None)
        self.answered = len(encoded) + len(as_json)
        return {
            "status": "ok",
            "value": orjson.Fragment(encoded),
            "changes": orjson.Fragment(as_json) if changes else [],
        }

    def _bounded(self, changes: list[Change]) -> bytes:
        """Changed rows as JSON, before they are committed."""
        as_json, limits = orjson.dumps(changes), self.limits
        if len(as_json) > limits.max_change_bytes or brackets_in(as_json) > limits.max_brackets:
            raise TooMuchChanged(
                f"changed {len(changes):,} rows, {len(as_json):,} bytes as JSON; one call may change "
                f"{limits.max_change_bytes:,} bytes with {limits.max_brackets:,} brackets"
            )
        return as_json


def rows_of(connection: GuardedConnection, sql: str, params: list[Any], limit: int) -> list[dict[str, Any]]:
    """The first rows of a SELECT as plain values."""
    cursor = connection.execute(sql, params, can_cache=False)
    try:
        names = [column[0] for column in cursor.get_description()]
    except apsw.ExecutionCompleteError:
        return []
    rows = [dict(zip(names, row, strict=True)) for _, row in zip(range(limit), cursor, strict=False)]
    cursor.close(True)
    return [{name: f"x'{v.hex()}'" if isinstance(v, bytes) else v for name, v in row.items()} for row in rows]


def read_only(image: bytes, now: datetime) -> GuardedConnection:
    """A database image to look into."""
    return GuardedConnection(CallContext(now), access="read", image=image)


def _failure(status: str, message: str) -> Reply:
    return {"status": status, "message": _cut(message)}


def _words(error: BaseException, *, kind: bool = True) -> str:
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - even the text of an error is generated code
        return name
    return f"{name}: {text}" if kind else text


def _cut(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return whole if len(whole) <= _LONGEST_MESSAGE else f"{whole[:_LONGEST_MESSAGE]}..."
