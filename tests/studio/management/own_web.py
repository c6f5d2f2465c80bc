"""A studio of a test's own on PostgreSQL, with web processes that it may kill."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.own_services import OwnPostgreSQL, free_port
from tests.studio.management.conftest import ROOT, Manage
from tests.studio.management.own_services import running


class OwnWeb:
    """Two web processes that are killed and started again at the same address."""

    def __init__(self, environ: dict[str, str], log: Path) -> None:
        self._environ, self._log, self.port = environ, log, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        options = ("--host", "127.0.0.1", "--port", str(self.port), "--workers", "2", "--lifespan", "off")
        command = (sys.executable, "-m", "uvicorn", "studio.asgi:application", *options)
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, cwd=ROOT, env=self._environ, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        """Kill all of them."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def again(self) -> None:
        """Kill all of them and start others."""
        self.kill()
        self._process = self._start()


@contextlib.contextmanager
def web(environ: dict[str, str], log: Path) -> Iterator[OwnWeb]:
    """Web processes for the time of a block."""
    processes = OwnWeb(environ, log)
    try:
        yield processes
    finally:
        processes.kill()


@contextlib.contextmanager
def on_postgresql(manage: Manage, own_studio: dict[str, str], folder: Path) -> Iterator[None]:
    """The studio has an empty database on a server of its own for the time of a block."""
    with running(OwnPostgreSQL, folder / "database") as database:
        own_studio.update(DATABASE_URL=database.url)
        assert manage("migrate", "-v0").returncode == 0
        yield


def printed(manage: Manage, code: str) -> Any:
    """The JSON value that some code prints last when it is run in the studio."""
    done = manage("shell", "-v0", "-c", code)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
