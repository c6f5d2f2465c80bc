"""Drift of stored trajectories: played again on any revision, with the step and the row that differ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from studio.models import Revision, TrajectoryRecord
from studio.services.browse import state_queries
from studio.services.errors import Missing
from studio.services.rollouts.rewards import reward_table
from studio.services.rollouts.trajectories import opinions
from synthesis.documents.evidence import evidence_of_trajectory
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import BrokenEnvironment, UnknownName
from synthesis.verification.verifier import verify
from synthesis.worlds.diff import diff
from synthesis.worlds.drift import StepDrift, drift

PAGE, MOST_ON_PAGE = 50, 500
"""Calls on one page of a replay as JSON: by default, and at most."""
PAGE_BYTES = 256 * 1024


@dataclass(frozen=True)
class Replayed:
    """The outcome of replaying a trajectory's calls.

    Attributes:
        trajectory: As it is stored.
        revision: On which it was played again.
        steps: Every call, with how it differs.
        begins_with: Rows in which the state at the beginning differs; None when it cannot be compared.
        was: The stored measurement.
        verdict: The measurement now; None when the task is not there any more.
    """

    trajectory: TrajectoryRecord
    revision: Revision
    steps: tuple[StepDrift, ...]
    begins_with: StateDiff | None
    was: Scored | Unscored | None
    verdict: Scored | Unscored | None

    @property
    def differing(self) -> tuple[StepDrift, ...]:
        """The calls that do not come to what is recorded."""
        return tuple(step for step in self.steps if step.differs)

    @property
    def first(self) -> StepDrift | None:
        """Where it first deviates."""
        return next(iter(self.differing), None)

    @property
    def label_changed(self) -> bool:
        """Whether the measurement is another now."""
        return self.was is not None and self.verdict is not None and self.was.label != self.verdict.label

    def as_json(self, *, full: bool = False, offset: int = 0, limit: int = PAGE) -> dict[str, Any]:
        """Plain values, one page of the calls and of the rows that differ at the beginning.

        Args:
            full: Every call with everything about it; else only calls that differ, each with what differs.
            offset: Calls and rows of earlier pages.
            limit: Most calls, and most rows, on this page; large ones make it end earlier.
        """
        begins = self.begins_with.changes if self.begins_with is not None else ()
        listed = self.steps if full else self.differing
        page = _page(
            [
                step.model_dump(mode="json") if full else _differing(step)
                for step in listed[offset : offset + limit]
            ],
            [row.model_dump(mode="json") for row in begins[offset : offset + limit]],
        )
        taken = offset + max(map(len, page))
        return {
            "trajectory": self.trajectory.pk,
            "recorded_in_revision": self.trajectory.revision.number,
            "revision": self.revision.number,
            "same": not self.differing,
            "calls": len(self.steps),
            "differing": len(self.differing),
            "first_difference": self.first.step if self.first else None,
            "steps": page[0],
            "begins_with": None if self.begins_with is None else page[1],
            "begins_with_count": None if self.begins_with is None else len(begins),
            "next_offset": taken if taken < max(len(listed), len(begins)) else None,
            "was": self.was.model_dump(mode="json") | {"label": self.was.label} if self.was else None,
            "verdict": self.verdict.model_dump(mode="json") | {"label": self.verdict.label}
            if self.verdict
            else None,
        }


def _page(*lists: list[Any]) -> tuple[list[Any], ...]:
    """As many of each list's first elements as fit a page together, at least one."""
    room, count = PAGE_BYTES, 0
    for together in zip_longest(*lists):
        room -= sum(len(json.dumps(each)) for each in together if each is not None)
        if room < 0 and count:
            break
        count += 1
    return tuple(each[:count] for each in lists)


_OF_ASPECTS = {
    "status": {"recorded_status", "actual_status"},
    "observation": {"recorded", "actual"},
    "rows": {"rows"},
    "state": {"recorded_hash", "actual_hash"},
}


def _differing(step: StepDrift) -> dict[str, Any]:
    """A call with what differs in it alone."""
    fields = {"step", "tool", "differs"}.union(*(_OF_ASPECTS[aspect] for aspect in step.differs))
    return step.model_dump(mode="json", include=fields)


def replay_on(*, trajectory: TrajectoryRecord, number: int | None = None) -> Replayed:
    """Play a stored trajectory again.

    Args:
        trajectory: Whose calls are made.
        number: Of the environment's revision; the current one when None.

    Raises:
        Missing: There is no such revision.
        BrokenEnvironment, SandboxError: The revision's world does not run.
    """
    revision = revision_of(trajectory, number)
    world = state_queries.world_of(revision)
    recorded = tuple(step.load() for step in trajectory.steps.all())
    with world.instance(seed=trajectory.seed) as instance:
        steps = tuple(drift(instance, recorded))
        whole = trajectory.load()
        task = world.environment.task(trajectory.task_id)
        evidence = evidence_of_trajectory(whole, task.instruction if task else "")
        try:
            verdict = verify(
                world,
                trajectory.task_id,
                world.base,
                instance.snapshot(),
                whole.final_answer,
                rewards=reward_table(),
                evidence=evidence,
            )
        except UnknownName:
            verdict = None
    return Replayed(
        trajectory=trajectory,
        revision=revision,
        steps=steps,
        begins_with=_beginning(trajectory.revision, revision),
        was=next(iter(opinions(trajectory)), None),
        verdict=verdict,
    )


def revision_of(trajectory: TrajectoryRecord, number: int | None) -> Revision:
    """The revision of that number of the trajectory's environment, or its current one.

    Raises:
        Missing: There is none.
    """
    revisions = trajectory.environment.revisions.all()
    revision = trajectory.environment.current if number is None else revisions.filter(number=number).first()
    if revision is None:
        raise Missing(
            f"{trajectory.environment.title} has no revision {number}.", remedy="Choose one from its history."
        )
    return revision


def _beginning(before: Revision, after: Revision) -> StateDiff | None:
    """The rows in which the two begin with different states; None when their tables are not the same."""
    if before.fingerprint == after.fingerprint:
        return StateDiff()
    one, other = state_queries.world_of(before), state_queries.world_of(after)
    if one.base.hash == other.base.hash:
        return StateDiff()
    try:
        return diff(one.base, other.base)
    except BrokenEnvironment:
        return None
