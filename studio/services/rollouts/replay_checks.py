"""Replay checks: a sample of the episodes that were just played, replayed and compared.

A tool or verifier that behaves otherwise in use than in its proof, by the clock, by who calls it or by chance
of its own, comes to something else the second time. What differs becomes a flag of the environment.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from studio.models import (
    EnvironmentRecord,
    Flag,
    FlagReason,
    FlagSeverity,
    FlagState,
    Revision,
    Run,
    TrajectoryRecord,
)
from studio.services.environments import quality_gates
from studio.services.review.flags import PART_OF_REASON
from studio.services.rollouts.rewards import reward_table
from studio.services.runs.execution import RunLease
from synthesis.documents.evidence import evidence_of_trajectory
from synthesis.errors import BrokenEnvironment, Cancelled, SandboxError
from synthesis.verification.verifier import verify
from synthesis.worlds.drift import drift
from synthesis.worlds.world import World

ACCOUNT = "worldwright.replay"
"""Who raises the flags: nobody can sign in with it."""
MOST_REPLAYED = 100
"""Episodes of one run that are replayed at most."""


@dataclass(frozen=True)
class Disagreement:
    """An episode that came to something else the second time."""

    trajectory: TrajectoryRecord
    reason: FlagReason
    where: str
    words: str
    step: int | None = None


def check_sample(lease: RunLease, revision: Revision, world: World, share: float) -> tuple[Disagreement, ...]:
    """Make a share of a run's episodes again; at least one, unless the share is 0.

    Args:
        lease: On the run that played them.
        revision: What was played.
        world: Its world.
        share: 0-1.

    Raises:
        Cancelled: Somebody asked to stop.
    """
    disagreements = []
    for trajectory in sample(lease.run, share):
        if lease.cancelled():
            raise Cancelled("Stopped as requested; the episodes are kept.")
        try:
            disagreement = replay_disagreement(trajectory, world)
        except SandboxError as error:
            lease.note("replay_failed", text=f"{trajectory.task_id}: {error}")
            continue
        if disagreement is not None:
            disagreements.append(disagreement)
            lease.note("replay_differs", text=disagreement.words, payload={"trajectory": trajectory.pk})
    if disagreements:
        _flag(revision, disagreements)
    return tuple(disagreements)


def sample(run: Run, share: float) -> list[TrajectoryRecord]:
    """Which of a run's episodes are replayed; the same ones every time it is asked.

    Episodes that were cut off or never measured are left out. Those with calls that failed are not: a tool
    that fails by the clock would otherwise choose which of its episodes are looked at.
    """
    whole = run.trajectories.exclude(
        stop_reason__in=("infrastructure_error", "environment_error", "cancelled")
    )
    keys = list(whole.exclude(label="unscored").order_by("pk").values_list("pk", flat=True))
    count = min(math.ceil(len(keys) * share), MOST_REPLAYED)
    chosen = random.Random(f"replay/{run.pk}").sample(keys, count)  # noqa: S311 - a sample, not a secret
    return list(run.trajectories.filter(pk__in=chosen).order_by("pk"))


def replay_disagreement(trajectory: TrajectoryRecord, world: World) -> Disagreement | None:
    """Make an episode's calls and its measurement again, the way the proof does.

    Returns:
        None when they agree, as far as calls go that neither time nor memory ended.
    """
    recorded = trajectory.load()
    with world.instance(seed=recorded.seed, keep_process=True) as instance:
        for step in drift(instance, recorded.steps):
            if step.ended_by_limit:
                return None
            if step.differs:
                words = f"{', '.join(step.differs)} of call {step.step} ({step.tool})"
                return _disagreement(trajectory, FlagReason.TOOL_BUG, step.tool, words, step.step)
        if recorded.stop_reason == "format_violation":
            return None  # its label says nothing of the verifier
        task = world.environment.task(recorded.task_id)
        evidence = evidence_of_trajectory(recorded, task.instruction if task else "")
        try:
            verdict = verify(
                world,
                recorded.task_id,
                world.base,
                instance.snapshot(),
                recorded.final_answer,
                rewards=reward_table(),
                failed_calls=sum(step.status == "error" for step in recorded.steps),
                evidence=evidence,
            )
        except BrokenEnvironment as error:
            words = f"the verdict, which failed: {error}"
            return _disagreement(trajectory, FlagReason.VERIFIER_WRONG, recorded.task_id, words)
    if trajectory.label == verdict.label:
        return None
    words = f"the verdict: {verdict.label} instead of {trajectory.label}"
    return _disagreement(trajectory, FlagReason.VERIFIER_WRONG, recorded.task_id, words)


def _disagreement(
    trajectory: TrajectoryRecord, reason: FlagReason, where: str, words: str, step: int | None = None
) -> Disagreement:
    text = f"An episode of {trajectory.agent} on {trajectory.task_id} was replayed and differs in {words}."
    return Disagreement(trajectory, reason, where[:200], text, step)


@transaction.atomic
def _flag(revision: Revision, disagreements: list[Disagreement]) -> None:
    """One open flag for each place that differs."""
    account, _ = User.objects.get_or_create(
        username=ACCOUNT, defaults={"is_active": False, "password": "!", "first_name": "Replay check"}
    )
    for each in disagreements:
        evidence = {"trajectory": each.trajectory.pk}
        Flag.objects.get_or_create(
            environment=revision.environment,
            revision=revision,
            raised_by=account,
            reason=each.reason,
            where=each.where,
            state=FlagState.OPEN,
            defaults={
                "severity": FlagSeverity.BLOCKING,
                "part": PART_OF_REASON[each.reason],
                "comment": f"{each.words} Generated code must be deterministic: look for what it "
                "reads besides its arguments, the database, db.now() and db.random.",
                "evidence": evidence if each.step is None else evidence | {"step": each.step},
            },
        )
    quality_gates.settle(EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id))
