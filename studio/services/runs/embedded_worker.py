"""The embedded worker: what became of the worker process that `serve` keeps running beside the pages."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone


@dataclass
class EmbeddedWorker:
    """The worker of this web process.

    Attributes:
        started_at: When the present one was started; None while none runs.
        ended_at: When the last one ended by itself; None when none did.
        ending: How that one ended, in words.
        restarts: How often a new one was started in place of one that ended.
    """

    started_at: datetime | None = None
    ended_at: datetime | None = None
    ending: str = ""
    restarts: int = 0

    def note_start(self) -> None:
        """One was started."""
        if self.ended_at is not None:
            self.restarts += 1
        self.started_at = timezone.now()

    def note_end(self, status: int) -> None:
        """The present one ended with this status though nobody asked it to."""
        self.started_at, self.ended_at, self.ending = None, timezone.now(), ending(status)


_current: list[EmbeddedWorker] = []


def register(worker: EmbeddedWorker) -> None:
    """Let `current` answer with this one."""
    _current[:] = [worker]


def forget() -> None:
    """No worker belongs to this process any more."""
    _current.clear()


def current() -> EmbeddedWorker | None:
    """The worker of this process; None where workers are started by somebody else."""
    return _current[0] if _current else None


def ending(status: int) -> str:
    """An exit status as `subprocess` gives it, in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
