"""Generated code of a worker waits for the worker itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from studio.services.runs import precedence


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the place of the fork server."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        monkeypatch.setattr(precedence, "fork_client", lambda: SimpleNamespace(pid=process.pid))
        yield process
        process.kill()


def test_generated_code_waits_and_the_worker_does_not(server: subprocess.Popen[bytes]) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    for _ in range(2):
        precedence.requests_first()
        assert os.getpriority(os.PRIO_PROCESS, server.pid) == min(own + precedence.NICENESS, 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


def test_what_waits_already_is_not_called_forward(server: subprocess.Popen[bytes]) -> None:
    os.setpriority(os.PRIO_PROCESS, server.pid, 19)
    precedence.requests_first()
    assert os.getpriority(os.PRIO_PROCESS, server.pid) == 19


def test_a_server_that_has_just_ended_is_no_trouble(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    server.wait()
    precedence.requests_first()
