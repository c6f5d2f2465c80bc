"""Trial: a world made of the parts that are there, so that a part is tried and not merely read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        "tasks": draft.tasks or Tasks(tasks=()),
        "verifiers": draft.verifiers or Verifiers(verifiers=()),
        "provenance": {},
    }
    return Environment.model_construct(**parts)


@contextmanager
def trial_world(draft: Draft) -> Iterator[World]:
    """A world of the draft, closed at the end.

    Raises:
        BrokenEnvironment: The parts make no world.
    """
    with World(provisional(draft), limits=TRIAL) as world:
        yield world


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
