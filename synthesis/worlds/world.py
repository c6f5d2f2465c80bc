"""World: a compiled environment, from which any number of live, private copies are made."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import accumulate, pairwise
from types import TracebackType
from typing import Any, Self

import orjson

from synthesis.documents.environment import Environment
from synthesis.documents.tools import Tool
from synthesis.documents.verdict import CheckOutcome
from synthesis.errors import (
    BrokenEnvironment,
    CapacityExhausted,
    InstanceClosed,
    ProtocolViolated,
    UnknownName,
    WorkerDied,
    WorkerTimeout,
)
from synthesis.worlds import database
from synthesis.worlds.answers import read_outcomes, read_rows
from synthesis.worlds.instance import Instance
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.job import JobFailed, run_job
from synthesis.worlds.seats import Isolation, Pool
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.toolset import compile_tools, refuse
from synthesis.worlds.workbench import Workbench

__all__ = ["Instance", "Isolation", "World"]


class World:
    """A compiled environment: tools and the base snapshot are made once, instances come from them.

    Args:
        environment: The complete design.
        isolation: "process": one sealed process per instance. "shared": many instances per sealed process, an
            explicit choice of an operator for code that is trusted, see `synthesis.worlds.seats.Isolation`.
        limits: Ceilings of calls, memory, output and instances.
        base: The state before the first call, where this schema and these rows are built already.

    Raises:
        BrokenEnvironment: Its schema, rows or tools do not work.
        SandboxUnavailable: This host cannot run generated code.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        isolation: Isolation = "process",
        limits: Limits | None = None,
        base: Snapshot | None = None,
    ) -> None:
        self.environment = environment
        self.isolation: Isolation = isolation
        self.limits = limits or Limits()
        self.base: Snapshot = base or database.build(
            environment.schema, environment.seed_data, clock=environment.scenario.clock, limits=self.limits
        )
        compiled = compile_tools(environment.tools.source, limits=self.limits)
        refuse(compiled.findings)
        self.tools: tuple[Tool, ...] = compiled.tools
        self._pool = Pool(self._blueprint(compiled.code), isolation=isolation, limits=self.limits)
        self._lock = threading.Lock()
        self._instances: set[Instance] = set()
        self._closed = False

    def instance(self, *, seed: int = 0, keep_process: bool = False) -> Instance:
        """A fresh private copy.

        Args:
            seed: Seed of its random numbers.
            keep_process: Whether `reset` and `restore` go on in the same process, with the tools loaded anew,
                instead of in a new one. For trying many calls of one environment; what its code hid in the
                process would still be there.

        Raises:
            CapacityExhausted: The world has as many instances as its limits allow, or the host has no room.
            InstanceClosed: The world is closed.
        """
        with self._lock:
            if self._closed:
                raise InstanceClosed(f"The world {self.environment.name!r} is closed.")
            if len(self._instances) >= self.limits.max_instances:
                raise CapacityExhausted(
                    f"The world {self.environment.name!r} already has {self.limits.max_instances} instances, "
                    "its limit: close some, or raise Limits.max_instances."
                )
            made = Instance(self, self._pool, seed=seed, keep_process=keep_process)
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
        """Run a task's verifier in a fresh sealed process; in a shared one where instances share theirs.

        Args:
            task_id: Whose verifier.
            before: State the episode began with.
            after: State it ended with.
            answer: The agent's final text.
            source: Another verifier to run instead of the task's own.

        Raises:
            BrokenEnvironment: The verifier raised, made no check or a bad one, or the schema was changed.
            SandboxError: The process died, ran out of time or broke the protocol.
            UnknownName: There is no such task.
        """
        code = b""
        if source is None:
            source = self._verifier(task_id)
            code = self._verifier_codes.get(source, b"")
        known = b"" if before is self.base else before.image  # a copy of the template has the base open
        body = {
            "source": "" if code else source,
            "code_bytes": len(code),
            "from_base": before is self.base,
            "before_bytes": len(known),
            "clocks": [before.clock.isoformat(), after.clock.isoformat()],
            "answer": _encodable(answer),
            "max_bytes": self.limits.max_output_bytes,
        }
        found = self._verify("verify", task_id, body, b"".join((code, known, after.image)))
        return read_outcomes(found.get("outcomes"))

    def verify_many(
        self, task_id: str, ends: Sequence[tuple[Snapshot, str]]
    ) -> list[tuple[CheckOutcome, ...] | None]:
        """Run a task's verifier against several ends in one sealed process, each time in a new namespace.

        Its module is executed anew for every end, but what it might hide in the process would still be there:
        for trying many ends in a proof, never for a verdict that counts.

        Args:
            task_id: Whose verifier.
            ends: State and answer of each, all begun with the world's first state.

        Returns:
            The outcomes of each end, None where the verifier came to none; in a process of its own,
            `verify_code` says why.

        Raises:
            BrokenEnvironment: It does not compile, or took too long for all of them together.
            SandboxError: The process died or broke the protocol.
            UnknownName: There is no such task.
        """
        code = self._verifier_codes.get(self._verifier(task_id), b"")
        if not code:
            raise BrokenEnvironment(f"The verifier of {task_id} does not compile.", part="verifiers")
        body = {
            "code_bytes": len(code),
            "ends": [
                {
                    "bytes": len(after.image),
                    "clock": after.clock.isoformat(),
                    "answer": _encodable(answer),
                }
                for after, answer in ends
            ],
            "max_bytes": self.limits.max_output_bytes,
        }
        images = (after.image for after, _ in ends)
        found = self._verify("verify_many", task_id, body, b"".join((code, *images))).get("found")
        if not isinstance(found, list) or len(found) != len(ends):
            raise ProtocolViolated("The verifier's process answered in a form that is not known.")
        return [None if outcomes is None else read_outcomes(outcomes) for outcomes in found]

    def workbench(self) -> Workbench:
        """Where rows of this world's states are edited without a tool; the caller closes it."""
        return Workbench(self, self._pool)

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
        return read_rows(found.get("rows"))

    def close(self) -> None:
        """Close every instance; harmless when closed."""
        with self._lock:
            self._closed = True
            instances = list(self._instances)
        for instance in instances:
            instance.close()
        self._pool.close()

    def forget(self, instance: Instance) -> None:
        """Free the slot of a closed instance; `Instance.close` calls it."""
        with self._lock:
            self._instances.discard(instance)

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

    def _verify(self, op: str, task_id: str, body: dict[str, Any], blob: bytes) -> dict[str, Any]:
        try:
            found, _ = self._pool.job(op, body, blob, seconds=self.limits.verify_seconds)
        except JobFailed as error:
            words = {
                "time": f"it took longer than {self.limits.verify_seconds:g} s",
                "memory": "out of memory",
            }
            message = words.get(error.kind, str(error))
            raise BrokenEnvironment(
                f"The verifier of {task_id} failed: {message}", part="verifiers", where=task_id
            ) from error
        return found

    @cached_property
    def _verifier_codes(self) -> dict[str, bytes]:
        """Compiled verifiers by source; those that do not compile are left to the verification."""
        sources = [verifier.source for verifier in self.environment.verifiers.verifiers]
        try:
            found, code = run_job(
                "compile_verifiers",
                {"sources": sources},
                limits=self.limits,
                seconds=self.limits.build_seconds,
            )
            sizes = [int(size) for size in found["sizes"]]
        except (JobFailed, WorkerDied, WorkerTimeout, ProtocolViolated, KeyError, TypeError, ValueError):
            return {}
        ends = list(accumulate(sizes, initial=0))
        return {
            source: code[start:end] for source, (start, end) in zip(sources, pairwise(ends), strict=False)
        }

    def _verifier(self, task_id: str) -> str:
        verifier = self.environment.verifier(task_id)
        if verifier is None:
            raise UnknownName("task", task_id, [task.id for task in self.environment.tasks.tasks])
        return verifier.source

    def _blueprint(self, code: bytes) -> bytes:
        """What this world's template holds, as `synthesis.worlds.sandbox.worker.read_blueprint` reads it."""
        actor = self.environment.seed_data.actor
        body = orjson.dumps(
            {
                "code_bytes": len(code),
                "tools": [tool.model_dump(mode="json", by_alias=True) for tool in self.tools],
                "start": self.environment.scenario.clock.isoformat(),
                "actor": actor.key if actor else None,
                "limits": asdict(self.limits),
            }
        )
        return len(body).to_bytes(4, "big") + body + code + self.base.image


def _encodable(answer: str) -> str:
    """The answer with what UTF-8 cannot express replaced."""
    return answer.encode("utf-8", "replace").decode()
