"""`manage.py serve` in processes of its own: however it ends, no worker stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.management.conftest import ROOT

PATIENCE = 60.0
"""Seconds; a busy machine takes its time."""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_its_worker_ends_with_it(ending: signal.Signals, own_studio: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env=own_studio,
        stdout=subprocess.PIPE,
        text=True,
        # A shell that started the tests aside makes its children ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as serving:
        workers: set[int] = set()
        try:
            assert serving.stdout is not None
            assert "listens on" in serving.stdout.readline()
            workers = _children(serving.pid)
            assert workers
            serving.send_signal(ending)
            serving.wait(PATIENCE)
            assert _within(lambda: not any(map(_lives, workers)))
        finally:
            for pid in (serving.pid, *workers):
                if _lives(pid):
                    os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> set[int]:
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _within(reached: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not (done := reached()) and time.monotonic() < until:
        time.sleep(0.1)
    return done
