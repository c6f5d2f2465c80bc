"""Kills: why sealed processes of this process ended before their work did, counted for an operator."""

from __future__ import annotations

import enum
import os
import signal
import threading

from synthesis.worlds.sandbox.worker_exit import WorkerExit


class KillReason(enum.StrEnum):
    """Why a sealed process ended, or had to be ended."""

    TIME = "time"
    """It did not stop in time."""
    PROTOCOL = "protocol"
    """It answered something outside the protocol, or closed its wire."""
    IDLE = "idle"
    """It used the processor though nobody had asked it anything."""
    MEMORY = "memory"
    """No memory was left."""
    FORBIDDEN_CALL = "forbidden_call"
    """It made a system call that the sandbox forbids."""
    CRASH = "crash"
    """A signal of its own doing."""
    KILLED = "killed"
    """Somebody else killed it: the kernel for want of memory, or a person."""
    ENDED = "ended"
    """It ended by itself."""


_BY_SIGNAL: dict[int, KillReason] = {
    signal.SIGSYS: KillReason.FORBIDDEN_CALL,
    signal.SIGKILL: KillReason.KILLED,
    signal.SIGTERM: KillReason.KILLED,
    signal.SIGXCPU: KillReason.TIME,
}


def reason_of(status: int | None) -> KillReason:
    """Why a process ended that nobody here had ended.

    Args:
        status: An exit status, a negative signal number, or None if it is not known.
    """
    if status is None:
        return KillReason.ENDED
    if status < 0:
        return _BY_SIGNAL.get(-status, KillReason.CRASH)
    return KillReason.MEMORY if status == WorkerExit.OUT_OF_MEMORY else KillReason.ENDED


class KillCount:
    """How many there were of each reason since this process began; from any thread."""

    def __init__(self) -> None:
        self.forget_all()

    def forget_all(self) -> None:
        """Start over, as a fork of the service must: these were its parent's."""
        self._lock = threading.Lock()
        self._counts = dict.fromkeys(KillReason, 0)

    def add(self, reason: KillReason) -> None:
        """One more."""
        with self._lock:
            self._counts[reason] += 1

    def by_reason(self) -> dict[KillReason, int]:
        """Every reason, also those that never came up."""
        with self._lock:
            return dict(self._counts)


KILLS = KillCount()
"""Those of this process."""
os.register_at_fork(after_in_child=KILLS.forget_all)
