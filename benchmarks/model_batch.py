"""Many episodes at once, each asking a slow model over HTTP: time, memory, and what a cancel leaves."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from benchmarks import memory
from benchmarks.sample import rounded
from benchmarks.subject import Subject
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.retrying import Retrying
from synthesis.rollouts.batch import Finished, RolloutJob, roll_out_all
from synthesis.rollouts.chat import ChatAgent
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.world import World

CONTEXT_TOKENS = 200_000


def run(measured: Subject, *, episodes: int, delay: tuple[float, float]) -> dict[str, Any]:
    """Play so many episodes at the same time, then as many again that are cancelled on the way.

    Args:
        measured: The environment and the ten calls of each episode.
        episodes: How many, all at once.
        delay: Seconds, from and to, before the endpoint answers.
    """
    with (
        scripted_endpoint(measured, delay) as url,
        World(measured.environment, limits=Limits(max_instances=episodes + 1)) as world,
        contextlib.closing(OpenAICompatible("scripted", "no-key", base_url=url)) as provider,
    ):
        with Peak() as peak:
            began = time.perf_counter()
            finished = list(_play(world, measured, provider, episodes, threading.Event()))
            took = time.perf_counter() - began
        _require_all_completed(finished, episodes)
        cancelled, settled = _cancelled(world, measured, provider, episodes, after=delay[1] * 2)
        left = [thread.name for thread in threading.enumerate() if thread.name.startswith("rollout")]
    return {
        "episodes": episodes,
        "calls": len(measured.episode),
        "delay_s": list(delay),
        "seconds": rounded(took),
        "peak_mib": peak.mib,
        "cancelled": dict(Counter(_outcome(each) for each in cancelled)),
        "cancel_s": rounded(settled),
        "left_running": len(left),
    }


class Peak:
    """The most memory this process and its sealed workers took together while the block ran."""

    def __init__(self, every: float = 0.5) -> None:
        self._every, self._over = every, threading.Event()
        self._kib = 0
        self._watcher = threading.Thread(target=self._watch, name="peak-of-memory")

    @property
    def mib(self) -> float:
        return rounded(self._kib / 1024)

    def __enter__(self) -> Self:
        self._free = memory.available_kib()
        self._own = memory.rss_kib(os.getpid())
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        while True:
            workers = memory.pss_kib(memory.descendants(fork_client().pid) | {os.getpid()})
            if workers is None:  # the kernel tells only root: what the machine gave since the start
                workers = self._own + max(0, self._free - memory.available_kib())
            self._kib = max(self._kib, workers)
            if self._over.wait(self._every):
                return


def _play(
    world: World, measured: Subject, provider: OpenAICompatible, episodes: int, cancel: threading.Event
) -> Iterator[Finished]:
    def agent() -> ChatAgent:
        return ChatAgent(Retrying(provider), context_tokens=CONTEXT_TOKENS)

    jobs = (RolloutJob(world, measured.task.id, agent, seed) for seed in range(episodes))
    return roll_out_all(jobs, at_once=episodes, cancel=cancel)


def _cancelled(
    world: World, measured: Subject, provider: OpenAICompatible, episodes: int, *, after: float
) -> tuple[list[Finished], float]:
    """What a batch came to that was cancelled, and how long it took to settle."""
    cancel = threading.Event()
    asked: list[float] = []

    def stop() -> None:
        asked.append(time.perf_counter())
        cancel.set()

    timer = threading.Timer(after, stop)
    timer.start()
    finished = list(_play(world, measured, provider, episodes, cancel))
    timer.cancel()
    return finished, time.perf_counter() - asked[0] if asked else 0.0


def _outcome(finished: Finished) -> str:
    return finished.judged.trajectory.stop_reason if finished.judged else type(finished.error).__name__


def _require_all_completed(finished: list[Finished], episodes: int) -> None:
    labels = Counter(each.judged.verdicts[0].label if each.judged else repr(each.error) for each in finished)
    if labels != {"completed": episodes}:
        errors = {each.judged.trajectory.error for each in finished if each.judged}
        raise RuntimeError(f"of {episodes} episodes came {dict(labels)}; {sorted(errors)[:3]}")


@contextlib.contextmanager
def scripted_endpoint(measured: Subject, delay: tuple[float, float]) -> Iterator[str]:
    """The base URL of an endpoint that plays the subject's episode, while it runs."""
    script = {
        "calls": [call.model_dump(mode="json") for call in measured.episode],
        "answer": measured.task.reference_answer,
    }
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.model_endpoint", str(path), "--delay", *map(str, delay)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.kill()
