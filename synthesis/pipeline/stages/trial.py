"""Trial: a world made of the parts that are there, so that a part is tried and not merely read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from synthesis.documents.environment import Draft, Environment
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.tasks import Tasks
from synthesis.documents.verifiers import Verifiers
from synthesis.errors import BrokenEnvironment, SandboxUnavailable, WorldError
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import World

TRIAL = Limits(call_seconds=2.0, verify_seconds=4.0, build_seconds=5.0)
"""Narrower than a world's own limits: code that only just keeps within those is not kept."""


def provisional(draft: Draft) -> Environment:
    """An environment of the parts so far, not validated: tasks and verifiers may still be missing."""
    parts: dict[str, Any] = {
        "scenario": draft.scenario,
        "policy": draft.policy,
        "schema": draft.schema,
        "seed_data": draft.seed_data,
        "tools": draft.tools,
        "invariants": draft.invariants,
        "tasks": draft.tasks or Tasks(tasks=()),
        "verifiers": draft.verifiers or Verifiers(verifiers=()),
        "provenance": {},
    }
    return Environment.model_construct(**parts)


class TrialWorldCache:
    """The latest trial world of an environment in the making, kept while its rows and tools stay the same.

    Three stages try their parts in the same world, one of them several times: it is built once.
    """

    def __init__(self) -> None:
        self._key: tuple[str, ...] = ()
        self._world: World | None = None

    def world(self, draft: Draft) -> World:
        """A world of the draft's rows and tools; whichever tasks and verifiers it was built with.

        Raises:
            BrokenEnvironment: The parts make no world.
        """
        parts = (draft.scenario, draft.schema, draft.seed_data, draft.tools, draft.invariants)
        key = tuple(part.fingerprint if part else "" for part in parts)
        if self._world is None or key != self._key:
            self.close()
            self._world, self._key = World(provisional(draft), limits=TRIAL), key
        return self._world

    def close(self) -> None:
        """Close the world; harmless when there is none."""
        if self._world is not None:
            self._world.close()
            self._world = None


_open: ContextVar[TrialWorldCache | None] = ContextVar("workshop", default=None)


@contextmanager
def trial_world_cache() -> Iterator[TrialWorldCache]:
    """One workshop for all stages that are tried in this context; closed at the end."""
    cache = TrialWorldCache()
    token = _open.set(cache)
    try:
        yield cache
    finally:
        _open.reset(token)
        cache.close()


def close_trial_worlds() -> None:
    """Close the open workshop's world, when there is one: nothing is tried for a while."""
    if (shared := _open.get()) is not None:
        shared.close()


@contextmanager
def trial_world(draft: Draft) -> Iterator[World]:
    """A world of the draft: the workshop's where one is open, or else one that is closed at the end.

    Its tasks and verifiers may be those of an earlier draft: hand in what is to be tried.

    Raises:
        BrokenEnvironment: The parts make no world.
    """
    shared = _open.get()
    if shared is None:
        with World(provisional(draft), limits=TRIAL) as world:
            yield world
        return
    try:
        yield shared.world(draft)
    except WorldError:
        shared.close()
        raise


def tried(
    part: PartName, check: str, draft: Draft, trial: Callable[[World], list[Finding]]
) -> tuple[Finding, ...]:
    """What a trial in a world of the draft found; a world that breaks on the way is a finding too.

    Raises:
        SandboxUnavailable: This host cannot run generated code; no author is to blame.
    """
    try:
        with trial_world(draft) as world:
            return tuple(trial(world))
    except SandboxUnavailable:
        raise
    except BrokenEnvironment as error:
        return (Finding(part=part, check=check, message=str(error), where=error.where),)
    except WorldError as error:
        return (Finding(part=part, check=check, message=f"Running it failed: {error}"),)
