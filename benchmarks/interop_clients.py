"""Real clients of the suite `interop`: each plays every reference solution, then nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.client_library import INSPECT, NEMO_GYM, OPENENV, ROOT, TRL, VERIFIERS, ClientLibrary, Library

_SECONDS = 900


@dataclass(frozen=True)
class Place:
    """One environment as a client may want it.

    Attributes:
        bundle: The bundle.
        url: A server of it, with NeMo Gym's interface.
        tasks: Its tasks with their reference solutions, see `benchmarks.client_library.write_tasks`.
        rows: Its tasks as a data set of NeMo Gym.
    """

    bundle: Path
    url: str
    tasks: Path
    rows: Path


@dataclass(frozen=True)
class RealClient:
    """One client.

    Attributes:
        name: Of the client.
        library: Where it is installed.
        script: What plays there; prints "gold" and "no_op", rewards by task.
        given: The script's arguments.
        ours: Whether it plays through an adapter, and so needs our packages.
    """

    name: str
    library: Library
    script: str
    given: Callable[[Place], tuple[str | Path, ...]]
    ours: bool = False

    def rewards(self, place: Place) -> tuple[list[float], list[float]]:
        """Of the reference solutions, and of an idle agent.

        Raises:
            NotInstalled: It cannot be tried here.
            RuntimeError: The script failed.
        """
        arguments = map(str, self.given(place))
        path = ROOT if self.ours else None
        scores = ClientLibrary(self.library).run(self.script, *arguments, path=path, seconds=_SECONDS)
        return list(scores["gold"].values()), list(scores["no_op"].values())


def _served(place: Place) -> tuple[str | Path, ...]:
    return place.url, place.tasks


def _with_rows(place: Place) -> tuple[str | Path, ...]:
    return place.url, place.rows, place.tasks


def _in_process(place: Place) -> tuple[str | Path, ...]:
    return place.bundle, place.tasks


CLIENTS = (
    RealClient("openenv", OPENENV, "openenv_client.py", _served),
    RealClient("nemo_gym", NEMO_GYM, "nemo_agent_client.py", _with_rows),
    RealClient("verifiers", VERIFIERS, "verifiers_client.py", _in_process, ours=True),
    RealClient("trl", TRL, "trl_trainer_client.py", _in_process, ours=True),
    RealClient("inspect", INSPECT, "inspect_client.py", _in_process, ours=True),
)
