"""World: a compiled environment, from which any number of live, private copies are made."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import accumulate, pairwise
from types import TracebackType
from typing import Any, Self

import orjson

from synthesis.documents.environment import Environment
from synthesis.documents.evidence import Evidence, evidence_of_calls
from synthesis.documents.invariants import BrokenInvariant
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
from synthesis.worlds.invariants import CompiledInvariants, compile_invariants, read_broken
from synthesis.worlds.job import JobFailed, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.open_instances import OPEN_INSTANCES
from synthesis.worlds.runtime import layer_of
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.state_editor import StateEditor
from synthesis.worlds.toolset import CompiledTools, compile_tools, refuse
from synthesis.worlds.verifier_input import answer_fields, evidence_fields
from synthesis.worlds.verifier_trial import PreparedVerifier, VerifierTrial
from synthesis.worlds.worker_slots import Isolation, Pool

__all__ = ["Instance", "Isolation", "World"]

End = tuple[str, Snapshot, str]
"""A task, the state in which an episode of it ended, and the answer."""


class World:
    """A compiled environment: tools and the base snapshot are made once, instances come from them.

    Args:
        environment: The complete design.
        isolation: "process": one sealed process per instance. "shared": many instances per sealed process, an
            explicit choice of an operator for code that is trusted, see
            `synthesis.worlds.worker_slots.Isolation`.
        limits: Ceilings of calls, memory, output and instances.
        base: The state before the first call, where this schema and these rows are built already.

    Raises:
        BrokenEnvironment: Its schema, rows, tools or invariants do not work.
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
        invariants = CompiledInvariants()
        if environment.invariants is not None:
            invariants = compile_invariants(environment.invariants.source, limits=self.limits)
            refuse(invariants.findings)
        self._pool = Pool(
            self._blueprint(compiled, invariants),
            isolation=isolation,
            limits=self.limits,
            layer=layer_of(compiled.runtime),
        )
        self._lock = threading.Lock()
        self._instances: set[Instance] = set()
        self._reference_evidences: dict[str, Evidence] = {}
        self._closed = False

    def instance(self, *, seed: int = 0, keep_process: bool = False) -> Instance:
        """A fresh private copy.

        Args:
            seed: Seed of its random numbers.
            keep_process: Whether `reset` and `restore` go on in the same process, with the tools reloaded,
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
            result = Instance(
                self.base,
                self.limits,
                self._pool,
                seed=seed,
                keep_process=keep_process,
                when_closed=self._forget,
            )
            self._instances.add(result)
        OPEN_INSTANCES.add(result)
        try:
            result.reset()
        except BaseException:
            result.close()
            raise
        return result

    def verify_code(
        self,
        task_id: str,
        before: Snapshot,
        after: Snapshot,
        answer: str,
        *,
        source: str | None = None,
        evidence: Evidence | None = None,
    ) -> tuple[CheckOutcome, ...]:
        """Run a task's verifier in a fresh sealed process; in a shared one where instances share theirs.

        Args:
            task_id: Whose verifier.
            before: State the episode began with.
            after: State it ended with.
            answer: The agent's final text; an `Answer` where it declares more.
            source: Another verifier to run instead of the task's own.
            evidence: What was called, said and touched. Without it, as in a proof, a verifier that names
                `calls` or `conversation` is shown those of the reference solution.

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
            **answer_fields(answer),
            "max_bytes": self.limits.max_output_bytes,
            "evidence": self._evidence(task_id, evidence, self._verifier(task_id) if code else source),
        }
        results = self._verify("verify", task_id, body, b"".join((code, known, after.image)))
        return read_outcomes(results.get("outcomes"))

    def verify_many(self, ends: Sequence[End]) -> list[tuple[CheckOutcome, ...] | None]:
        """Run verifiers against several ends in one sealed process, each time in a new namespace.

        A verifier's module is executed again for every end; what it might hide in the process would still be
        there: for trying many ends in a proof, never for a verdict that counts. A verifier that names `calls`
        or `conversation` is shown those of the reference solution.

        Args:
            ends: Task, end state and answer of each, all begun with the world's first state.

        Returns:
            The outcomes of each end, None where the verifier came to none; in a process of its own,
            `verify_code` says why.

        Raises:
            BrokenEnvironment: A verifier does not compile, or all of them together took too long.
            SandboxError: The process died or broke the protocol.
            UnknownName: There is no such task.
        """
        tasks = list(dict.fromkeys(task_id for task_id, _, _ in ends))
        sources = [self._verifier(task_id) for task_id in tasks]
        codes = [self._verifier_codes.get(source, b"") for source in sources]
        if not all(codes):
            where = tasks[codes.index(b"")]
            raise BrokenEnvironment(f"The verifier of {where} does not compile.", part="verifiers")
        images = list({id(after): after.image for _, after, _ in ends}.items())
        places = {key: place for place, (key, _) in enumerate(images)}
        order = sorted(range(len(ends)), key=lambda place: places[id(ends[place][1])])
        body = {
            "code_bytes": [len(code) for code in codes],
            "image_bytes": [len(image) for _, image in images],
            "ends": [
                {
                    "code": tasks.index(task_id),
                    "image": places[id(after)],
                    "clock": after.clock.isoformat(),
                    **answer_fields(answer),
                }
                for task_id, after, answer in (ends[place] for place in order)
            ],
            "max_bytes": self.limits.max_output_bytes,
            "evidences": [
                self._evidence(task, None, source) for task, source in zip(tasks, sources, strict=True)
            ],
        }
        blob = b"".join((*codes, *(image for _, image in images)))
        result = self._verify("verify_many", ", ".join(tasks), body, blob).get("found")
        if not isinstance(result, list) or len(result) != len(ends):
            raise ProtocolViolated("The verifiers' process answered in an unknown form.")
        outcomes = dict(zip(order, result, strict=True))
        return [
            read_outcomes(each) if (each := outcomes[place]) is not None else None
            for place in range(len(ends))
        ]

    def verifier_trials(
        self, right_ends: Mapping[str, tuple[Snapshot, str]], prepared: Mapping[str, PreparedVerifier]
    ) -> dict[str, VerifierTrial]:
        """Trials of verifiers against many near-misses; the caller closes each. None runs yet.

        Args:
            right_ends: By task: the right end state and the right answer.
            prepared: By task: its verifier prepared to be weakened, where it is to be.

        Returns:
            By task; a task whose verifier does not compile has none.
        """
        codes = self._compiled([verifier.source for verifier in prepared.values()])
        results = {}
        for task_id, (right, answer) in right_ends.items():
            if code := self._verifier_codes.get(self._verifier(task_id), b""):
                weak = prepared.get(task_id)
                weak_code = codes.get(weak.source, b"") if weak else b""
                results[task_id] = VerifierTrial(
                    self._pool,
                    self.limits,
                    right=right,
                    answer={
                        **answer_fields(answer),
                        "evidence": self._evidence(task_id, None, self._verifier(task_id)),
                    },
                    code=code,
                    prepared=weak_code,
                    sites=weak.sites if weak and weak_code else (),
                )
        return results

    def state_editor(self) -> StateEditor:
        """Where rows of this world's states are edited without a tool; the caller closes it."""
        return StateEditor(self.base, self.limits, self._pool)

    def rows(self, snapshot: Snapshot, sql: str, *params: Any, limit: int = 1_000) -> list[dict[str, Any]]:
        """A read-only look into a snapshot, in a fresh sealed process.

        Raises:
            BrokenEnvironment: The SQL does not run.
        """
        body = {"sql": sql, "params": list(params), "limit": limit, "clock": snapshot.clock.isoformat()}
        try:
            results, _ = run_job(
                "rows", body, snapshot.image, limits=self.limits, seconds=self.limits.call_seconds
            )
        except JobFailed as error:
            raise BrokenEnvironment(f"The query failed: {error}", part="schema") from error
        return read_rows(results.get("rows"))

    def broken_invariants(self, snapshot: Snapshot) -> tuple[BrokenInvariant, ...]:
        """The declared invariants that do not hold in a state, tried in a fresh sealed process.

        Raises:
            BrokenEnvironment: They take too long, or the process cannot try them.
        """
        body = {"clock": snapshot.clock.isoformat()}
        image = b"" if snapshot is self.base else snapshot.image
        try:
            results, _ = self._pool.job("try_invariants", body, image, seconds=self.limits.verify_seconds)
        except JobFailed as error:
            raise BrokenEnvironment(f"The invariants failed: {error}", part="invariants") from error
        return read_broken(results.get("broken"))

    def close(self) -> None:
        """Close every instance, within the time that one call may take; harmless when closed."""
        with self._lock:
            self._closed = True
            instances = list(self._instances)
        until = time.monotonic() + self.limits.call_seconds + self.limits.grace_seconds
        for instance in instances:
            instance.close(wait=max(until - time.monotonic(), 0.0))
        self._pool.close()

    def _forget(self, instance: Instance) -> None:
        with self._lock:
            self._instances.discard(instance)
        OPEN_INSTANCES.discard(instance)

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
            results, _ = self._pool.job(op, body, blob, seconds=self.limits.verify_seconds)
        except JobFailed as error:
            words = {
                "time": f"it took longer than {self.limits.verify_seconds:g} s",
                "memory": "out of memory",
            }
            message = words.get(error.kind, str(error))
            raise BrokenEnvironment(
                f"The verifier of {task_id} failed: {message}", part="verifiers", where=task_id
            ) from error
        return results

    def _evidence(self, task_id: str, evidence: Evidence | None, source: str) -> dict[str, Any] | None:
        """What the worker is sent of it: calls and what was said only where a verifier may ask for them."""
        named = {name for name in ("calls", "conversation") if name in source}
        if evidence is not None:
            return evidence_fields(evidence, {"touched", *named})
        return evidence_fields(self._reference_evidence(task_id), named) if named else None

    def _reference_evidence(self, task_id: str) -> Evidence:
        """The calls of a task's reference solution and what came of them; made once."""
        known = self._reference_evidences.get(task_id)
        task = self.environment.task(task_id)
        if known is not None or task is None:
            return known or Evidence()
        with self.instance() as instance:
            results = instance.call_many(task.reference_solution)
        evidence = evidence_of_calls(
            task.reference_solution,
            results,
            instruction=task.instruction,
            answer=task.reference_answer,
        )
        self._reference_evidences[task_id] = evidence
        return evidence

    @cached_property
    def _verifier_codes(self) -> dict[str, bytes]:
        """Compiled verifiers by source; those that do not compile are left to the verification."""
        return self._compiled([verifier.source for verifier in self.environment.verifiers.verifiers])

    def _compiled(self, sources: Sequence[str]) -> dict[str, bytes]:
        """Compiled verifiers by source, nothing of them run."""
        try:
            results, code = run_job(
                "compile_verifiers",
                {"sources": sources},
                limits=self.limits,
                seconds=self.limits.build_seconds,
            )
            sizes = [int(size) for size in results["sizes"]]
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

    def _blueprint(self, tools: CompiledTools, invariants: CompiledInvariants) -> bytes:
        """What this world's template holds, as `synthesis.worlds.worker.worker.read_blueprint` reads it."""
        actor = self.environment.seed_data.actor
        body = orjson.dumps(
            {
                "runtime": tools.runtime,
                "routes": tools.routes,
                "code_bytes": len(tools.code),
                "invariants_bytes": len(invariants.code),
                "sentences": {each.name: each.sentence for each in invariants.declared},
                "tools": [tool.model_dump(mode="json", by_alias=True) for tool in self.tools],
                "start": self.environment.scenario.clock.isoformat(),
                "actor": actor.key if actor else None,
                "limits": asdict(self.limits),
            }
        )
        return len(body).to_bytes(4, "big") + body + tools.code + invariants.code + self.base.image
