"""Looks: read-only views of an environment's database at any revision and after any step of a trajectory.

Generated schemas and rows are opened in sealed processes only; worlds are kept for a while because making one
costs more than asking it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from studio.models import Revision, TrajectoryRecord
from studio.services.environments import load_environment
from studio.services.refusals import Missing
from synthesis.documents.tools import ToolCall
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

MOST_WORLDS = 6
MOST_SNAPSHOTS = 24

_lock = threading.Lock()
_worlds: OrderedDict[str, World] = OrderedDict()
_snapshots: OrderedDict[tuple[int, int], Snapshot] = OrderedDict()


def world_of(revision: Revision) -> World:
    """The world of a revision, made at most once while it is in use.

    Raises:
        BrokenEnvironment: It does not work.
        SandboxUnavailable: This host cannot run generated code.
    """
    with _lock:
        if revision.fingerprint in _worlds:
            _worlds.move_to_end(revision.fingerprint)
            return _worlds[revision.fingerprint]
    made = World(load_environment(revision))
    with _lock:
        kept = _worlds.setdefault(revision.fingerprint, made)
        _worlds.move_to_end(revision.fingerprint)
        dropped = [_worlds.popitem(last=False)[1] for _ in range(max(0, len(_worlds) - MOST_WORLDS))]
    for world in [*dropped, *([made] if kept is not made else [])]:
        if not world.live:
            world.close()
    return kept


def snapshot_after(trajectory: TrajectoryRecord, step: int) -> Snapshot:
    """The whole state after a step of a trajectory, found by making its calls again; step 0 is the beginning.

    Raises:
        Missing: It has no such step.
    """
    if not 0 <= step <= trajectory.step_count:
        raise Missing(f"This trajectory has {trajectory.step_count} steps; there is no step {step}.")
    place = (trajectory.pk, step)
    with _lock:
        if place in _snapshots:
            _snapshots.move_to_end(place)
            return _snapshots[place]
    world = world_of(trajectory.revision)
    played = [record.load() for record in trajectory.steps.filter(index__lte=step)]
    with world.instance(seed=trajectory.seed) as instance:
        for done in played:
            if isinstance(done.action, ToolCall):
                instance.call(done.action.name, done.action.arguments)
        found = instance.snapshot()
    with _lock:
        _snapshots[place] = found
        while len(_snapshots) > MOST_SNAPSHOTS:
            _snapshots.popitem(last=False)
    return found


def rows(
    *, revision: Revision, snapshot: Snapshot | None, sql: str, params: tuple[Any, ...] = (), limit: int = 200
) -> list[dict[str, Any]]:
    """What a SELECT finds in a state of a revision's database; None is the state it begins with.

    Raises:
        BrokenEnvironment: The SQL does not run, writes or takes too long; the text is SQLite's.
    """
    world = world_of(revision)
    return world.rows(snapshot or world.base, sql, *params, limit=limit)


def close_all() -> None:
    """End every world that is kept; for the end of a process or a test."""
    with _lock:
        worlds = list(_worlds.values())
        _worlds.clear()
        _snapshots.clear()
    for world in worlds:
        world.close()
