"""WorkerExit: why a sealed worker ended by itself, as the exit status it ended with."""

from __future__ import annotations

import enum

from synthesis.errors import ProtocolViolated


class WorkerExit(enum.IntEnum):
    """Exit status of a sealed worker that stopped serving; see `meaning`.

    The worker says it of itself, and generated code in it could end the process with any of them: words for
    people, on which nothing is decided.
    """

    WIRE_BROKEN = 90
    OUTSIDE_PROTOCOL = 91
    OUT_OF_MEMORY = 92
    INTERRUPTED = 93
    UNEXPECTED = 94

    @property
    def meaning(self) -> str:
        """What happened, as a sentence for people."""
        return _MEANINGS[self]


_MEANINGS = {
    WorkerExit.WIRE_BROKEN: "its connection to the service broke",
    WorkerExit.OUTSIDE_PROTOCOL: "it was sent something outside the protocol",
    WorkerExit.OUT_OF_MEMORY: "no memory was left between two requests",
    WorkerExit.INTERRUPTED: "it was interrupted from outside",
    WorkerExit.UNEXPECTED: "serving stopped with an unexpected error",
}

_KINDS: tuple[tuple[type[BaseException], WorkerExit], ...] = (
    (ProtocolViolated, WorkerExit.OUTSIDE_PROTOCOL),
    (MemoryError, WorkerExit.OUT_OF_MEMORY),
    (OSError, WorkerExit.WIRE_BROKEN),
    (KeyboardInterrupt, WorkerExit.INTERRUPTED),
)


def exit_for(error: BaseException) -> WorkerExit:
    """The status to end with after an error that stopped a worker."""
    return next((status for kind, status in _KINDS if isinstance(error, kind)), WorkerExit.UNEXPECTED)
