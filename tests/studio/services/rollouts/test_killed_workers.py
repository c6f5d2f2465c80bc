"""Sealed workers killed while episodes are played: each episode ends, and none as the agent's failure."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from studio.jobs import execute_run
from studio.models import RunState
from studio.services.rollouts import playing, rollouts
from studio.services.rollouts.rollouts import PlaySettings
from studio.services.rollouts.trajectories import load_judged
from synthesis.worlds.sandbox.worker_process import WATCH
from tests.studio.conftest import store_proved

SEEDS = range(20)


@contextmanager
def killing(begun: threading.Event, *, every: float) -> Iterator[list[int]]:
    """From an event on, sealed workers of this process are killed, one after the other at random; gives
    their ids."""
    killed: list[int] = []
    over, chance = threading.Event(), random.Random(5)

    def kill() -> None:
        begun.wait()
        while not over.wait(every):
            living = [worker.pid for worker in list(WATCH._workers) if worker.alive]
            if living:
                with suppress(ProcessLookupError):
                    os.kill(chosen := chance.choice(sorted(living)), signal.SIGKILL)
                    killed.append(chosen)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        begun.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize(("isolation", "every"), [("process", 0.03), ("shared", 0.2)])
def test_killed_workers_cost_no_episode_and_no_agent(db, clinic, isolation, every, monkeypatch):
    begun, play_all = threading.Event(), playing.play

    def play_on(*arguments, **options):
        begun.set()
        play_all(*arguments, **options)

    monkeypatch.setattr(playing, "play", play_on)
    record = store_proved(clinic)
    play = PlaySettings(at_once=4, isolation=isolation)
    run = rollouts.start_rollouts(record=record, agents=["reference"], seeds=SEEDS, play=play)
    with killing(begun, every=every) as killed:
        ended = execute_run(run.pk)
    assert ended.state == RunState.FINISHED, ended.error
    assert killed
    wanted = {(task.id, seed) for task in clinic.tasks.tasks for seed in SEEDS}
    assert sorted(run.trajectories.values_list("task_id", "seed")) == sorted(wanted)
    hit = run.trajectories.exclude(label="completed")
    assert set(hit.values_list("label", flat=True)) <= {"environment_error", "unscored"}
    assert hit.count() <= len(killed) * (1 if isolation == "process" else play.at_once)
    assert not any(load_judged(each).verdicts[0].trainable for each in hit)
