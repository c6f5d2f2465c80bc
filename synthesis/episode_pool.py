"""Episode pool: episodes on several hosts, opened where there is room.

    with EpisodePool(["clinic_front_desk.zip"], hosts=2) as pool, pool.episode("read_total_owed") as episode:
        observation, info = episode.reset(seed=7)
        observation, reward, terminated, truncated, info = episode.step(ToolCall(name="find_patients", ...))

Where the agent can be sent to the worlds, whole episodes are played on the hosts, one round trip each, or
one for a group of the same task:

    judged = pool.roll_out("read_total_owed", ChatAgent(...), seed=7)
    group = pool.roll_out_group("read_total_owed", ChatAgent(...), range(8), at_once=8)

A host is a process with compiled worlds of its own; `synthesis.adapters.ray` has hosts that are actors of a
Ray cluster. An episode is placed on the host with the fewest open ones and waits while all are full. A host
that dies or does not answer is replaced; its episodes raise `HostLost`, which is no verdict about an agent.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import JsonValue

from synthesis.bundles.open import open_bundle
from synthesis.documents.answer_form import AnswerForm
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.tasks import Task
from synthesis.documents.trajectory import Action
from synthesis.episode import EpisodeLimits, Observed
from synthesis.episode_host import HostHandle, ProcessHost
from synthesis.errors import CapacityExhausted, HostLost, InvalidInput, UnknownName
from synthesis.rollouts.agent import Agent
from synthesis.worlds.world import Isolation

PATIENCE_SECONDS = 60.0
ROLLOUT_SECONDS = 3_600.0
"""After which a host that plays one episode is given up; an agent's model may be slow."""
HOSTS, CAPACITY = 2, 64


@dataclass(frozen=True)
class HostHealth:
    """One host of a pool.

    Attributes:
        episodes: How many are open on it.
        replaced: How often a host in its place was lost.
    """

    episodes: int
    replaced: int


@dataclass
class _Place:
    handle: HostHandle
    episodes: int = 0
    replaced: int = 0
    starting: threading.Lock = field(default_factory=threading.Lock)


class EpisodePool:
    """Episodes of some bundles' worlds on several hosts.

    Args:
        bundles: Paths of bundles; no two hold environments of one name.
        hosts: How many processes; as many as there are cores to give.
        capacity: Episodes that may be open on each host.
        isolation: See `synthesis.worlds.world.World`.
        start: Starts one host; another process of this machine when it is not given.

    Raises:
        InvalidBundle: A bundle cannot be opened.
        InvalidInput: A number is below 1, there is no bundle, or two have environments of one name.
        HostLost: A host does not start.
    """

    def __init__(
        self,
        bundles: Sequence[str | Path],
        *,
        hosts: int = HOSTS,
        capacity: int = CAPACITY,
        isolation: Isolation = "process",
        start: Callable[[], HostHandle] | None = None,
    ) -> None:
        if hosts < 1 or capacity < 1:
            raise InvalidInput(f"hosts and capacity are at least 1, not {hosts} and {capacity}.")
        paths = [str(path) for path in bundles]
        self._tasks = _tasks_of(paths)
        self._start = start or (lambda: ProcessHost(paths, isolation))
        self._capacity = capacity
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._places: list[_Place] = []
        self._closed = False
        with contextlib.ExitStack() as started:
            started.callback(self.close)
            for _ in range(hosts):
                self._places.append(_Place(self._start()))
            started.pop_all()

    @property
    def tasks(self) -> dict[str, tuple[Task, ...]]:
        """The tasks of every environment, by its name."""
        return dict(self._tasks)

    @property
    def health(self) -> tuple[HostHealth, ...]:
        """The hosts as they are now."""
        with self._changed:
            return tuple(HostHealth(place.episodes, place.replaced) for place in self._places)

    def episode(
        self,
        task_id: str,
        *,
        environment: str = "",
        limits: EpisodeLimits | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> PooledEpisode:
        """An episode on the host with the fewest open ones.

        Args:
            task_id: What the agent is asked.
            environment: Whose task; may be left out where the pool has one environment.
            limits: When to cut it off.
            patience: Seconds to wait while every host is full.

        Raises:
            UnknownName: There is no such environment or task.
            InvalidInput: The pool is closed.
            CapacityExhausted: Every host stayed full.
            HostLost: Two hosts in a row were lost at that moment.
        """
        name = self._checked(environment, task_id)
        try:
            return self._begun(name, task_id, limits, patience)
        except HostLost:  # by now it is replaced, and nothing was open that could be lost
            return self._begun(name, task_id, limits, patience)

    def roll_out(
        self,
        task_id: str,
        agent: Agent,
        *,
        environment: str = "",
        seed: int = 0,
        limits: EpisodeLimits | None = None,
        answer_form: AnswerForm = "both",
        patience: float = PATIENCE_SECONDS,
        seconds: float = ROLLOUT_SECONDS,
    ) -> JudgedTrajectory:
        """A whole episode on the host with the fewest open ones, where a copy of the agent plays it.

        A host of `EpisodePool` plays one at a time; threads that ask for more wait for their turn.

        Args:
            task_id: What the agent is asked.
            agent: Who plays. It is pickled: each episode has a copy, and the original does not change.
            environment: Whose task; may be left out where the pool has one environment.
            seed: Of the instance and of the agent's choices.
            limits: When to cut it off.
            answer_form: How the agent is to answer, and what of its answer is measured.
            patience: Seconds to wait while every host is full.
            seconds: Wall-clock seconds after which the host is taken for lost.

        Raises:
            UnknownName: There is no such environment or task.
            InvalidInput: The pool is closed, or the agent cannot be sent to a host.
            CapacityExhausted: Every host stayed full.
            HostLost: The host ended or did not answer in time; nothing is known of the agent.
        """
        (judged,) = self.roll_out_group(
            task_id,
            agent,
            [seed],
            environment=environment,
            limits=limits,
            answer_form=answer_form,
            patience=patience,
            seconds=seconds,
        )
        return judged

    def roll_out_group(
        self,
        task_id: str,
        agent: Agent,
        seeds: Sequence[int],
        *,
        environment: str = "",
        limits: EpisodeLimits | None = None,
        answer_form: AnswerForm = "both",
        at_once: int = 1,
        patience: float = PATIENCE_SECONDS,
        seconds: float = ROLLOUT_SECONDS,
    ) -> tuple[JudgedTrajectory, ...]:
        """Several whole episodes of one task in one round trip, as GRPO compares them: one for each seed.

        All are played on one host, each by a copy of the agent; they come back in the order of the seeds.

        Args:
            task_id: What the agent is asked.
            agent: Who plays; see `roll_out`.
            seeds: Of the instances and of the agent's choices; at least one.
            environment: Whose task; may be left out where the pool has one environment.
            limits: When to cut each episode off.
            answer_form: How the agent is to answer, and what of its answer is measured.
            at_once: Episodes that are open at the same time. 1 where an agent computes on the host itself, as
                many as there are seeds where it waits for a model.
            patience: Seconds to wait while no host has room for so many.
            seconds: Wall-clock seconds for the whole group, after which the host is taken for lost.

        Raises:
            UnknownName: There is no such environment or task.
            InvalidInput: The pool is closed, there is no seed, more are wanted at once than a host may have
                open, or the agent cannot be sent to a host.
            CapacityExhausted: No host had room.
            HostLost: The host ended or did not answer in time; nothing is known of the agent.
        """
        if not seeds or not 1 <= at_once <= self._capacity:
            raise InvalidInput(
                f"A group has at least one seed and from 1 to {self._capacity} episodes at once (the "
                f"capacity of a host), not {len(seeds)} seeds and {at_once} at once."
            )
        name = self._checked(environment, task_id)
        place = self._take(patience, at_once)
        host = place.handle
        try:
            arguments = (name, task_id, agent, tuple(seeds), limits, answer_form, at_once)
            judged: tuple[JudgedTrajectory, ...] = host.ask("roll_out", *arguments, seconds=seconds)
        except HostLost:
            self._replace(place, host)
            raise
        finally:
            self._give_back(place, at_once)
        return judged

    def close(self) -> None:
        """End every host. Twice does no harm."""
        with self._changed:
            self._closed = True
            places, self._places = self._places, []
            self._changed.notify_all()
        for place in places:
            place.handle.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked(self, environment: str, task_id: str) -> str:
        """The environment's name; there is such a task."""
        name = self._environment(environment)
        known = [task.id for task in self._tasks[name]]
        if task_id not in known:
            raise UnknownName("task", task_id, known)
        return name

    def _environment(self, name: str) -> str:
        if name in self._tasks or (not name and len(self._tasks) == 1):
            return name or next(iter(self._tasks))
        raise UnknownName("environment", name, list(self._tasks))

    def _begun(
        self, environment: str, task_id: str, limits: EpisodeLimits | None, patience: float
    ) -> PooledEpisode:
        episode = PooledEpisode(self, self._take(patience), next(self._numbers))
        try:
            episode._ask("begin", environment, task_id, limits)  # noqa: SLF001 two halves of one class
        except BaseException:
            episode.close()
            raise
        return episode

    def _take(self, patience: float, episodes: int = 1) -> _Place:
        with self._changed:
            free = self._changed.wait_for(lambda: self._closed or self._free(episodes), timeout=patience)
            if self._closed:
                raise InvalidInput("The pool is closed: make another.")
            if not free:
                raise CapacityExhausted(
                    f"No host has room for {episodes} more: {len(self._places)} hosts have {self._capacity} "
                    "episodes each open at most; close some, wait longer, or give the pool more hosts or "
                    "capacity."
                )
            place = min(self._free(episodes), key=lambda each: each.episodes)
            place.episodes += episodes
            return place

    def _free(self, episodes: int) -> list[_Place]:
        return [place for place in self._places if place.episodes + episodes <= self._capacity]

    def _give_back(self, place: _Place, episodes: int = 1) -> None:
        with self._changed:
            place.episodes -= episodes
            self._changed.notify_all()

    def _replace(self, place: _Place, lost: HostHandle) -> None:
        """Start another host where one was lost, once however many episodes notice."""
        with place.starting:
            if place.handle is not lost or self._closed:
                return
            lost.stop()
            place.handle = self._start()
            place.replaced += 1


class PooledEpisode:
    """One try at one task on a host of a pool; made by `EpisodePool.episode`."""

    def __init__(self, pool: EpisodePool, place: _Place, key: int) -> None:
        self._pool, self._place, self._key = pool, place, key
        self._host = place.handle
        self._open = True

    def reset(self, seed: int | None = None) -> tuple[JsonValue, dict[str, Any]]:
        """Start over on a fresh state; see `synthesis.episode.Episode.reset`.

        Raises:
            HostLost: The host is gone; open another episode.
        """
        observed: tuple[JsonValue, dict[str, Any]] = self._ask("reset", seed)
        return observed

    def step(self, action: Action) -> Observed:
        """Take one action; see `synthesis.episode.Episode.step`.

        Raises:
            HostLost: The host is gone; open another episode.
        """
        observed: Observed = self._ask("step", action)
        return observed

    def close(self) -> None:
        """Give the place back. Twice does no harm."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(HostLost):
            self._host.ask("end", self._key)
        self._pool._give_back(self._place)  # noqa: SLF001 two halves of one class

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, method: str, *arguments: Any) -> Any:
        if not self._open:
            raise InvalidInput("The episode is closed: open another.")
        try:
            return self._host.ask(method, self._key, *arguments)
        except HostLost:
            self._pool._replace(self._place, self._host)
            raise


def _tasks_of(paths: Sequence[str]) -> Mapping[str, tuple[Task, ...]]:
    environments = [open_bundle(Path(path)).environment for path in paths]
    tasks = {each.name: each.tasks.tasks for each in environments}
    if not environments:
        raise InvalidInput("A pool needs at least one bundle.")
    if len(tasks) < len(environments):
        names = [each.name for each in environments]
        raise InvalidInput(f"Two bundles hold environments named {max(names, key=names.count)!r}.")
    return tasks
