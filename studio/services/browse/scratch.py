"""Scratch: a private instance of an environment on which a person tries its tools.

What was called is kept with the person's session; the instance is only a cache. The same seed and the same
calls give the same bytes, so an instance that expired, or that another process holds, is replayed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User

from studio.models import Act, Revision
from studio.services.accounts.accounts import require
from studio.services.browse import state_queries
from synthesis.documents.evidence import evidence_of_calls
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import InstanceClosed, SandboxError
from synthesis.verification.verifier import verify
from synthesis.worlds.instance import Instance
from synthesis.worlds.snapshot import Snapshot

EXPIRES = 20 * 60
"""Seconds without use after which an instance is closed; the calls stay."""

MOST_INSTANCES = 16
MOST_CALLS = 200


@dataclass
class TimedCall:
    """One call that was made."""

    call: ToolCall
    result: ToolResult
    seconds: float


@dataclass
class Scratch:
    """A person's private instance with everything that was called on it."""

    instance: Instance
    seed: int = 0
    played: list[TimedCall] = field(default_factory=list)
    states_before: list[Snapshot] = field(default_factory=list)
    """The state before each call, for undoing."""
    used: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def calls(self) -> list[ToolCall]:
        """The calls alone."""
        return [each.call for each in self.played]


_lock = threading.Lock()
_open: dict[tuple[int, int], Scratch] = {}


def opened(*, user: User, revision: Revision, calls: Sequence[ToolCall], seed: int = 0) -> Scratch:
    """The person's instance after exactly these calls.

    Calls that were made before are not repeated; where the instance went further, it is taken back.

    Args:
        user: Whose.
        revision: Of what.
        calls: From the beginning.
        seed: Of the instance's random numbers; one with another seed is recreated.

    Raises:
        Forbidden: The person may not try tools.
        BrokenEnvironment, SandboxError, CapacityExhausted: The world does not run.
    """
    require(user, Act.TRY)
    close_expired()
    place = (user.pk, revision.pk)
    with _lock:
        scratch = _open.get(place)
    if scratch is not None and scratch.seed != seed:
        _forget(place)
        scratch = None
    try:
        return _at(scratch or _begin(place, revision, seed), calls[:MOST_CALLS])
    except (InstanceClosed, SandboxError):
        _forget(place)
        return _at(_begin(place, revision, seed), calls[:MOST_CALLS])


def verdict(
    *, user: User, revision: Revision, calls: Sequence[ToolCall], task_id: str, answer: str, seed: int = 0
) -> Scored | Unscored:
    """What the task's verifier says to the person's state and answer.

    Raises:
        UnknownName: There is no such task.
    """
    scratch = opened(user=user, revision=revision, calls=calls, seed=seed)
    world = state_queries.world_of(revision)
    task = world.environment.task(task_id)
    evidence = evidence_of_calls(
        [played.call for played in scratch.played],
        [played.result for played in scratch.played],
        instruction=task.instruction if task else "",
        answer=answer,
    )
    return verify(world, task_id, world.base, scratch.instance.snapshot(), answer, evidence=evidence)


def close_expired(*, older_than: float = EXPIRES) -> int:
    """Close instances nobody used for a while, and the longest unused over the limit; returns how many."""
    now = time.monotonic()
    with _lock:
        by_use = sorted(_open, key=lambda place: _open[place].used)
        over = len(by_use) - MOST_INSTANCES
        gone = [p for index, p in enumerate(by_use) if index <= over - 1 or now - _open[p].used > older_than]
        closed = [_open.pop(place) for place in gone]
    for scratch in closed:
        scratch.instance.close()
    return len(closed)


def _begin(place: tuple[int, int], revision: Revision, seed: int) -> Scratch:
    result = Scratch(state_queries.world_of(revision).instance(seed=seed), seed)
    with _lock:
        scratch = _open.setdefault(place, result)
    if scratch is not result:
        result.instance.close()
    return scratch


def _forget(place: tuple[int, int]) -> None:
    with _lock:
        scratch = _open.pop(place, None)
    if scratch is not None:
        scratch.instance.close()


def _at(scratch: Scratch, calls: Sequence[ToolCall]) -> Scratch:
    with scratch.lock:
        scratch.used = time.monotonic()
        same = 0
        for done, wanted in zip(scratch.calls(), calls, strict=False):
            if done != wanted:
                break
            same += 1
        if same < len(scratch.played):
            scratch.instance.restore(scratch.states_before[same])
            del scratch.played[same:], scratch.states_before[same:]
        for call in calls[same:]:
            scratch.states_before.append(scratch.instance.snapshot())
            scratch.played.append(_play(scratch.instance, call))
        return scratch


def _play(instance: Instance, call: ToolCall) -> TimedCall:
    started = time.perf_counter()
    arguments: Mapping[str, Any] = call.arguments
    result = instance.call(call.name, dict(arguments))
    return TimedCall(call, result, time.perf_counter() - started)
