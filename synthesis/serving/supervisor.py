"""Supervisor: several server processes that share one address; started, watched, replaced, stopped."""

from __future__ import annotations

import contextlib
import logging
import math
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from synthesis.bundles.native import NativeCodec
from synthesis.documents.bundle import Bundle
from synthesis.errors import InvalidInput, SandboxError
from synthesis.serving.announcer import Announcer
from synthesis.serving.credentials import new_key
from synthesis.serving.server import listen, once_ready, open_bundles
from synthesis.serving.settings import ServeSettings
from synthesis.serving.worker import READY, WorkerOrders
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import Isolation

log = logging.getLogger("worldwright.serving")

_MAX_WORKER_EXITS = 5
"""So many exits of workers within a minute end the server: a restart does not mend it."""

_STOPPED = (0, -signal.SIGTERM, -signal.SIGKILL)
"""Statuses of a worker that was told to stop: in order, while it was starting, and when it took too long."""


class _Stopped(Exception):  # a signal, never an error
    """Somebody asked the server to stop."""


def serve_with_workers(
    paths: Sequence[Path],
    settings: ServeSettings,
    workers: int,
    *,
    isolation: Isolation = "process",
    limits: Limits | None = None,
    sandbox: Mapping[str, object] | None = None,
    announcer: Announcer | None = None,
    ready: Callable[[str, dict[str, Bundle]], None],
) -> None:
    """Serve bundles from several processes until SIGINT or SIGTERM.

    The bundles are read once, here; the workers, and those that replace them, read a private copy.

    Args:
        paths: Native bundles.
        settings: Address and limits; `max_instances` is divided among the workers.
        workers: How many processes.
        isolation: "process" or "shared".
        limits: Limits of the worlds.
        sandbox: What GET /health says about the layers around generated code.
        announcer: Tells a studio of this server.
        ready: Called once with the URL when every worker answers.

    Raises:
        InvalidInput: A bundle or the address cannot be used.
        SandboxError: Workers keep dying.
    """
    bundles = open_bundles(paths)
    with (
        contextlib.closing(listen(settings)) as listener,
        tempfile.TemporaryDirectory(prefix="worldwright-") as private,
    ):
        folder = Path(private)
        share = math.ceil(settings.max_instances / workers)
        serve_settings = settings.replace(
            max_instances=share, public_url=settings.public_url, port=listener.getsockname()[1]
        )
        orders = {
            "listener": listener.fileno(),
            "sockets": [str(folder / f"{index}.sock") for index in range(workers)],
            "bundles": [str(NativeCodec().write(b, folder / f"{name}.zip")) for name, b in bundles.items()],
            "settings": serve_settings.model_dump(mode="json", exclude={"token"}),
            "token": settings.token,
            "key": new_key().hex(),
            "isolation": isolation,
            "limits": asdict(limits or Limits()),
            "sandbox": dict(sandbox or {}),
        }
        begin = once_ready(listener, settings, bundles, announcer, ready)
        supervisor = _Supervisor(orders, listener, settings.drain_seconds, announcer)
        with _stoppable(), contextlib.suppress(_Stopped):
            supervisor.run(workers, begin)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """SIGINT and SIGTERM raise `_Stopped` in here."""

    def stop(*_: object) -> None:
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Supervisor:
    """The workers of one server."""

    def __init__(
        self,
        orders: dict[str, Any],
        listener: socket.socket,
        drain_seconds: float,
        announcer: Announcer | None,
    ) -> None:
        self.orders, self.listener, self.drain_seconds = orders, listener, drain_seconds
        self.announcer = announcer
        self.workers: dict[int, subprocess.Popen[bytes]] = {}
        self._worker_exits: list[float] = []

    def run(self, count: int, ready: Callable[[], None]) -> None:
        """Start so many, say when all answer, replace those that die; end them all when interrupted."""
        try:
            with selectors.DefaultSelector() as outputs:
                for index in range(count):
                    self._start(index, outputs)
                waiting = set(range(count))
                while True:
                    for key, _ in outputs.select():
                        if self._heard(key, outputs):
                            waiting.discard(key.data)
                            if not waiting and count:
                                ready()
                                count = 0  # said once
        finally:
            # A second signal must not interrupt this.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            if self.announcer is not None:
                self.announcer.stop()
            self._stop()

    def _start(self, index: int, outputs: selectors.BaseSelector) -> None:
        worker = subprocess.Popen(
            [sys.executable, "-m", "synthesis.serving.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[self.listener.fileno()],
            start_new_session=True,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        orders = WorkerOrders(index=index, **self.orders)
        worker.stdin.write(orjson.dumps(orders.model_dump(mode="json")) + b"\n")
        worker.stdin.flush()
        self.workers[index] = worker
        outputs.register(worker.stdout, selectors.EVENT_READ, index)

    def _heard(self, key: selectors.SelectorKey, outputs: selectors.BaseSelector) -> bool:
        """Whether a worker said that it is ready; one that ended instead is replaced."""
        worker = self.workers[key.data]
        assert worker.stdout is not None
        line = worker.stdout.readline()
        if line:
            return line == READY
        outputs.unregister(worker.stdout)
        status = worker.wait()
        self._close(worker)
        self._worker_exits = [moment for moment in self._worker_exits if time.monotonic() - moment < 60] + [
            time.monotonic()
        ]
        if len(self._worker_exits) > _MAX_WORKER_EXITS:
            raise SandboxError(
                f"Server processes keep exiting (the last with status {status}); see their log."
            )
        log.error(
            "server process %s exited with status %s; its instances are lost, it is replaced",
            key.data,
            status,
        )
        self._start(key.data, outputs)
        return False

    def _stop(self) -> None:
        for worker in self.workers.values():
            if worker.poll() is None:
                worker.terminate()
        deadline = time.monotonic() + self.drain_seconds + 5
        for index, worker in self.workers.items():
            try:
                worker.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.error("server process %s did not stop in time and was killed", index)
                worker.kill()
                worker.wait()
            if worker.returncode not in _STOPPED:
                log.error("server process %s exited with status %s while stopping", index, worker.returncode)
            self._close(worker)

    @staticmethod
    def _close(worker: subprocess.Popen[bytes]) -> None:
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def check_workers(workers: int) -> int:
    """A number of workers that can be.

    Raises:
        InvalidInput: It cannot.
    """
    if not 1 <= workers <= 256:
        raise InvalidInput(f"--workers must be from 1 to 256, not {workers}.")
    return workers
