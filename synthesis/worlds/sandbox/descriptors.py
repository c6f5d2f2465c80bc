"""Descriptors of a worker: /dev/null on 0 to 2, its socket on 3, nothing else."""

from __future__ import annotations

import ctypes
import fcntl
import os

from synthesis.worlds.sandbox import kernel
from synthesis.worlds.sandbox.kernel import PreparedCall

SOCKET = 3
"""Where a sealed worker finds the socket to the service."""

_LAST = 0xFFFFFFFF
_DUP3 = kernel.SETUP_CALLS["dup3"]
_held: dict[str, int] = {}


def hold_null() -> int:
    """A descriptor of /dev/null, opened once: workers whose parent can open nothing inherit it.

    Raises:
        OSError: There is no /dev/null.
    """
    if "null" not in _held:
        _held["null"] = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    return _held["null"]


def keep_only(socket: ctypes.c_long) -> list[PreparedCall]:
    """The calls that move a socket to 3, put /dev/null on 0 to 2 and close every other descriptor.

    Args:
        socket: Its descriptor when the calls are made, above 3 (see `out_of_the_way`).

    Raises:
        OSError: /dev/null cannot be opened.
    """
    null = hold_null()
    moves = [(null, standard, 0) for standard in (0, 1, 2)] + [(socket, SOCKET, os.O_CLOEXEC)]
    return [
        *(PreparedCall(kernel.prepared(_DUP3, *move), move[1], kernel.refuse) for move in moves),
        PreparedCall(
            kernel.prepared(kernel.SETUP_CALLS["close_range"], SOCKET + 1, _LAST, 0), 0, _close_the_rest
        ),
    ]


def out_of_the_way(socket: int) -> int:
    """A descriptor of the same socket on no place that is about to be overwritten.

    Raises:
        OSError: No descriptors are left.
    """
    return socket if socket > SOCKET else fcntl.fcntl(socket, fcntl.F_DUPFD_CLOEXEC, SOCKET + 1)


def _close_the_rest(_refused: int) -> None:
    os.closerange(SOCKET + 1, os.sysconf("SC_OPEN_MAX"))
