"""The worker as a process of its own, started and stopped by the command that needs it."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.core.management.base import CommandError

from studio.locations import BASE_DIR
from studio.management.interruption import terminate
from studio.models import Run
from studio.services.runs import dispatch
from studio.work_queue import WorkQueue
from synthesis.worlds.sandbox import kernel

STOP_SECONDS = 10

_STOP_WITH_PARENT = kernel.prepared_prctl(kernel.PR_SET_PDEATHSIG, int(signal.SIGTERM))

_ROOT_IS_FINE = "ignore:You're running the worker with superuser"
"""In a container there often is no other user; messages carry numbers only, so nothing is unpickled."""


def worker_arguments(
    *, concurrency: int | None = None, beat: bool = True, queues: Sequence[WorkQueue] = ()
) -> list[str]:
    """Celery's command line for a worker of the studio.

    Args:
        concurrency: Runs executed side by side; WORLDWRIGHT_WORKERS when None.
        beat: Whether it also looks for lost runs from time to time.
        queues: Those it takes runs from; all when empty.
    """
    names = [settings.CELERY_TASK_DEFAULT_QUEUE, *map(dispatch.name_of, queues or WorkQueue)]
    return [
        "worker",
        # The first of them has what is no run, such as looking for lost ones: every worker may do that.
        f"--queues={','.join(names)}",
        # Brokers tell workers apart by this name: two of one name on a host cannot both be connected.
        f"--hostname=worldwright-{secrets.token_hex(4)}@%h",
        f"--concurrency={concurrency or settings.WORLDWRIGHT.workers}",
        "--pool=threads",
        "--without-gossip",
        "--without-mingle",
        f"--loglevel={settings.WORLDWRIGHT.log_level}",
        *(["--clock"] if beat else []),
    ]


@contextlib.contextmanager
def worker_for(
    *, elsewhere: bool, concurrency: int | None = 1, beat: bool = False
) -> Iterator[Callable[[], None]]:
    """A worker as long as the `with` block lasts, unless workers are started elsewhere.

    Args:
        elsewhere: Leave the work to workers that somebody else started; nobody watches those.
        concurrency: Runs executed side by side; WORLDWRIGHT_WORKERS when None.
        beat: Whether it also looks for lost runs from time to time.

    Returns:
        What raises when no worker is left to wait for.
    """
    if elsewhere:
        yield lambda: None
        return
    with CeleryWorker(concurrency=concurrency, beat=beat) as worker:
        yield worker.require_alive


class CeleryWorker:
    """A Celery worker that lives as long as the `with` block, however the command ends.

    SIGTERM leaves the block like any error; where the command is killed, the kernel tells the worker to stop.
    """

    def __init__(
        self, *, concurrency: int | None = None, beat: bool = True, queues: Sequence[WorkQueue] = ()
    ) -> None:
        self._arguments = worker_arguments(concurrency=concurrency, beat=beat, queues=queues)
        self._process: subprocess.Popen[bytes] | None = None
        self._handler: Any = None

    def __enter__(self) -> Self:
        self._process = self._start()
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGTERM, terminate)
        return self

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-W", _ROOT_IS_FINE, "-m", "celery", "-A", "studio", *self._arguments],
            cwd=BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_STOP_WITH_PARENT,  # noqa: PLW1509 - one prepared system call, no Python in between
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        if self._handler is not None:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is leaving already
        if Run.objects.active().exists():  # otherwise nothing is to be finished or handed back
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # with the worlds, which are its children
        self._process.wait()
        if self._handler is not None:
            signal.signal(signal.SIGTERM, self._handler)

    def require_alive(self) -> None:
        """Pass while the worker lives.

        Raises:
            CommandError: It ended by itself.
        """
        assert self._process is not None
        if (status := self._process.poll()) is not None:
            raise CommandError(
                f"The worker exited with status {status}; run `make worker` on its own to see why."
            )
