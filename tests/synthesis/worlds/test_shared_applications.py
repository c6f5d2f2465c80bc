"""Where instances share processes, no instance waits until an application is loaded, except the first."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from synthesis.worlds import worker_slots
from synthesis.worlds.worker_slots import Pool, SharedWorker
from synthesis.worlds.world import World

from .conftest import MakeWorld, make_environment

APPLICATION = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/notes", operation_id="list_notes")
def list_notes() -> list:
    return []
"""
SECONDS = 30


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_slots, "_PROCESSES", 2)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Process and operation of every request to a shared worker."""
    asked: list[tuple[int, str]] = []
    real = SharedWorker.ask

    def ask(worker: SharedWorker, op: str, *given: Any) -> Any:
        asked.append((worker.pid, op))
        return real(worker, op, *given)

    monkeypatch.setattr(SharedWorker, "ask", ask)
    return asked


class HeldLoading:
    """Workers beside the first wait with loading until they are let go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loaded, self.go_on = threading.Event(), threading.Event()
        self.workers: list[SharedWorker] = []
        real = Pool._new_loaded_worker

        def loaded(pool: Pool) -> SharedWorker:
            worker = real(pool)
            self.workers.append(worker)
            if len(self.workers) > 1:
                self.loaded.set()
                self.go_on.wait(SECONDS)
            return worker

        monkeypatch.setattr(Pool, "_new_loaded_worker", loaded)


def places(world: World) -> int:
    return len(world._pool._shared_workers)


def wait_for_two_processes(world: World) -> None:
    until = time.monotonic() + SECONDS
    while places(world) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert places(world) == 2


def test_a_process_has_loaded_its_application_before_an_instance_begins_in_it(
    asked: list[tuple[int, str]],
) -> None:
    with World(make_environment(APPLICATION), isolation="shared") as world:
        instances = [world.instance(), world.instance()]
        wait_for_two_processes(world)
        instances += [world.instance(), world.instance()]
        assert all(instance.call("list_notes", {}).ok for instance in instances)
    began: dict[int, str] = {}
    for pid, op in asked:
        began.setdefault(pid, op)
    assert list(began.values()) == ["load", "load"]
    assert [op for _, op in asked].count("load") == 2


def test_instances_begin_in_the_first_process_until_the_second_is_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = HeldLoading(monkeypatch)
    with World(make_environment(APPLICATION), isolation="shared") as world:
        for _ in range(3):
            assert world.instance().call("list_notes", {}).ok
        assert [worker.taken for worker in world._pool._shared_workers] == [3]
        held.go_on.set()
        wait_for_two_processes(world)
        world.instance()
        assert [worker.taken for worker in world._pool._shared_workers] == [3, 1]


def test_instances_one_after_the_other_need_one_process() -> None:
    with World(make_environment(APPLICATION), isolation="shared") as world:
        for _ in range(3):
            with world.instance() as instance:
                assert instance.call("list_notes", {}).ok
        assert not world._pool._is_adding
        assert places(world) == 1


def test_a_process_that_is_ready_after_the_world_was_closed_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = HeldLoading(monkeypatch)
    with World(make_environment(APPLICATION), isolation="shared") as world:
        world.instance()
        world.instance()
        assert held.loaded.wait(SECONDS)
    held.go_on.set()
    until = time.monotonic() + SECONDS
    while any(worker.alive for worker in held.workers) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(worker.alive for worker in held.workers)
    assert places(world) == 0


def test_modules_of_functions_have_nothing_to_load(
    make_world: MakeWorld, asked: list[tuple[int, str]]
) -> None:
    world = make_world(isolation="shared")
    for _ in range(3):
        assert world.instance().call("list_notes", {}).ok
    assert places(world) == 2
    assert "load" not in [op for _, op in asked]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_process_that_could_not_be_added_is_added_later(monkeypatch: pytest.MonkeyPatch) -> None:
    with World(make_environment(APPLICATION), isolation="shared") as world:
        world.instance()
        with monkeypatch.context() as broken:
            failed = threading.Event()

            def fail(_: Pool) -> SharedWorker:
                failed.set()
                raise RuntimeError("anything")

            broken.setattr(Pool, "_new_loaded_worker", fail)
            world.instance()
            assert failed.wait(SECONDS)
            for thread in threading.enumerate():
                if thread.name == "shared-worker":
                    thread.join(SECONDS)  # what it raised is this test's, not the next one's
            assert not world._pool._is_adding
        world.instance()
        wait_for_two_processes(world)


def test_without_a_thread_the_first_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    with World(make_environment(APPLICATION), isolation="shared") as world:
        world.instance()
        real = threading.Thread.start

        def start(thread: threading.Thread) -> None:
            if thread.name == "shared-worker":
                raise RuntimeError("can't start new thread")
            real(thread)

        with monkeypatch.context() as broken:
            broken.setattr(threading.Thread, "start", start)
            assert world.instance().call("list_notes", {}).ok
        world.instance()
        wait_for_two_processes(world)


MIDDLEWARE = """

class Broken:
    def __init__(self, app):
        raise RuntimeError("no such setting")


app.add_middleware(Broken)
"""


def test_middleware_that_cannot_be_made_fails_the_call_and_not_the_world() -> None:
    with World(make_environment(APPLICATION + MIDDLEWARE)) as world:
        result = world.instance().call("list_notes", {})
    assert (result.status, "no such setting" in result.message) == ("error", True)
