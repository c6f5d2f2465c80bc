"""State editor: edits of rows that no tool made, applied in a sealed process in which no tool runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from synthesis.documents.state_diff import StateDiff
from synthesis.errors import BrokenEnvironment, InstanceClosed, SandboxError
from synthesis.worlds.answers import read_changes, read_hash
from synthesis.worlds.job import failure
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.worker_slots import Pool, SharedWorker


class StateEditor:
    """Where states of one world are edited; made by `World.state_editor`. Thread-safe.

    Args:
        base: A state of the world, whose schema the edited states have.
        limits: Ceilings of the world.
        pool: Its workers.
    """

    def __init__(self, base: Snapshot, limits: Limits, pool: Pool) -> None:
        self._base, self._limits, self._pool = base, limits, pool
        self._lock = threading.Lock()
        self._shared_worker: SharedWorker | None = None
        self._start: Snapshot | None = None
        self._closed = False

    def first_possible(
        self, start: Snapshot, variants: Sequence[Sequence[dict[str, Any]]], *, unlike: str = ""
    ) -> tuple[Snapshot, StateDiff] | None:
        """The state after the first variant that the schema allows, with the rows that differ from the start.

        An edit is no call: the clock does not move.

        Args:
            start: The state to edit.
            variants: Lists of edits, each an object of kind, table, key and values.
            unlike: Hash of a state that it must not be.

        Returns:
            None when no variant is possible.

        Raises:
            SandboxError: The worker was lost, and so was the one after it.
            InstanceClosed: The state editor is closed.
        """
        body = {"variants": variants, "number": start.calls, "seed": start.seed, "unlike": unlike}
        answer, image = self._ask(start, body)
        changes = read_changes(answer.get("changes"))
        if not answer.get("hash"):
            return None
        snapshot = Snapshot(
            image=image,
            hash=read_hash(answer.get("hash")),
            clock=start.clock,
            calls=start.calls,
            seed=start.seed,
        )
        return snapshot, changes

    def close(self) -> None:
        """End its process; harmless when closed."""
        with self._lock:
            self._closed = True
            self._leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, start: Snapshot, body: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        with self._lock:
            try:
                return self._exchange(start, body)
            except SandboxError:
                self._leave()  # a lost worker is replaced once
            return self._exchange(start, body)

    def _exchange(self, start: Snapshot, body: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        if self._closed:
            raise InstanceClosed("The state editor is closed.")
        if self._shared_worker is None:
            self._shared_worker, self._start = self._pool.shared_worker(), self._base
        own = start is self._base
        image = b"" if own or start is self._start else start.image
        renewed = {**body, "renew": start is not self._start, "own": own}
        self._start = None  # until it is known that the worker has it
        answer, content = self._shared_worker.ask("edit", renewed, image, self._limits.build_seconds)
        if not answer["ok"]:
            raise BrokenEnvironment(f"The rows could not be edited: {failure(answer)}", part="schema")
        self._start = start
        return answer, content

    def _leave(self) -> None:
        if self._shared_worker is not None:
            with contextlib.suppress(SandboxError):
                self._shared_worker.kill()
        self._shared_worker = self._start = None
