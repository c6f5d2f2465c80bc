"""`manage.py serve` in processes of its own: however it ends, no worker stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.studio.management.conftest import PATIENCE, ROOT, lives, processes_below, within

pytestmark = pytest.mark.slow
"""They start processes and wait for them."""


@contextmanager
def serving_studio(environ: dict[str, str], **more: Any) -> Iterator[subprocess.Popen[str]]:
    """`manage.py serve` that listens; killed afterwards with everything below it."""
    with subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
        # A shell that started the tests aside makes its children ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        **more,
    ) as serving:
        below: set[int] = set()
        try:
            assert serving.stdout is not None
            assert "listens on" in serving.stdout.readline()
            below = processes_below(serving.pid)
            yield serving
        finally:
            for pid in (*below, *processes_below(serving.pid), serving.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_its_worker_ends_with_it(ending: signal.Signals, own_studio: dict[str, str]) -> None:
    with serving_studio(own_studio) as serving:
        workers = processes_below(serving.pid)
        assert workers
        serving.send_signal(ending)
        serving.wait(PATIENCE)
        assert within(lambda: not any(map(lives, workers)))


def test_a_worker_that_is_killed_is_replaced_and_told(own_studio: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as output, serving_studio(own_studio, stderr=output) as serving:
        (worker,) = processes_below(serving.pid)
        os.kill(worker, signal.SIGKILL)
        assert within(lambda: bool(processes_below(serving.pid) - {worker}))
        assert "The worker exited with signal SIGKILL; it is restarted" in log.read_text()
        (replacement,) = processes_below(serving.pid)
        serving.send_signal(signal.SIGTERM)
        serving.wait(PATIENCE)
        assert within(lambda: not lives(replacement))
