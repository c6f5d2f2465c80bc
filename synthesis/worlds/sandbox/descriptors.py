"""Descriptors of a worker: /dev/null on 0 to 2, its socket on 3, nothing else."""

from __future__ import annotations

import fcntl
import os

from synthesis.worlds.sandbox import kernel

SOCKET = 3
"""Where a sealed worker finds the socket to the service."""

_LAST = 0xFFFFFFFF
_CLOSE_THE_REST = kernel.prepared(kernel.SETUP_CALLS["close_range"], SOCKET + 1, _LAST, 0)
_held: dict[str, int] = {}


def hold_null() -> int:
    """A descriptor of /dev/null, opened once: workers whose parent can open nothing inherit it.

    Raises:
        OSError: There is no /dev/null.
    """
    if "null" not in _held:
        _held["null"] = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    return _held["null"]


def keep_only(socket: int) -> None:
    """Move `socket` to 3, put /dev/null on 0 to 2 and close every other descriptor.

    Raises:
        OSError: /dev/null cannot be opened, or a descriptor cannot be moved.
    """
    # The socket leaves 0-3 first: it may sit on one of the places that are about to be overwritten.
    socket = fcntl.fcntl(socket, fcntl.F_DUPFD_CLOEXEC, SOCKET + 1)
    null = hold_null()
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.dup2(socket, SOCKET, inheritable=False)
    if kernel.invoke(_CLOSE_THE_REST) < 0:
        os.closerange(SOCKET + 1, os.sysconf("SC_OPEN_MAX"))
