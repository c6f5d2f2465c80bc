"""The worker of `serve`: started again when it ends by itself, which is told in the log and to operators."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Self

from django.conf import settings

from studio.management.worker_process import CeleryWorker
from studio.services.runs import embedded_worker

logger = logging.getLogger(__name__)

STEADY_SECONDS = 60.0
"""A worker that lived so long is started again at once when it ends."""
LONGEST_PAUSE = 60.0
MOST_QUICK_EXITS = 3
"""After so many short lives in a row nobody waits for the next one."""


class SupervisedWorker(CeleryWorker):
    """A worker process in whose place another is started for as long as the `with` block lasts."""

    def __init__(self, *, concurrency: int | None = None) -> None:
        super().__init__(concurrency=concurrency, queues=settings.WORLDWRIGHT.queues)
        self._state = embedded_worker.EmbeddedWorker()
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._quick_exits = 0
        # The kernel stops a worker when the thread that started it ends, so this one outlives its workers.
        self._watch = threading.Thread(target=self._replace, name="worker supervisor", daemon=True)

    def __enter__(self) -> Self:
        super().__enter__()
        self._state.note_start()
        embedded_worker.register(self._state)
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._starting:
            self._stopping.set()
        super().__exit__(kind, error, trace)
        self._watch.join()
        embedded_worker.forget()

    def require_alive(self) -> None:
        """Pass while the worker lives or the next one may.

        Raises:
            CommandError: One after the other ended soon after its start.
        """
        if self._quick_exits >= MOST_QUICK_EXITS:
            super().require_alive()

    def _replace(self) -> None:
        """Wait for the worker's end, again and again; short lives make the pause before the next longer."""
        while True:
            assert self._process is not None
            began = time.monotonic()
            status = self._process.wait()
            if self._stopping.is_set():
                return
            steady = time.monotonic() - began > STEADY_SECONDS
            self._quick_exits = 0 if steady else self._quick_exits + 1
            pause = min(2.0**self._quick_exits, LONGEST_PAUSE)
            self._state.note_end(status)
            logger.error(
                "The worker exited with %s; it is restarted in %.0f s. Its runs continue.",
                self._state.ending,
                pause,
            )
            if self._stopping.wait(pause) or not self._start_again():
                return

    def _start_again(self) -> bool:
        """Whether another was started; none is once the block is left."""
        with self._starting:
            if self._stopping.is_set():
                return False
            self._process = self._start()
            self._state.note_start()
            return True
