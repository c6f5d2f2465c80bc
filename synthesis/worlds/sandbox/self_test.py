"""What a sealed worker must not be able to do, tried by itself before it is given any code."""

from __future__ import annotations

import errno
import mmap
import os
import signal
from collections.abc import Callable

from synthesis.worlds.sandbox import kernel, syscalls

_AT_FDCWD = -100
_AF_UNIX, _SOCK_STREAM = 1, 1


def holes() -> tuple[str, ...]:
    """What the filter lets through, () when it holds.

    Each try would succeed, or fail with another error, without the filter: the errno tells that it was the
    filter that refused, not a limit or a missing file.
    """
    return tuple(name for name, (attempt, refusal) in _TRIES.items() if attempt() != -refusal)


def template_holes() -> tuple[str, ...]:
    """The same for a template, which may fork and prepare workers."""
    return tuple(name for name in _NO_TEMPLATE_MAY if _TRIES[name][0]() != -_TRIES[name][1])


def _fork() -> int:
    made = kernel.call(syscalls.REFUSED["clone"], signal.SIGCHLD, 0, 0, 0, 0)
    if made == 0:
        os._exit(0)
    return made


def _executable_memory() -> int:
    protection = mmap.PROT_READ | mmap.PROT_EXEC
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return kernel.call(syscalls.NEVER_EXECUTABLE["mmap"], 0, 4096, protection, flags, -1, 0)


_TRIES: dict[str, tuple[Callable[[], int], int]] = {
    "open": (
        lambda: kernel.call(syscalls.NOT_FOUND["openat"], _AT_FDCWD, b"/", os.O_RDONLY, 0),
        errno.ENOENT,
    ),
    "socket": (lambda: kernel.call(syscalls.REFUSED["socket"], _AF_UNIX, _SOCK_STREAM, 0), errno.EPERM),
    "fork": (_fork, errno.EPERM),
    "clone3": (lambda: kernel.call(syscalls.NOT_THERE["clone3"], None, 0), errno.ENOSYS),
    "kill": (lambda: kernel.call(syscalls.REFUSED["kill"], os.getpid(), 0), errno.EPERM),
    "execv": (lambda: kernel.call(syscalls.REFUSED["execve"], None, None, None), errno.EPERM),
    "memfd_create": (lambda: kernel.call(syscalls.REFUSED["memfd_create"], b"", 0), errno.EPERM),
    "prctl": (lambda: kernel.call(syscalls.REFUSED["prctl"], kernel.PR_GET_DUMPABLE, 0), errno.EPERM),
    "executable memory": (_executable_memory, errno.EPERM),
}

_NO_TEMPLATE_MAY = ("open", "socket", "clone3", "kill", "execv", "memfd_create", "executable memory")
