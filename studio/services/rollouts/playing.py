"""Playing: the episodes of one run at one worker: collected, written down, counted, and stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing

from studio.models import Revision, RunEvent
from studio.models.runs import AFTER_PROGRESS
from studio.services.rollouts.rollout_model import RolloutModel
from studio.services.rollouts.trajectories import store_trajectories
from studio.services.runs.execution import RunLease
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.episode import EpisodeLimits
from synthesis.errors import BudgetExhausted, Cancelled, ProviderError
from synthesis.rollouts.batch import Finished, RolloutJob, roll_out_groups
from synthesis.verification.rewards import RewardTable

LOOK = 0.25
"""Seconds between two looks around: writing down, live counters, whether somebody asked to stop."""

GIVE_UP_AFTER = 8
"""Episodes in a row that the endpoint broke, after which the run fails instead of spoiling the rest; never
fewer than are played at once."""


def play(
    lease: RunLease,
    revision: Revision,
    jobs: Sequence[RolloutJob],
    *,
    at_once: int,
    limits: EpisodeLimits,
    rewards: RewardTable,
    stop: threading.Event,
    model: RolloutModel | None = None,
) -> None:
    """Play episodes side by side and keep each with its verdict.

    An episode that was cut off by us says nothing and is not kept.

    Args:
        lease: On the run they belong to.
        revision: What is played.
        jobs: What is left of the run.
        at_once: Episodes side by side.
        limits: When to cut an episode off.
        rewards: The reward of each label.
        stop: Set to end everything that is going on.
        model: The endpoint behind the agents, if one is.

    Raises:
        Cancelled: Somebody asked to stop.
        BudgetExhausted: The model may not be asked any more for now.
        ProviderError: The endpoint broke one episode after the other.
    """
    if lease.cancelled():
        raise Cancelled("Stopped before an episode started.")
    table = _Table(lease, revision, done=lease.run.total - len(jobs), patience=max(GIVE_UP_AFTER, at_once))
    groups = roll_out_groups(
        table.counted(jobs), at_once=at_once, limits=limits, rewards=rewards, cancel=stop, every=LOOK
    )
    looked = time.monotonic()
    try:
        with closing(groups):
            for group in groups:
                for finished in group:
                    table.collect(finished)
                if time.monotonic() - looked >= LOOK:
                    table.write_down()
                    if model is not None:
                        model.settle()
                    if lease.cancelled():
                        table.end(Cancelled("Stopped as requested; unfinished episodes are discarded."))
                    looked = time.monotonic()
                if table.reason is not None:
                    stop.set()
        table.write_down()
    finally:
        if model is not None:
            model.settle()
    if table.reason is not None:
        raise table.reason


class _Table:
    """What was handed out and came back."""

    def __init__(self, lease: RunLease, revision: Revision, *, done: int, patience: int) -> None:
        self._lease, self._revision, self._patience = lease, revision, patience
        self._done, self._running, self._broken = done, 0, 0
        self._waiting: list[JudgedTrajectory] = []
        self.reason: Exception | None = None
        """Why it ends before everything is played."""

    def counted(self, jobs: Sequence[RolloutJob]) -> Iterator[RolloutJob]:
        """The jobs, counted as they are taken."""
        for job in jobs:
            self._running += 1
            yield job

    def end(self, reason: Exception) -> None:
        """Let nothing more begin; the first reason counts."""
        self.reason = self.reason or reason

    def collect(self, finished: Finished) -> None:
        """Take in one episode."""
        self._running -= 1
        if finished.judged is None:
            assert finished.error is not None
            self.end(finished.error)
            return
        trajectory = finished.judged.trajectory
        kind, _, message = trajectory.error.partition(": ")
        if kind == BudgetExhausted.__name__:
            self.end(BudgetExhausted(message))
        elif trajectory.stop_reason == "cancelled":
            self.end(Cancelled("Stopped during an episode, which is discarded."))
        else:
            self._waiting.append(finished.judged)
            broken = trajectory.stop_reason == "infrastructure_error"
            self._broken = self._broken + 1 if broken else 0
            if self._broken >= self._patience:
                self.end(
                    ProviderError(
                        f"The model's endpoint failed in {self._broken} consecutive episodes, the last with: "
                        f"{message} Finished episodes are kept; retry the run when the endpoint answers."
                    )
                )

    def write_down(self) -> None:
        """Keep what came back, and say how far the run is."""
        trajectories, self._waiting = self._waiting, []
        self._done += len(trajectories)
        further = AFTER_PROGRESS if trajectories else {}
        with self._lease.writing(done=self._done, live={"running": self._running}, **further):
            if not trajectories:
                return
            records = store_trajectories(revision=self._revision, judged=trajectories, run=self._lease.run)
            RunEvent.objects.bulk_create(
                RunEvent(
                    run=self._lease.run,
                    kind="episode_played",
                    stage=record.agent[:40],
                    text=f"{record.task_id}: {record.get_label_display()}",
                    payload={"trajectory": record.pk, "label": record.label},
                )
                for record in records
            )
