"""Instance: one live, private copy of a world with its own database."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson
from pydantic import JsonValue

from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import WORKER_KILLED, ToolCall, ToolResult
from synthesis.errors import (
    BrokenEnvironment,
    InstanceClosed,
    SandboxError,
    WorkerTimeout,
    WorldError,
)
from synthesis.worlds.answers import (
    read_changes,
    read_hash,
    read_result,
    read_results,
    read_rows,
    read_tables,
)
from synthesis.worlds.call_queue import CallQueue
from synthesis.worlds.calls import Call, are_well_formed, is_well_formed, pairs_of
from synthesis.worlds.job import failure
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.worker_slots import Pool, WorkerSlot

_CHECKPOINT_CALLS = 200
"""Calls that changed rows after which the log is replaced by a snapshot."""

_BATCH = 32
"""Calls that go to the worker in one frame."""

_EXIT_SECONDS = 0.2
"""Between two kills of a worker that is being replaced while its instance is closed."""

_REPLACEMENTS = 2
"""Workers that may be lost over one question."""


class _Written(NamedTuple):
    """A call that changed rows."""

    number: int
    name: str
    arguments: Mapping[str, JsonValue]
    fingerprint: bytes
    """Of the rows it changed, to which those of a replay are compared."""


class Instance:
    """One live copy; made by `World.instance`. Thread-safe: calls are made one after the other.

    A worker that dies during a call costs that call alone: the call ends with status "error" and the instance
    goes on from its last committed state.

    Args:
        base: The state before the first call.
        limits: Ceilings of the world.
        pool: Its workers.
        seed: Seed of its random numbers.
        keep_process: See `World.instance`.
        when_closed: Called with it once it is closed.
    """

    def __init__(
        self,
        base: Snapshot,
        limits: Limits,
        pool: Pool,
        *,
        seed: int,
        keep_process: bool = False,
        when_closed: Callable[[Instance], None],
    ) -> None:
        self._base, self._limits, self._pool, self._when_closed = base, limits, pool, when_closed
        self.seed, self._keep = seed, keep_process
        self._queue = CallQueue(limits.max_waiting)
        self._slot: WorkerSlot | None = None
        self._start = self._checkpoint = base
        self._log: list[_Written] = []
        self._calls = 0
        self._known_hash: str | None = None

    @property
    def calls(self) -> int:
        """Calls made since the world began, on this line of history."""
        return self._calls

    @property
    def closed(self) -> bool:
        """Whether it can be used no more."""
        return self._queue.closed

    def call(
        self, name: str, arguments: Mapping[str, JsonValue] | None = None, *, hashed: bool = False
    ) -> ToolResult:
        """Call one tool as one transaction.

        A refusal, an unknown tool, bad arguments and a failing tool are results, not exceptions.

        Args:
            name: Of the tool.
            arguments: What it is given.
            hashed: Have the hash of a changed state come along, so that `state_hash` need not ask for it.

        Raises:
            InstanceClosed: The instance is closed.
            CapacityExhausted: Too many callers already wait for this instance.
            SandboxError: The worker was lost and could not be replaced.
        """
        with self._queue:
            given = dict(arguments) if isinstance(arguments, Mapping) else arguments
            return self._one_call(name, {} if given is None else given, hashed=hashed)

    def call_many(self, calls: Iterable[ToolCall | Call], *, until_failure: bool = False) -> list[ToolResult]:
        """Make calls one after the other; faster than one by one.

        Args:
            calls: What to call.
            until_failure: Stop after the first call that does not succeed, its result is the last one; else
                go on whatever each comes to.
        """
        with self._queue:
            return self._call_all(pairs_of(calls), [], until_failure=until_failure)

    def call_from(
        self, snapshot: Snapshot, calls: Iterable[ToolCall | Call], *, until_failure: bool = False
    ) -> list[ToolResult]:
        """As `restore` and then `call_many`, in one exchange where the instance keeps its process."""
        pairs = pairs_of(calls)
        with self._queue:
            results: list[ToolResult] = []
            if self._keep and self._slot is not None and pairs and are_well_formed(pairs):
                self._count_from(snapshot, snapshot.seed)
                results = self._batch(pairs[:_BATCH], until_failure=until_failure, start=snapshot)
            if not results:
                self._begin(snapshot, snapshot.seed)
            return self._call_all(pairs, results, until_failure=until_failure)

    def call_each(self, snapshot: Snapshot, calls: Sequence[ToolCall | Call]) -> list[ToolResult]:
        """Make calls each from the rows of a snapshot, which the instance has: `call`, with `restore` after
        one that changed rows. At least the first is made; the others are to be asked for again."""
        with self._queue:
            pairs, results = pairs_of(calls[:_BATCH]), list[ToolResult]()
            if self._keep and len(pairs) > 1:
                results = self._batch(pairs, again=snapshot)
            if not results:
                results = [self._one_call(*pairs[0])]
                if results[0].changes:
                    self._begin(snapshot, snapshot.seed)
            return results

    def reset(self, seed: int | None = None) -> None:
        """Begin again from the world's base snapshot: nothing of this history survives.

        Args:
            seed: Another seed; the present one otherwise.
        """
        with self._queue:
            self._begin(self._base, self.seed if seed is None else seed)
            self._start = self._base

    def snapshot(self) -> Snapshot:
        """The present state as a value."""
        with self._queue:
            return self._snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of this world; `diff` still counts from the last reset."""
        with self._queue:
            self._begin(snapshot, snapshot.seed)

    def diff(self, since: Snapshot | None = None) -> StateDiff:
        """Rows that differ from a snapshot; by default from the last reset."""
        with self._queue:
            since = since or self._start
            image = b"" if since is self._base else since.image
            return read_changes(self._ask("diff", {}, image)[0].get("changes"))

    def state_hash(self) -> str:
        """SHA-256 over the ordered rows of all tables."""
        with self._queue:
            return self._known_hash or read_hash(self._ask("hash", {})[0].get("hash"))

    def query(self, sql: str, *params: Any, limit: int = 1_000) -> list[dict[str, Any]]:
        """A read-only look into the database; it is no call and moves no clock.

        Raises:
            BrokenEnvironment: The SQL does not run.
        """
        with self._queue:
            answer, _ = self._ask("query", {"sql": sql, "params": list(params), "limit": limit})
            return read_rows(answer.get("rows"))

    def rows(self, *, limit: int) -> dict[str, list[dict[str, Any]]]:
        """All rows by table, of larger ones `limit` that lie evenly over the table; no call, like `query`."""
        with self._queue:
            answer, _ = self._ask("tables", {"limit": limit})
            return read_tables(answer.get("tables"))

    def close(self, *, wait: float | None = None) -> None:
        """End its process and free its slot; harmless when closed.

        Args:
            wait: Seconds that a call which is being made may still take before its process is killed;
                as long as a call may take otherwise.
        """
        self._queue.closed = True
        patience = self._limits.call_seconds + self._limits.grace_seconds if wait is None else wait
        while not self._queue.turn.acquire(timeout=patience):
            self.abandon()
            patience = _EXIT_SECONDS
        try:
            if self._slot is not None:
                with contextlib.suppress(SandboxError):
                    self._slot.leave()
                self._slot = None
        finally:
            self._queue.turn.release()
        self._when_closed(self)

    def abandon(self) -> None:
        """Kill its process whatever it does, without waiting, from any thread; then close it."""
        self._queue.closed = True
        if (slot := self._slot) is not None:
            slot.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, state: Snapshot, seed: int) -> None:
        """Start from a state and make it the beginning of the log."""
        image = None if state is self._base else state.image
        if image == b"":
            raise BrokenEnvironment("The snapshot contains no database.", part="seed_data")
        present, self._slot, self._known_hash = self._slot, None, None
        try:
            self._slot = self._pool.slot(present, seed=seed, image=image, keep=self._keep)
        except WorldError:
            self.close()
            raise
        self._count_from(state, seed)

    def _count_from(self, state: Snapshot, seed: int) -> None:
        self.seed, self._checkpoint, self._calls = seed, state, state.calls
        self._log.clear()

    def _call_all(
        self, calls: list[Call], results: list[ToolResult], *, until_failure: bool
    ) -> list[ToolResult]:
        """The results of all calls, of which there are some already."""
        while len(results) < len(calls) and not (until_failure and results and not results[-1].ok):
            rest = calls[len(results) : len(results) + _BATCH]
            results += (len(rest) > 1 and self._batch(rest, until_failure=until_failure)) or [
                self._one_call(*rest[0])
            ]
        return results

    def _one_call(self, name: str, arguments: Mapping[str, JsonValue], *, hashed: bool = False) -> ToolResult:
        began, changes = time.perf_counter(), None
        body = {"number": self._calls, "name": name, "arguments": arguments, "hashed": hashed}
        self._known_hash = None
        try:
            if not is_well_formed(name, arguments):
                raise TypeError(
                    "a call is a name and an object of arguments, without NaN or infinite numbers"
                )
            answer = self._send("call", body)
            outcome: Any = answer.get("result")
            result = read_result(outcome, time.perf_counter() - began)
            self._known_hash = read_hash(answer["hash"]) if "hash" in answer else None
            changes = outcome.get("changes")
        except (TypeError, RecursionError) as error:
            result = ToolResult(
                status="invalid_arguments", message=f"The arguments are not valid JSON: {error}."
            )
        except SandboxError as error:
            self._recover(error)
            result = ToolResult(
                status="error",
                message=f"{name} {WORKER_KILLED}: {error} The call was undone.",
                seconds=time.perf_counter() - began,
            )
        self._count(name, arguments, changes)
        self._keep_log_short()
        return result

    def _batch(
        self,
        calls: list[Call],
        *,
        until_failure: bool = False,
        start: Snapshot | None = None,
        again: Snapshot | None = None,
    ) -> list[ToolResult]:
        """The results of the first calls; fewer than asked, even none, when one needs its own time limit.
        With `start` they are made from that state, with `again` from that one after each that changed rows,
        where the process is kept."""
        if not are_well_formed(calls):
            return []
        began = time.perf_counter()
        self._known_hash = None
        try:
            body: dict[str, Any] = {
                "number": self._calls,
                "calls": calls,
                "until_failure": until_failure,
                "begin": None if start is None else self.seed,
                "again": None if again is None else [again.seed, again.calls],
            }
            state = start or again
            image = b"" if state is None or state is self._base else state.image
            answer = self._send("call_many", body, image)
            outcomes = read_results(answer.get("results"), len(calls))
            share = (time.perf_counter() - began) / max(len(outcomes), 1)
            results = [read_result(result, share) for result in outcomes]
        except (TypeError, RecursionError):
            return []
        except SandboxError as error:
            self._recover(error)
            return []
        for (name, arguments), outcome in zip(calls, outcomes, strict=False):
            self._count(name, arguments, outcome.get("changes"))
            if again is not None and outcome.get("changes"):
                self._count_from(again, again.seed)
        self._keep_log_short()
        return results

    def _count(self, name: str, arguments: Mapping[str, JsonValue], changes: Any) -> None:
        """Move the clock on and remember what would have to be done again."""
        if changes:
            self._log.append(_Written(self._calls, name, arguments, _fingerprint(changes)))
        self._calls += 1

    def _keep_log_short(self) -> None:
        """Replace a long log by a snapshot; only after every call the worker has made is counted."""
        if len(self._log) >= _CHECKPOINT_CALLS:
            self._checkpoint = self._snapshot()
            self._log.clear()

    def _snapshot(self) -> Snapshot:
        answer, image = self._ask("snapshot", {})
        return Snapshot(
            image=image,
            hash=read_hash(answer.get("hash")),
            clock=self._base.clock + timedelta(seconds=self._calls),
            calls=self._calls,
            seed=self.seed,
        )

    def _recover(self, cause: SandboxError) -> None:
        """Put a new worker where the lost one was: the last checkpoint, and the calls that wrote since.

        All of it together has one time limit, and every call must change what it changed the first time.
        """
        if self._queue.closed:
            raise InstanceClosed("The instance is closed.")
        state, until = self._checkpoint, time.monotonic() + self._limits.state_seconds
        image = None if state is self._base else state.image
        present, self._slot, self._known_hash = self._slot, None, None
        try:
            self._slot = self._pool.slot(present, seed=self.seed, image=image, seconds=_left(until))
            for written in self._log:
                self._make_again(written, until)
        except WorldError as error:
            self.close()
            raise SandboxError(
                f"{cause} The instance could not be restored and was closed: {error}"
            ) from error

    def _make_again(self, written: _Written, until: float) -> None:
        number, name, arguments, fingerprint = written
        body = {"number": number, "name": name, "arguments": arguments, "hashed": False}
        seconds = min(self._limits.call_seconds, _left(until))
        outcome: Any = self._send("call", body, soft=seconds).get("result")
        result = read_result(outcome, 0.0)
        if not result.ok:
            raise SandboxError(
                f"its call {number + 1}, {name}, succeeded the first time and now ended with "
                f"{result.status!r}: {result.message}"
            )
        if _fingerprint(outcome.get("changes")) != fingerprint:
            raise SandboxError(
                f"its call {number + 1}, {name}, changed other rows or values than the first time."
            )

    def _ask(self, op: str, body: dict[str, Any], blob: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """A question about the state; a lost worker is replaced and the next one asked."""
        for _ in range(_REPLACEMENTS):
            try:
                return self._exchange(op, body, blob)
            except SandboxError as error:
                self._recover(error)
        return self._exchange(op, body, blob)

    def _exchange(self, op: str, body: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
        limits = self._limits
        seconds = limits.call_seconds if op == "query" else limits.state_seconds
        answer, tail = self._present_slot.request(op, body, blob, soft=seconds)
        if not answer["ok"]:
            raise BrokenEnvironment(f"The {op} failed: {failure(answer)}", part="schema")
        return answer, tail

    def _send(
        self, op: str, body: dict[str, Any], blob: bytes = b"", *, soft: float | None = None
    ) -> dict[str, Any]:
        answer, _ = self._present_slot.request(op, body, blob, soft=soft)
        if not answer["ok"]:
            raise SandboxError(f"The worker failed: {failure(answer)}")
        return answer

    @property
    def _present_slot(self) -> WorkerSlot:
        if self._slot is None:
            raise InstanceClosed("The instance is closed.")
        return self._slot


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise WorkerTimeout("replaying its calls took too long.")
    return left


def _fingerprint(changes: Any) -> bytes:
    """A digest of every row a call changed, whole: table, key, and values before and after."""
    return hashlib.sha256(orjson.dumps(changes)).digest()
