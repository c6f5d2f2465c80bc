"""Batch: many rollouts over a bounded pool of threads, cancellable, results as they come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import product

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.episode import EpisodeLimits
from synthesis.errors import InvalidInput
from synthesis.rollouts.agent import Agent
from synthesis.rollouts.rollout import roll_out
from synthesis.verification.rewards import RewardTable
from synthesis.worlds.world import World

MakeAgent = Callable[[], Agent]


@dataclass(frozen=True, slots=True)
class RolloutJob:
    """One rollout that is to be made."""

    world: World
    task_id: str
    agent: MakeAgent
    """Makes the agent that plays; called in the thread that plays."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """One rollout that was made, or why it could not be."""

    job: RolloutJob
    number: int
    """Place of the job from 0."""
    judged: JudgedTrajectory | None
    error: Exception | None = None


def jobs(
    worlds: Iterable[World],
    agents: Iterable[MakeAgent],
    *,
    samples: int = 1,
    tasks: Iterable[str] | None = None,
    seed: int = 0,
) -> Iterator[RolloutJob]:
    """Every task of every world with every agent, `samples` times with following seeds.

    Args:
        worlds: Where.
        agents: Who.
        samples: Episodes per task and agent.
        tasks: Only tasks of these ids; all when left out.
        seed: Of the first sample.
    """
    wanted = None if tasks is None else set(tasks)
    makers = list(agents)
    for world in worlds:
        ids = [task.id for task in world.environment.tasks.tasks if wanted is None or task.id in wanted]
        for task_id, maker, sample in product(ids, makers, range(samples)):
            yield RolloutJob(world, task_id, maker, seed + sample)


def roll_out_all(
    wanted: Iterable[RolloutJob],
    *,
    at_once: int = 4,
    limits: EpisodeLimits | None = None,
    rewards: RewardTable | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[Finished]:
    """Make rollouts, at most `at_once` at a time, and yield each as soon as it is there.

    Jobs are taken from the iterable only when there is room for them. Once `cancel` is set, no further job is
    begun and running episodes end as cancelled; they are still yielded. A rollout that raises is yielded
    with its error and stops no other.

    Args:
        wanted: What to play.
        at_once: Threads.
        limits: When to cut episodes off.
        rewards: The reward of each label.
        cancel: Set it to stop.

    Raises:
        InvalidInput: `at_once` is smaller than 1.
    """
    for group in roll_out_groups(wanted, at_once=at_once, limits=limits, rewards=rewards, cancel=cancel):
        yield from group


def roll_out_groups(
    wanted: Iterable[RolloutJob],
    *,
    at_once: int = 4,
    limits: EpisodeLimits | None = None,
    rewards: RewardTable | None = None,
    cancel: threading.Event | None = None,
    every: float | None = None,
) -> Generator[list[Finished], None, None]:
    """Make rollouts as `roll_out_all` does, and yield those that came in since the last time together.

    Args:
        wanted: What to play.
        at_once: Threads.
        limits: When to cut episodes off.
        rewards: The reward of each label.
        cancel: Set it to stop.
        every: Seconds after which the caller gets to look around even when nothing came in: the group is
            then empty.

    Raises:
        InvalidInput: `at_once` is smaller than 1.
    """
    if at_once < 1:
        raise InvalidInput(f"At least 1 rollout must run at a time, not {at_once}.")
    stop = cancel or threading.Event()
    numbered = enumerate(wanted)
    running: dict[Future[JudgedTrajectory], tuple[int, RolloutJob]] = {}
    with ThreadPoolExecutor(at_once, thread_name_prefix="rollout") as pool:
        try:
            while True:
                while len(running) < at_once and not stop.is_set() and (one := next(numbered, None)):
                    running[pool.submit(_make, one[1], limits, rewards, stop)] = one
                if not running:
                    return
                done, _ = wait(running, timeout=every, return_when=FIRST_COMPLETED)
                yield [_finished(future, *running.pop(future)) for future in done]
        finally:
            stop.set()  # a consumer that walks away leaves nothing running


def _make(
    job: RolloutJob, limits: EpisodeLimits | None, rewards: RewardTable | None, stop: threading.Event
) -> JudgedTrajectory:
    return roll_out(
        job.world,
        job.task_id,
        job.agent(),
        seed=job.seed,
        limits=limits,
        rewards=rewards,
        cancelled=stop.is_set,
    )


def _finished(future: Future[JudgedTrajectory], number: int, job: RolloutJob) -> Finished:
    error = future.exception()
    if error is None:
        return Finished(job, number, future.result())
    if not isinstance(error, Exception):
        raise error
    return Finished(job, number, None, error)
