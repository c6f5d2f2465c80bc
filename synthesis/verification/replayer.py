"""Replayer: calls played from any state of a world, time after time, on one instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Self

from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.end_state_difference import followed_by
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import Instance, World


class Replayer:
    """Tries out what calls come to, many times over.

    Every play begins with a whole database and freshly loaded tools, but in the same sealed process: one of
    its own costs more than most plays. What must be shown in another process (a replay, a verification) is
    not shown here.

    Args:
        world: Where; it stays open.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._instance: Instance | None = None
        self._differences = {world.base.hash: StateDiff()}
        """By hash of a state: how it differs from the world's first one."""

    def play(
        self, calls: Sequence[ToolCall], *, start: Snapshot | None = None, until_failure: bool = False
    ) -> tuple[list[ToolResult], StateDiff]:
        """Make calls: what each came to, and all rows that then differ from the world's first state.

        Args:
            calls: What to call.
            start: The state to begin from; the world's first one otherwise.
            until_failure: Stop after the first call that does not succeed.
        """
        start = start or self._world.base
        if self._instance is not None and not self._instance.closed and start.hash in self._differences:
            first = self._differences[start.hash]
            results = self._instance.call_from(start, calls, until_failure=until_failure)
        else:
            instance = self._begin(start)
            first = self._difference(start, instance)
            results = instance.call_many(calls, until_failure=until_failure)
        changes = (result.changes for result in results)
        return results, followed_by(first, changes, self._world.environment.schema)

    def later(self, calls: int) -> Snapshot:
        """The world's first state, so many calls (and seconds) later."""
        return later(self._world.base, calls)

    def state(self) -> Snapshot:
        """The state in which the last play ended."""
        return self._world.base if self._instance is None else self._instance.snapshot()

    def close(self) -> None:
        """End its process."""
        if self._instance is not None:
            self._instance.close()
            self._instance = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _difference(self, start: Snapshot, instance: Instance) -> StateDiff:
        """How a state differs from the world's first one; the instance is in it."""
        if start.hash not in self._differences:
            self._differences[start.hash] = instance.diff(self._world.base)
        return self._differences[start.hash]

    def _begin(self, start: Snapshot) -> Instance:
        if self._instance is None or self._instance.closed:
            self._instance = self._world.instance(keep_process=True)
            if start is self._world.base:
                return self._instance
        self._instance.restore(start)
        return self._instance


def later(snapshot: Snapshot, calls: int) -> Snapshot:
    """The same state some calls later."""
    return replace(snapshot, calls=snapshot.calls + calls, clock=snapshot.clock + timedelta(seconds=calls))
