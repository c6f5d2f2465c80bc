"""Demonstrations: what the reference solution of a task does to the world, call by call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from cachetools import LRUCache
from pydantic import JsonValue

from studio.models import Revision, TrajectoryRecord
from studio.services.browse import state_queries
from studio.services.errors import ServiceError
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.documents.verdict import CheckOutcome, Scored
from synthesis.errors import WorldError

MOST_CACHED = 200
LONGEST_SEEN = 20_000
"""Bytes of a result, as JSON, that is kept for a card."""
_lock = threading.Lock()
_played_before: LRUCache[tuple[str, str], Demonstration] = LRUCache(MOST_CACHED)


@dataclass(frozen=True)
class PlayedCall:
    """One call of the solution, whether it went through, the rows it changed, and what the agent saw.

    `seen` is None where that is nothing, too long for a card, or not known.
    """

    call: ToolCall
    ok: bool
    changes: StateDiff
    seen: JsonValue = None


@dataclass(frozen=True)
class Demonstration:
    """The solution of one task, played.

    Attributes:
        calls: In order.
        checks: What the verifier looked at, with the outcome.
        trajectory: The stored trajectory it was read from, if any.
        problem: Why it could not be played; then the calls are those that are written down.
    """

    calls: tuple[PlayedCall, ...]
    checks: tuple[CheckOutcome, ...] = ()
    trajectory: int | None = None
    problem: str = ""

    @property
    def changes(self) -> list[StateDiff]:
        """What each call changed, in order."""
        return [played.changes for played in self.calls]


def demonstration(revision: Revision, task: Task) -> Demonstration:
    """The solution of a task as it was recorded, or else played now on a private instance."""
    recorded = _recorded(revision, task)
    if recorded is not None:
        return recorded
    place = (revision.fingerprint, task.id)
    with _lock:
        if (known := _played_before.get(place)) is not None:
            return known
    try:
        result = _played(revision, task)
    except (WorldError, ServiceError) as error:
        return Demonstration(_unplayed(task.reference_solution), problem=str(error))
    with _lock:
        _played_before[place] = result
    return result


def _recorded(revision: Revision, task: Task) -> Demonstration | None:
    record = (
        TrajectoryRecord.objects.filter(revision=revision, task_id=task.id, agent="reference")
        .order_by("-id")
        .first()
    )
    if record is None:
        return None
    place = ("trajectory", str(record.pk))
    with _lock:
        if (known := _played_before.get(place)) is not None:
            return known
    calls = [
        PlayedCall(step.action, step.status == "ok", step.changes, _short(step.observation))
        for step in (each.load() for each in record.steps.all())
        if isinstance(step.action, ToolCall)
    ]
    verdict = record.verdicts.first()
    document = verdict.load() if verdict else None
    checks = document.outcomes if isinstance(document, Scored) else ()
    result = Demonstration(tuple(calls), checks, trajectory=record.pk)
    if verdict is not None:  # nothing is added to an episode that has its verdict
        with _lock:
            _played_before[place] = result
    return result


def _played(revision: Revision, task: Task) -> Demonstration:
    world = state_queries.world_of(revision)
    with world.instance() as instance:
        results = instance.call_many(task.reference_solution)
        after = instance.snapshot()
    checks = world.verify_code(task.id, world.base, after, task.reference_answer)
    calls = [
        PlayedCall(call, result.ok, result.changes, _short(result.value if result.ok else result.message))
        for call, result in zip(task.reference_solution, results, strict=False)
    ]
    return Demonstration(tuple(calls), checks)


def _short(value: JsonValue) -> JsonValue:
    """A result that fits on a card; a longer one is on the page of its step."""
    return value if len(orjson.dumps(value)) <= LONGEST_SEEN else None


def _unplayed(calls: Sequence[ToolCall]) -> tuple[PlayedCall, ...]:
    return tuple(PlayedCall(call, True, StateDiff()) for call in calls)
