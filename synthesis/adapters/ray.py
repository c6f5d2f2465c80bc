"""Ray: an episode pool whose hosts are actors of a Ray cluster.

    ray.init()
    with ray_pool(["clinic_front_desk.zip"], hosts=8) as pool, pool.episode("read_total_owed") as episode:
        observation, info = episode.reset(seed=7)

Trainers that place their rollout workers with Ray (verl, SkyRL, OpenRLHF) place the worlds beside them the
same way. `pool.roll_out(task_id, agent)` sends the agent to the actor, which plays the whole episode, and
`pool.roll_out_group(task_id, agent, range(8))` for all that GRPO compares;
`options={"max_concurrency": 16}` lets an actor play so many at once while models answer. Every node must
find the bundles at the paths given, and be able to run the sandbox.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from pickle import PicklingError
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayTaskError

from synthesis.episode_host import ANSWER_SECONDS, START_SECONDS, EpisodeHost
from synthesis.episode_pool import CAPACITY, HOSTS, EpisodePool
from synthesis.errors import HostLost, InvalidInput, WorldwrightError
from synthesis.worlds.world import Isolation


def ray_pool(
    bundles: Sequence[str | Path],
    *,
    hosts: int = HOSTS,
    capacity: int = CAPACITY,
    isolation: Isolation = "process",
    options: Mapping[str, Any] | None = None,
) -> EpisodePool:
    """A pool of actors; `ray.init` has been called.

    Args:
        bundles: Paths of bundles, as every node finds them.
        hosts: How many actors.
        capacity: Episodes that may be open on each.
        isolation: See `synthesis.worlds.world.World`.
        options: Of each actor, as `ray.remote` takes them: `num_cpus` (1 unless given), `resources`,
            `scheduling_strategy`, `runtime_env` ...

    Raises:
        InvalidBundle: A bundle cannot be opened.
        InvalidInput: A number is below 1, there is no bundle, or two have environments of one name.
        HostLost: An actor does not start; the text says why.
    """
    paths = [str(path) for path in bundles]
    chosen = {"num_cpus": 1, **(options or {})}
    return EpisodePool(
        paths, hosts=hosts, capacity=capacity, start=lambda: ActorHost(paths, isolation, chosen)
    )


class ActorHost:
    """A host that is an actor.

    Raises:
        HostLost: It does not start.
    """

    def __init__(self, bundles: Sequence[str], isolation: Isolation, options: Mapping[str, Any]) -> None:
        self._actor = ray.remote(EpisodeHost).options(**options).remote(list(bundles), isolation)
        try:
            self._get(self._actor.end.remote(0), START_SECONDS)
        except BaseException:
            self.stop()
            raise

    def ask(self, method: str, *arguments: Any, seconds: float | None = None) -> Any:
        """See `synthesis.episode_host.HostHandle.ask`."""
        try:
            reference = getattr(self._actor, method).remote(*arguments)
        except (TypeError, PicklingError) as error:
            raise InvalidInput(f"What is sent to an actor must be picklable: {error}") from error
        return self._get(reference, ANSWER_SECONDS if seconds is None else seconds)

    def stop(self) -> None:
        """End the actor."""
        with contextlib.suppress(RayActorError):
            ray.kill(self._actor)

    def _get(self, reference: Any, seconds: float) -> Any:
        try:
            return ray.get(reference, timeout=seconds)
        except RayActorError as error:
            raise HostLost(f"The actor of an episode host is gone: {_last_line(error)}") from error
        except GetTimeoutError as error:
            ray.kill(self._actor)
            raise HostLost(f"An episode host did not answer within {seconds:g} s and was ended.") from error
        except RayTaskError as error:
            if isinstance(error.cause, WorldwrightError):
                raise error.cause from None
            raise


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
