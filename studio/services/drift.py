"""Drift of stored trajectories: played again on any revision, with the step and the row that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from studio.models import Revision, TrajectoryRecord
from studio.services import looks
from studio.services.refusals import Missing
from studio.services.trajectories import opinions
from synthesis.documents.state_diff import StateDiff
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import BrokenEnvironment, UnknownName
from synthesis.verification.verifier import verify
from synthesis.worlds.diff import diff
from synthesis.worlds.drift import StepDrift, drift


@dataclass(frozen=True)
class Replayed:
    """What a trajectory comes to when its calls are made again.

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
        """Where it first goes another way."""
        return next(iter(self.differing), None)

    @property
    def label_changed(self) -> bool:
        """Whether the measurement is another now."""
        return self.was is not None and self.verdict is not None and self.was.label != self.verdict.label

    def as_json(self, *, full: bool = False) -> dict[str, Any]:
        """Plain values.

        Args:
            full: Every call with everything about it; else only calls that differ, each with what differs.
        """
        begins = self.begins_with
        return {
            "trajectory": self.trajectory.pk,
            "recorded_in_revision": self.trajectory.revision.number,
            "revision": self.revision.number,
            "same": not self.differing,
            "calls": len(self.steps),
            "differing": len(self.differing),
            "first_difference": self.first.step if self.first else None,
            "steps": [step.model_dump(mode="json") for step in self.steps]
            if full
            else [_differing(step) for step in self.differing],
            "begins_with": None if begins is None else begins.model_dump(mode="json")["changes"],
            "was": self.was.model_dump(mode="json") | {"label": self.was.label} if self.was else None,
            "verdict": self.verdict.model_dump(mode="json") | {"label": self.verdict.label}
            if self.verdict
            else None,
        }


_OF_ASPECTS = {
    "status": {"recorded_status", "found_status"},
    "observation": {"recorded", "found"},
    "rows": {"rows"},
    "state": {"recorded_hash", "found_hash"},
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
    world = looks.world_of(revision)
    recorded = tuple(step.load() for step in trajectory.steps.all())
    with world.instance(seed=trajectory.seed) as instance:
        steps = tuple(drift(instance, recorded))
        last = recorded[-1].action if recorded else None
        answer = last.text if isinstance(last, FinalAnswer) else ""
        try:
            verdict = verify(world, trajectory.task_id, world.base, instance.snapshot(), answer)
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
    found = trajectory.environment.current if number is None else revisions.filter(number=number).first()
    if found is None:
        raise Missing(
            f"{trajectory.environment.title} has no revision {number}.", remedy="Choose one from its history."
        )
    return found


def _beginning(before: Revision, after: Revision) -> StateDiff | None:
    """The rows in which the two begin with different states; None when their tables are not the same."""
    if before.fingerprint == after.fingerprint:
        return StateDiff()
    one, other = looks.world_of(before), looks.world_of(after)
    if one.base.hash == other.base.hash:
        return StateDiff()
    try:
        return diff(one.base, other.base)
    except BrokenEnvironment:
        return None
