"""State queries: read-only views of a database at any revision and after any step of a trajectory.

Generated schemas and rows are opened in sealed processes only; worlds are kept for a while because making one
costs more than asking it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from django.db.models import prefetch_related_objects

from studio.models import Revision, TrajectoryRecord
from studio.services.environments.environments import load_environment
from studio.services.errors import Missing, Preparing
from synthesis.documents.tools import ToolCall
from synthesis.errors import BrokenEnvironment
from synthesis.worlds import database
from synthesis.worlds.answers import read_rows
from synthesis.worlds.job import JobFailed, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.world import World

MOST_WORLDS = 6
MOST_SNAPSHOTS = 24

LARGE = 100_000
"""Rows from which a world is made beside the page instead of while the page waits."""
OPENING_SECONDS = 1.2
"""How long a page waits for a large world that is being made."""
LOOK_SECONDS = 1.5
"""Time limit of one query of a page."""
EXPORT_SECONDS = 10.0
"""The same of one batch of a file."""
_BYTES_PER_ROW = 3_500
"""Memory that loading one row may take in the process that builds the database."""

_lock = threading.Lock()
_worlds: OrderedDict[str, World] = OrderedDict()
_snapshots: LRUCache[tuple[int, int], Snapshot] = LRUCache(MOST_SNAPSHOTS)
_openers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large world")
_opening: dict[str, Future[World]] = {}


class LookTimedOut(BrokenEnvironment):
    """A query took longer than a page may; the text names the limit."""


def world_of(revision: Revision) -> World:
    """The world of a revision, made at most once while it is in use.

    Raises:
        BrokenEnvironment: It does not work.
        Preparing: It is large and still being made; the text says so.
        SandboxUnavailable: This host cannot run generated code.
    """
    with _lock:
        if revision.fingerprint in _worlds:
            _worlds.move_to_end(revision.fingerprint)
            return _worlds[revision.fingerprint]
    if revision.rows <= LARGE:
        return _keep(revision.fingerprint, World(load_environment(revision)))
    return _opened(revision)


def _keep(fingerprint: str, result: World) -> World:
    """The world that is in use under a fingerprint from now on; the least used are closed."""
    with _lock:
        remaining = _worlds.setdefault(fingerprint, result)
        _worlds.move_to_end(fingerprint)
        dropped = [_worlds.popitem(last=False)[1] for _ in range(max(0, len(_worlds) - MOST_WORLDS))]
    for world in [*dropped, *([result] if remaining is not result else [])]:
        if not world.live:
            world.close()
    return remaining


def _opened(revision: Revision) -> World:
    """A large world, if it is ready soon."""
    prefetch_related_objects([revision], "parts")  # the thread asks the database nothing
    with _lock:
        future = _opening.get(revision.fingerprint)
        if future is None:
            future = _opening[revision.fingerprint] = _openers.submit(_make_large, revision)
    try:
        return future.result(timeout=OPENING_SECONDS)
    except TimeoutError:
        raise Preparing(
            f"The {revision.rows:,} rows are being loaded: that takes longer than the "
            f"{OPENING_SECONDS:g} seconds a page waits.",
            remedy="Reload this page in a few seconds; loading continues in the background.",
        ) from None


def _make_large(revision: Revision) -> World:
    try:
        environment = load_environment(revision)
        memory = min(4_096, 512 + revision.rows * _BYTES_PER_ROW // 2**20)
        base = database.build(
            environment.schema,
            environment.seed_data,
            clock=environment.scenario.clock,
            limits=Limits(memory_mib=memory, build_seconds=120),
        )
        return _keep(revision.fingerprint, World(environment, base=base))
    finally:
        with _lock:
            _opening.pop(revision.fingerprint, None)


def snapshot_after(trajectory: TrajectoryRecord, step: int) -> Snapshot:
    """The whole state after a step of a trajectory, by replaying its calls; step 0 is the beginning.

    Raises:
        Missing: It has no such step.
    """
    if not 0 <= step <= trajectory.step_count:
        raise Missing(f"This trajectory has {trajectory.step_count} steps; there is no step {step}.")
    place = (trajectory.pk, step)
    with _lock:
        if (remaining := _snapshots.get(place)) is not None:
            return remaining
    world = world_of(trajectory.revision)
    played = [record.load() for record in trajectory.steps.filter(index__lte=step)]
    with world.instance(seed=trajectory.seed) as instance:
        for done in played:
            if isinstance(done.action, ToolCall):
                instance.call(done.action.name, done.action.arguments)
        snapshot = instance.snapshot()
    with _lock:
        _snapshots[place] = snapshot
    return snapshot


@dataclass(frozen=True)
class StateReader:
    """One state of a revision's database, for as many queries as are asked of it."""

    state: Snapshot
    limits: Limits

    def rows(
        self, sql: str, params: tuple[Any, ...] = (), *, limit: int = 200, seconds: float | None = None
    ) -> list[dict[str, Any]]:
        """What a SELECT finds.

        Args:
            sql: The SELECT.
            params: Its parameters.
            limit: How many rows at most.
            seconds: Time limit; `LOOK_SECONDS` without one.

        Raises:
            LookTimedOut: It takes longer.
            BrokenEnvironment: The SQL does not run or writes; the text is SQLite's.
        """
        seconds = LOOK_SECONDS if seconds is None else seconds
        clock = self.state.clock.isoformat()
        body = {"sql": sql, "params": list(params), "limit": limit, "clock": clock}
        try:
            results, _ = run_job("rows", body, self.state.image, limits=self.limits, seconds=seconds)
        except JobFailed as error:
            if error.kind == "time":
                raise LookTimedOut(
                    f"The query failed at its time limit: it may take {seconds:g} seconds here. "
                    "Narrow the table, or leave out the words or the order.",
                    part="schema",
                ) from error
            raise BrokenEnvironment(f"The query failed: {_reason(error)}", part="schema") from error
        return read_rows(results.get("rows"))


def _reason(error: JobFailed) -> str:
    """Why a query failed, without the classes of the library that ran it."""
    kind, _, text = str(error).partition(": ")
    if kind == "AuthError":
        return "it may only read tables of this database; begin it with SELECT."
    return text if kind == "SQLError" else str(error)


def reader(*, revision: Revision, snapshot: Snapshot | None) -> StateReader:
    """A state of a revision's database; None is the one it begins with."""
    world = world_of(revision)
    return StateReader(snapshot or world.base, world.limits)


def rows(
    *, revision: Revision, snapshot: Snapshot | None, sql: str, params: tuple[Any, ...] = (), limit: int = 200
) -> list[dict[str, Any]]:
    """What a SELECT finds in a state, see `StateReader.rows`."""
    return reader(revision=revision, snapshot=snapshot).rows(sql, params, limit=limit)


def opening() -> list[Future[World]]:
    """The large worlds that are being made at this moment."""
    with _lock:
        return list(_opening.values())


def close_all() -> None:
    """End every world that is kept; for the end of a process or a test."""
    for each in opening():
        if not each.cancel():
            each.exception()
    with _lock:
        worlds = list(_worlds.values())
        _worlds.clear()
        _snapshots.clear()
    for world in worlds:
        world.close()
