"""Episodes a second on one host of a pool and on two, each driven by a thread of its own, taking turns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from benchmarks.sample import Sample
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.episode_pool import EpisodePool
from synthesis.rollouts.agent import AgentContext, AgentDecision

TURNS = 5
GROUP = 8
_CALLS = 10


@dataclass
class ReadingAgent:
    """Makes one call ten times and answers nothing."""

    call: ToolCall
    name = "reading"
    model: str | None = None
    _left: int = 0

    def begin(self, context: AgentContext) -> None:  # noqa: ARG002 - it does the same in every task
        """Start over."""
        self._left = _CALLS

    def act(self, observation: JsonValue) -> AgentDecision:  # noqa: ARG002 - it does not look
        """The call, at last the answer."""
        self._left -= 1
        return AgentDecision(action=self.call if self._left >= 0 else FinalAnswer(text=""))


def pool_speeds(
    bundle: Path, call: ToolCall, seconds: float, pool: Callable[..., EpisodePool] = EpisodePool
) -> dict[str, Any]:
    """Episodes of ten calls a second by number of hosts, and what two give beside twice one.

    `step_by_step` asks a host for every call from this process, which then needs a core of its own;
    `whole_episodes` sends the agent to the host, as rollout workers of trainers have it; `groups` sends it
    once for the eight episodes that GRPO compares.

    Args:
        bundle: What is played.
        call: The call.
        seconds: How long each number of hosts is measured, in all turns.
        pool: Makes the pool: hosts of this machine, or actors of a Ray cluster.
    """
    with pool([bundle], hosts=2, isolation="shared") as hosts:
        return {
            "step_by_step": _speeds(lambda number: _step(hosts, call, number), seconds),
            "whole_episodes": _speeds(lambda number: _roll_out(hosts, call, number), seconds),
            "groups": _speeds(lambda number: _roll_out_group(hosts, call, number), seconds, episodes=GROUP),
        }


def _step(pool: EpisodePool, call: ToolCall, seed: int) -> None:
    ((task, *_),) = pool.tasks.values()
    with pool.episode(task.id) as episode:
        episode.reset(seed)
        for _ in range(_CALLS):
            episode.step(call)
        episode.step(FinalAnswer(text=""))


def _roll_out(pool: EpisodePool, call: ToolCall, seed: int) -> None:
    ((task, *_),) = pool.tasks.values()
    pool.roll_out(task.id, ReadingAgent(call), seed=seed)


def _roll_out_group(pool: EpisodePool, call: ToolCall, number: int) -> None:
    ((task, *_),) = pool.tasks.values()
    pool.roll_out_group(task.id, ReadingAgent(call), range(GROUP * number, GROUP * (number + 1)))


def _speeds(play: Callable[[int], None], seconds: float, *, episodes: int = 1) -> dict[str, Any]:
    """A turn of one host is followed by a turn of two, so that what else the machine does meets both.

    Args:
        play: Plays so many episodes.
        seconds: Of all turns.
        episodes: That `play` plays each time.
    """
    _speed(play, seconds / TURNS, 2)  # whatever is loaded at the first use is loaded by now
    turns = [[episodes * _speed(play, seconds / TURNS, used) for used in (1, 2)] for _ in range(TURNS)]
    return {
        "episodes_per_s": {
            str(used): Sample(tuple(turn[used - 1] for turn in turns)).as_json() for used in (1, 2)
        },
        "linear_share": Sample(tuple(two / (2 * one) for one, two in turns)).as_json(),
    }


def _speed(play: Callable[[int], None], seconds: float, drivers: int) -> float:
    """Plays a second of so many drivers; each has a host of its own, since a pool uses the emptiest."""
    counts = [0] * drivers
    began = time.perf_counter()
    until = began + seconds

    def drive(number: int) -> None:
        while time.perf_counter() < until:
            play(counts[number])
            counts[number] += 1

    threads = [threading.Thread(target=drive, args=(number,)) for number in range(drivers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - began)
