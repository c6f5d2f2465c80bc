"""Episode host: the worlds and episodes of one process, and how another process reaches them."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import pickle
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from synthesis.bundles.open import open_bundle
from synthesis.documents.answer_form import AnswerForm
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.trajectory import Action
from synthesis.episode import Episode, EpisodeLimits, Observed
from synthesis.errors import HostLost, InvalidInput, WorldwrightError
from synthesis.rollouts.agent import Agent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import Isolation, World

ANSWER_SECONDS = 120.0
"""After which a host that says nothing is given up; a call's own limits are far below."""
START_SECONDS = 120.0


class EpisodeHost:
    """The worlds and the open episodes of one process.

    Args:
        bundles: Paths of bundles, as this process finds them.
        isolation: See `synthesis.worlds.world.World`.
    """

    def __init__(self, bundles: Sequence[str], isolation: Isolation = "process") -> None:
        environments = [open_bundle(Path(path)).environment for path in bundles]
        self._worlds = {each.name: World(each, isolation=isolation) for each in environments}
        self._episodes: dict[int, Episode] = {}

    def begin(self, key: int, environment: str, task_id: str, limits: EpisodeLimits | None) -> None:
        """Open an episode under a key."""
        self._episodes[key] = Episode(self._worlds[environment], task_id, limits=limits)

    def reset(self, key: int, seed: int | None) -> tuple[JsonValue, dict[str, Any]]:
        """Start an episode over; see `synthesis.episode.Episode.reset`."""
        return self._episodes[key].reset(seed)

    def step(self, key: int, action: Action) -> Observed:
        """Take one action; see `synthesis.episode.Episode.step`."""
        return self._episodes[key].step(action)

    def roll_out(
        self,
        environment: str,
        task_id: str,
        agent: Agent,
        seeds: Sequence[int],
        limits: EpisodeLimits | None,
        answer_form: AnswerForm,
        at_once: int,
    ) -> tuple[JudgedTrajectory, ...]:
        """Let copies of an agent play whole episodes here; see `synthesis.rollouts.rollout.roll_out`."""
        world = self._worlds[environment]

        def play(seed: int) -> JudgedTrajectory:
            player = copy.deepcopy(agent)
            return roll_out(world, task_id, player, seed=seed, limits=limits, answer_form=answer_form)

        if at_once == 1:
            return tuple(map(play, seeds))
        with ThreadPoolExecutor(at_once) as threads:
            return tuple(threads.map(play, seeds))

    def end(self, key: int) -> None:
        """Close an episode; one that is not there is closed already."""
        if (episode := self._episodes.pop(key, None)) is not None:
            episode.close()

    def close(self) -> None:
        """Close every episode and every world."""
        for key in list(self._episodes):
            self.end(key)
        for world in self._worlds.values():
            world.close()


class HostHandle(Protocol):
    """How a pool reaches one host."""

    def ask(self, method: str, *arguments: Any, seconds: float | None = None) -> Any:
        """What a method of the host gives.

        Args:
            method: Its name.
            arguments: What it takes.
            seconds: After which the host is given up; `ANSWER_SECONDS` unless given.

        Raises:
            WorldwrightError: What the host raised.
            InvalidInput: An argument cannot be sent to the host, or not be read there.
            HostLost: It is gone, or does not answer.
        """

    def stop(self) -> None:
        """End the host. Twice does no harm."""


class ProcessHost:
    """A host in a process of its own on this machine.

    Raises:
        HostLost: It does not start; the text says why.
    """

    def __init__(self, bundles: Sequence[str], isolation: Isolation) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._lock = threading.Lock()
        self._process = context.Process(target=_serve, args=(theirs, bundles, isolation), name="episode-host")
        self._process.start()
        theirs.close()
        try:
            self._answer(
                START_SECONDS,
                "has ended while it started. A script that makes a pool does so below "
                '`if __name__ == "__main__":`, because each host imports it.',
            )
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int | None:
        """The host's process id."""
        return self._process.pid

    def ask(self, method: str, *arguments: Any, seconds: float | None = None) -> Any:
        """See `HostHandle.ask`."""
        try:
            message = ForkingPickler.dumps((method, arguments))
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            raise InvalidInput(f"What is sent to an episode host must be picklable: {error}.") from error
        try:
            with self._lock:
                self._connection.send_bytes(message)
                return self._answer(ANSWER_SECONDS if seconds is None else seconds)
        except (OSError, EOFError) as error:
            raise HostLost("The process of an episode host has ended; its episodes are lost.") from error

    def stop(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join(timeout=5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _answer(self, seconds: float, ended: str = "has ended; its episodes are lost.") -> Any:
        if not self._connection.poll(seconds):
            self._process.kill()
            raise HostLost(f"An episode host did not answer within {seconds:g} s and was ended.")
        try:
            answer, error = self._connection.recv()
        except EOFError as lost:
            raise HostLost(f"The process of an episode host {ended}") from lost
        if error is not None:
            raise error
        return answer


def _serve(connection: Connection, bundles: Sequence[str], isolation: Isolation) -> None:
    """The main function of a host's process: answers until the other end is closed."""
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        with _answering(connection) as sent:
            host = EpisodeHost(bundles, isolation)
        if sent.error is not None:
            return
        with contextlib.closing(host):
            while True:
                message = connection.recv_bytes()
                with _answering(connection) as sent:
                    method, arguments = _read(message)
                    sent.value = getattr(host, method)(*arguments)


def _read(message: bytes) -> tuple[str, tuple[Any, ...]]:
    try:
        method, arguments = pickle.loads(message)  # noqa: S301 from the process that started this one
    except (ImportError, AttributeError) as error:
        raise InvalidInput(
            f"An episode host cannot read what it was sent: {error}. The class of an agent must stand in a "
            "module that the host can import, not in the script that starts the pool."
        ) from error
    return method, arguments


@dataclass
class _Outgoing:
    value: Any = None
    error: WorldwrightError | None = None


@contextlib.contextmanager
def _answering(connection: Connection) -> Iterator[_Outgoing]:
    """Send what the block leaves in the answer, or what it raises."""
    answer = _Outgoing()
    try:
        yield answer
    except WorldwrightError as error:
        answer.value, answer.error = None, portable(error)
    connection.send((answer.value, answer.error))


def portable(error: WorldwrightError) -> WorldwrightError:
    """An error as it can be sent to another process: itself, or one of the nearest kind with its words."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 what was written in the same line
    except (TypeError, AttributeError, pickle.PicklingError):
        kind = InvalidInput if isinstance(error, InvalidInput) else WorldwrightError
        return kind(str(error))
    return error
