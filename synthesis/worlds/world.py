"""World: a compiled environment. Instance: one live, private copy of it with its own database."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import timedelta
from types import TracebackType
from typing import Any, Literal, Self

from pydantic import JsonValue

from synthesis.documents.environment import Environment
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.documents.verdict import CheckOutcome
from synthesis.errors import (
    BrokenEnvironment,
    CapacityExhausted,
    InstanceClosed,
    ProtocolViolated,
    SandboxError,
    UnknownName,
    WorldError,
)
from synthesis.worlds import database
from synthesis.worlds.diff import read_changes
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_server import Worker, fork_server
from synthesis.worlds.sandbox.job import JobFailed, failure, run_job
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.toolset import compile_tools, refuse

Isolation = Literal["process", "shared"]
_MIB = 2**20
_CHECKPOINT_CALLS = 200


class World:
    """A compiled environment: tools and the base snapshot are made once, instances come from them.

    Args:
        environment: The complete design.
        isolation: "process": one sealed process per instance.
        limits: Ceilings of calls, memory, output and instances.

    Raises:
        BrokenEnvironment: Its schema, rows or tools do not work.
        SandboxUnavailable: This host cannot run generated code.
    """

    def __init__(
        self, environment: Environment, *, isolation: Isolation = "process", limits: Limits | None = None
    ) -> None:
        self.environment = environment
        self.isolation: Isolation = isolation
        self.limits = limits or Limits()
        self.base: Snapshot = database.build(
            environment.schema, environment.seed_data, clock=environment.scenario.clock, limits=self.limits
        )
        compiled = compile_tools(environment.tools.source, limits=self.limits)
        refuse(compiled.findings)
        self.tools: tuple[Tool, ...] = compiled.tools
        self._code = compiled.code
        self._lock = threading.Lock()
        self._instances: set[Instance] = set()
        self._closed = False

    def instance(self, *, seed: int = 0) -> Instance:
        """A fresh private copy.

        Args:
            seed: Seed of its random numbers.

        Raises:
            CapacityExhausted: The world has as many instances as its limits allow, or the host has no room.
            InstanceClosed: The world is closed.
        """
        with self._lock:
            if self._closed:
                raise InstanceClosed(f"The world {self.environment.name!r} is closed.")
            if len(self._instances) >= self.limits.max_instances:
                raise CapacityExhausted(
                    f"The world {self.environment.name!r} already has {self.limits.max_instances} instances, its "
                    "limit: close some, or raise Limits.max_instances."
                )
            made = Instance(self, seed=seed)
            self._instances.add(made)
        try:
            made.reset()
        except BaseException:
            made.close()
            raise
        return made

    def verify_code(
        self, task_id: str, before: Snapshot, after: Snapshot, answer: str, *, source: str | None = None
    ) -> tuple[CheckOutcome, ...]:
        """Run a task's verifier in a fresh sealed process.

        Args:
            task_id: Whose verifier.
            before: State the episode began with.
            after: State it ended with.
            answer: The agent's final text.
            source: Another verifier to run instead of the task's own.

        Raises:
            BrokenEnvironment: The verifier raised, made no check or a malformed one, or the schema was changed.
            SandboxError: The process died, ran out of time or broke the protocol.
            UnknownName: There is no such task.
        """
        if source is None:
            source = self._verifier(task_id)
        body = {
            "source": source,
            "before_bytes": len(before.image),
            "clocks": [before.clock.isoformat(), after.clock.isoformat()],
            "answer": answer.encode("utf-8", "replace").decode(),
            "max_bytes": self.limits.max_output_bytes,
        }
        try:
            found, _ = run_job(
                "verify",
                body,
                before.image + after.image,
                limits=self.limits,
                seconds=self.limits.verify_seconds,
            )
        except JobFailed as error:
            words = {
                "time": f"it took longer than {self.limits.verify_seconds:g} s",
                "memory": "out of memory",
            }
            message = words.get(error.kind, str(error))
            raise BrokenEnvironment(
                f"The verifier of {task_id} failed: {message}", part="verifiers", where=task_id
            ) from error
        return _read_outcomes(found.get("outcomes"))

    def rows(self, snapshot: Snapshot, sql: str, *params: Any, limit: int = 1_000) -> list[dict[str, Any]]:
        """A read-only look into a snapshot, in a fresh sealed process.

        Raises:
            BrokenEnvironment: The SQL does not run.
        """
        body = {"sql": sql, "params": list(params), "limit": limit, "clock": snapshot.clock.isoformat()}
        try:
            found, _ = run_job(
                "rows", body, snapshot.image, limits=self.limits, seconds=self.limits.call_seconds
            )
        except JobFailed as error:
            raise BrokenEnvironment(f"The query failed: {error}", part="schema") from error
        return _read_rows(found.get("rows"))

    def close(self) -> None:
        """Close every instance; harmless when closed."""
        with self._lock:
            self._closed = True
            instances = list(self._instances)
        for instance in instances:
            instance.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def live(self) -> int:
        """Number of live instances."""
        return len(self._instances)

    def _verifier(self, task_id: str) -> str:
        verifier = self.environment.verifier(task_id)
        if verifier is None:
            raise UnknownName("task", task_id, [task.id for task in self.environment.tasks.tasks])
        return verifier.source

    def _start_worker(self, image: bytes, seed: int) -> Worker:
        """A new process with this world's tools and a database."""
        actor = self.environment.seed_data.actor
        worker = fork_server().fork(memory_mib=self.limits.memory_mib)
        body = {
            "code_bytes": len(self._code),
            "tools": [tool.model_dump(mode="json", by_alias=True) for tool in self.tools],
            "start": self.environment.scenario.clock.isoformat(),
            "seed": seed,
            "actor": actor.key if actor else None,
            "limits": asdict(self.limits),
        }
        try:
            answer, _ = worker.request(
                "start",
                body,
                self._code + image,
                soft=self.limits.build_seconds,
                grace=self.limits.grace_seconds,
                max_body=_MIB,
            )
        except BaseException:
            worker.kill()
            raise
        if not answer["ok"]:
            worker.kill()
            raise BrokenEnvironment(f"The tools do not load: {failure(answer)}", part="tools")
        return worker

    def _forget(self, instance: Instance) -> None:
        with self._lock:
            self._instances.discard(instance)


class Instance:
    """One live copy; made by `World.instance`. Thread-safe: calls are made one after the other.

    A worker that dies during a call costs that call alone: the call ends with status "error" and the instance
    goes on from its last committed state.
    """

    def __init__(self, world: World, *, seed: int) -> None:
        self._world, self.seed = world, seed
        self._lock = threading.RLock()
        self._worker: Worker | None = None
        self._closed = False
        self._start = world.base
        self._checkpoint = world.base
        self._log: list[tuple[int, str, Mapping[str, JsonValue]]] = []
        self._calls = 0

    @property
    def world(self) -> World:
        """The world it is a copy of."""
        return self._world

    @property
    def calls(self) -> int:
        """Calls made since the world began, on this line of history."""
        return self._calls

    def call(self, name: str, arguments: Mapping[str, JsonValue] | None = None) -> ToolResult:
        """Call one tool as one transaction.

        A refusal, an unknown tool, bad arguments and a failing tool are results, not exceptions.

        Raises:
            InstanceClosed: The instance is closed.
            SandboxError: The worker was lost and could not be replaced.
        """
        return self.call_many([(name, arguments or {})])[0]

    def call_many(self, calls: Iterable[ToolCall | tuple[str, Mapping[str, JsonValue]]]) -> list[ToolResult]:
        """Make calls one after the other, whatever each comes to, and return their results."""
        pairs = [(c.name, c.arguments) if isinstance(c, ToolCall) else (c[0], dict(c[1])) for c in calls]
        with self._lock:
            return [self._one_call(name, arguments) for name, arguments in pairs]

    def reset(self, seed: int | None = None) -> None:
        """Begin again from the base snapshot in a new process: nothing of this history survives.

        Args:
            seed: Another seed; the present one otherwise.
        """
        with self._lock:
            self._ensure_open()
            if seed is not None:
                self.seed = seed
            self._begin(self._world.base)

    def snapshot(self) -> Snapshot:
        """The present state as a value."""
        with self._lock:
            answer, image = self._ask("snapshot", {})
            return Snapshot(
                image=image,
                hash=_text(answer.get("hash")),
                clock=self._world.base.clock + timedelta(seconds=self._calls),
                calls=self._calls,
                seed=self.seed,
            )

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of this world, in a new process."""
        with self._lock:
            self._ensure_open()
            self.seed = snapshot.seed
            start = self._start
            self._begin(snapshot)
            self._start = start

    def diff(self, since: Snapshot | None = None) -> StateDiff:
        """Rows that differ from a snapshot; by default from the last reset."""
        with self._lock:
            since = since or self._start
            answer, _ = self._ask("diff", {"since": True}, since.image)
            return read_changes(answer.get("changes"))

    def state_hash(self) -> str:
        """SHA-256 over the ordered rows of all tables."""
        with self._lock:
            return _text(self._ask("hash", {})[0].get("hash"))

    def query(self, sql: str, *params: Any, limit: int = 1_000) -> list[dict[str, Any]]:
        """A read-only look into the database; it is no call and moves no clock.

        Raises:
            BrokenEnvironment: The SQL does not run.
        """
        with self._lock:
            answer, _ = self._ask("query", {"sql": sql, "params": list(params), "limit": limit})
            return _read_rows(answer.get("rows"))

    def close(self) -> None:
        """End its process and free its slot; harmless when closed."""
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.kill()
                self._worker = None
        self._world._forget(self)  # noqa: SLF001 - world and instance are one abstraction in two classes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, state: Snapshot) -> None:
        """Start a new process from a state and make it the beginning of the log."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
        self._worker = self._world._start_worker(state.image, self.seed)  # noqa: SLF001
        self._start = self._checkpoint = state
        self._calls = state.calls
        self._log.clear()

    def _one_call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        self._ensure_open()
        began = time.perf_counter()
        number, self._calls = self._calls, self._calls + 1
        try:
            result = _read_result(
                self._send("call", {"number": number, "name": name, "arguments": arguments})
            )
        except (TypeError, RecursionError) as error:
            result = ToolResult(status="invalid_arguments", message=f"The arguments are no JSON: {error}.")
        except SandboxError as error:
            self._recover(error)
            result = ToolResult(status="error", message=f"{name}: {error} The call was undone.")
        if result.changes:
            self._log.append((number, name, arguments))
            if len(self._log) >= _CHECKPOINT_CALLS:
                self._checkpoint = self.snapshot()
                self._log.clear()
        return result.model_copy(update={"seconds": time.perf_counter() - began})

    def _recover(self, cause: SandboxError) -> None:
        """Put a new process where the lost one was: the last checkpoint and the calls that changed rows since."""
        try:
            if self._worker is not None:
                self._worker.kill()
            self._worker = self._world._start_worker(self._checkpoint.image, self.seed)  # noqa: SLF001
            for number, name, arguments in self._log:
                self._send("call", {"number": number, "name": name, "arguments": arguments})
        except WorldError as error:
            self.close()
            raise SandboxError(f"{cause} The instance could not be restored: {error}") from error

    def _ask(self, op: str, body: dict[str, Any], blob: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """A question about the state; a lost worker is replaced and asked once more."""
        self._ensure_open()
        try:
            return self._exchange(op, body, blob)
        except SandboxError as error:
            self._recover(error)
            return self._exchange(op, body, blob)

    def _exchange(self, op: str, body: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
        assert self._worker is not None
        limits = self._world.limits
        answer, tail = self._worker.request(
            op,
            body,
            blob,
            soft=limits.call_seconds,
            grace=limits.grace_seconds,
            max_body=64 * _MIB,
            max_blob=(limits.max_database_mib + 1) * _MIB,
        )
        if not answer["ok"]:
            raise BrokenEnvironment(f"The {op} failed: {failure(answer)}", part="schema")
        return answer, tail

    def _send(self, op: str, body: dict[str, Any]) -> dict[str, Any]:
        assert self._worker is not None
        limits = self._world.limits
        answer, _ = self._worker.request(
            op,
            body,
            soft=limits.call_seconds,
            grace=limits.grace_seconds,
            max_body=2 * limits.max_output_bytes + 16 * _MIB,
        )
        if not answer["ok"]:
            raise SandboxError(f"The worker failed: {failure(answer)}")
        return answer

    def _ensure_open(self) -> None:
        if self._closed:
            raise InstanceClosed("The instance is closed.")


def _read_result(answer: dict[str, Any]) -> ToolResult:
    try:
        result = dict(answer["result"])
        result["changes"] = read_changes(result.get("changes"))
        return ToolResult.model_validate(result)
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise ProtocolViolated("The worker gave a result in a form that is not known.") from error


def _read_outcomes(outcomes: Any) -> tuple[CheckOutcome, ...]:
    try:
        return tuple(CheckOutcome.model_validate(outcome, strict=True) for outcome in outcomes)
    except (ValueError, TypeError) as error:
        raise ProtocolViolated("The verifier's process answered in a form that is not known.") from error


def _read_rows(rows: Any) -> list[dict[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ProtocolViolated("The worker gave rows in a form that is not known.")
    return rows


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 64:
        raise ProtocolViolated("The worker gave a hash in a form that is not known.")
    return value
