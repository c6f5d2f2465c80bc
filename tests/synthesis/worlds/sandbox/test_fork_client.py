"""Workers come from a fork server, belong to one service process, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synthesis.errors import SandboxUnavailable
from synthesis.worlds.job import JobFailed, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import ForkClient, fork_client
from synthesis.worlds.world import World

ROOT = Path(__file__).parents[4]


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def descendants(pid: int) -> set[int]:
    """Living processes below a process."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                parents[int(folder.name)] = int(fields[1])
    results = {pid}
    while grown := {child for child, parent in parents.items() if parent in results and child not in results}:
        results |= grown
    return results - {pid}


def settled(pid: int, count: int) -> int:
    """The number of descendants, once it is `count` or two seconds have passed."""
    deadline = time.monotonic() + 2
    while (now := len(descendants(pid))) != count and time.monotonic() < deadline:
        time.sleep(0.02)
    return now


def test_a_job_answers_or_says_why_not() -> None:
    answer, _ = run_job("lint_verifier", {"source": "x = ("}, limits=Limits(), seconds=5)
    assert answer["problems"]
    with pytest.raises(JobFailed, match="KeyError"):
        run_job("no such thing", {}, limits=Limits(), seconds=5)


def test_instances_leave_no_process_and_no_descriptor(clinic_world: World) -> None:
    with clinic_world.instance() as instance:
        instance.call("list_departments")
    server = fork_client().pid
    processes, files = settled(server, -1), descriptors()
    for _ in range(3):
        instances = [clinic_world.instance() for _ in range(8)]
        assert settled(server, processes + 8) == processes + 8
        assert descriptors() == files + 16
        instances[0].reset()
        instances[1].restore(instances[2].snapshot())
        for instance in instances:
            instance.close()
        clinic_world.rows(clinic_world.base, "SELECT 1")
    assert settled(server, processes) == processes
    assert descriptors() == files


def states_of(pid: int) -> list[str]:
    """The states of the children of a process, those that have ended and were not waited for among them."""
    states = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            state, parent, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            states += [state] if int(parent) == pid else []
    return states


def test_ended_workers_are_waited_for_though_nobody_asks_again() -> None:
    server = ForkClient()
    try:
        workers = [server.fork(memory_mib=64) for _ in range(5)]
        for worker in workers:
            worker.kill()
        until = time.monotonic() + 10
        while states_of(server.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert states_of(server.pid) == []
    finally:
        server.close()


def test_ended_workers_are_waited_for_at_the_next_request_and_their_end_is_known() -> None:
    server = ForkClient()
    try:
        for _ in range(3):
            worker = server.fork(memory_mib=64)
            os.kill(worker.pid, signal.SIGKILL)
            select.select([worker._pidfd], [], [], 10)
            assert server.exit_status(worker.pid) == -signal.SIGKILL
            assert states_of(server.pid) == []
            worker.kill()
    finally:
        server.close()


def test_workers_wait_for_requests_whatever_timeout_new_sockets_get(clinic_world: World) -> None:
    before = socket.getdefaulttimeout()
    # As kombu does for a moment, in whatever thread, when it lost its broker.
    socket.setdefaulttimeout(0.05)
    try:
        with clinic_world.instance() as instance:
            for _ in range(3):
                time.sleep(0.15)
                assert instance.call("list_departments").status == "ok"
    finally:
        socket.setdefaulttimeout(before)


def test_a_signal_to_the_whole_group_leaves_the_workers_to_the_service(clinic_world: World) -> None:
    with clinic_world.instance() as instance:
        group = [fork_client().pid, *descendants(fork_client().pid)]
        assert len(group) > 2
        for asked_to_end in (signal.SIGINT, signal.SIGTERM):
            for pid in group:
                os.kill(pid, asked_to_end)
        time.sleep(0.1)
        assert instance.call("list_departments").status == "ok"
    with clinic_world.instance() as another:
        assert another.call("list_departments").status == "ok"


def test_a_lost_template_is_replaced(clinic_world: World) -> None:
    with clinic_world.instance() as instance:
        expected = instance.call("list_departments").value
        template = clinic_world._pool.template()
        signal.pidfd_send_signal(template._pidfd, signal.SIGKILL)
        time.sleep(0.1)  # its workers die with it
        assert instance.call("list_departments").status == "error"
        assert instance.call("list_departments").value == expected
        assert clinic_world._pool.template() is not template


def test_a_lost_fork_server_is_started_again(clinic_world: World) -> None:
    with clinic_world.instance() as instance:
        expected = instance.state_hash()
        os.kill(fork_client().pid, signal.SIGKILL)
        time.sleep(0.2)
        assert instance.state_hash() == expected


def test_no_instance_begins_in_a_shared_process_that_was_lost_with_the_fork_server(clinic) -> None:
    with World(clinic, isolation="shared") as world:
        for _ in range(3):  # as many processes as cores
            with world.instance() as instance:
                assert instance.call("list_departments").ok
        os.kill(fork_client().pid, signal.SIGKILL)
        time.sleep(0.2)
        with world.instance() as first, world.instance() as second:
            assert first.call("list_departments").ok
            assert second.call("list_departments").ok


def test_a_fork_of_the_service_has_workers_of_its_own(clinic_world: World) -> None:
    """As in a prefork server: the child neither uses nor ends what its parent has."""
    with clinic_world.instance() as instance:
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                instance.close()
                with clinic_world.instance() as own:
                    status = 0 if own.call("list_departments").ok else 2
                clinic_world.close()
            os._exit(status)
        _, ended = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(ended) == 0
        assert instance.call("list_departments").ok


SERVICE = """
import sys, time
sys.path.insert(0, {root!r})
from pathlib import Path
from synthesis.bundles.open import open_bundle
from synthesis.worlds.world import World
from synthesis.worlds.sandbox.fork_client import ForkClient, fork_client
clinic = open_bundle(Path({root!r}) / "tests/data/clinic_front_desk").environment
world = World(clinic, isolation={isolation!r})
instances = [world.instance() for _ in range(3)]
print(fork_client().pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("isolation", ["process", "shared"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_service(how: signal.Signals, isolation: str) -> None:
    script = SERVICE.format(root=str(ROOT), isolation=isolation)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout
        server = int(service.stdout.readline())
        family = {server, *descendants(server)}
        assert len(family) >= 3
        service.send_signal(how)
        service.wait(timeout=10)
        deadline = time.monotonic() + 2
        while (left := {pid for pid in family if _lives(pid)}) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert left == set()


def _lives(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    return False


def test_a_template_that_cannot_read_its_world_is_refused() -> None:
    with pytest.raises(SandboxUnavailable, match="template"):
        fork_client().template(b"\x00\x00\x00\x02{}")
