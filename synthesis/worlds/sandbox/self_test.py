"""What a sealed worker must not be able to do, tried by itself before it is given any code."""

from __future__ import annotations

import errno
import mmap
import os
import signal
from collections.abc import Iterator
from functools import partial

from synthesis.worlds.sandbox import descriptors, kernel, syscalls
from synthesis.worlds.sandbox.kernel import PreparedCall

_AT_FDCWD = -100
_AF_UNIX, _SOCK_STREAM = 1, 1
_PEEK_AT_ONCE = 0x02 | 0x40
"""MSG_PEEK and MSG_DONTWAIT."""
_EXECUTABLE, _ANONYMOUS = mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_CLOCK_OF_PROCESS_1 = ~1 << 3 | 2
_CLONE = kernel.prepared(syscalls.REFUSED["clone"], signal.SIGCHLD, 0, 0, 0, 0)


class SelfTest:
    """Tries what the filter must refuse.

    Each try would succeed, or fail with another error, without the filter: the errno tells that it was the
    filter that refused, not a limit or a missing file.
    """

    def __init__(self) -> None:
        self._holes: list[str] = []

    @property
    def holes(self) -> tuple[str, ...]:
        """What the filter let through, once the calls were made; () when it holds."""
        return tuple(self._holes)

    def steps(self) -> Iterator[PreparedCall]:
        """The calls."""
        for name, (attempt, refusal) in _ATTEMPTS.items():
            yield PreparedCall(attempt, -refusal, partial(self._note, name))

    def _note(self, name: str, _result: int) -> None:
        self._holes.append(name)


def template_holes() -> tuple[str, ...]:
    """The same for a template, which may fork and prepare workers."""
    return tuple(
        name for name in _NO_TEMPLATE_MAY if kernel.invoke(_ATTEMPTS[name][0]) != -_ATTEMPTS[name][1]
    )


def _fork() -> int:
    count = _CLONE()
    if count == 0:
        os._exit(0)
    return count


def _refused(name: str, *arguments: int | bytes | None) -> tuple[kernel.Prepared, int]:
    return kernel.prepared(syscalls.REFUSED[name], *arguments), errno.EPERM


_ATTEMPTS: dict[str, tuple[kernel.Prepared, int]] = {
    "open": (kernel.prepared(syscalls.NOT_FOUND["openat"], _AT_FDCWD, b"/", os.O_RDONLY, 0), errno.ENOENT),
    "socket": _refused("socket", _AF_UNIX, _SOCK_STREAM, 0),
    "fork": (_fork, errno.EPERM),
    "clone3": (kernel.prepared(syscalls.NOT_THERE["clone3"], None, 0), errno.ENOSYS),
    "kill": _refused("kill", 0, 0),
    "execv": _refused("execve", None, None, None),
    "memfd_create": _refused("memfd_create", b"", 0),
    "prctl": _refused("prctl", kernel.PR_GET_DUMPABLE, 0),
    "peek at requests": _refused("recvfrom", descriptors.SOCKET, None, 0, _PEEK_AT_ONCE, None, None),
    "other processes' clocks": (
        kernel.prepared(syscalls.OWN_CLOCKS["clock_getres"], _CLOCK_OF_PROCESS_1, None),
        errno.EPERM,
    ),
    "executable memory": (
        kernel.prepared(syscalls.NEVER_EXECUTABLE["mmap"], 0, 4096, _EXECUTABLE, _ANONYMOUS, -1, 0),
        errno.EPERM,
    ),
}
"""Prepared before the fork, see `kernel.prepared`, and the error with which the filter must refuse."""

_NO_TEMPLATE_MAY = ("open", "socket", "clone3", "kill", "execv", "memfd_create", "executable memory")
