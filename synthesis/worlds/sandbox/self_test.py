"""What a sealed worker must not be able to do, tried by itself before it is given any code."""

from __future__ import annotations

import errno
import mmap
import os
import signal

from synthesis.worlds.sandbox import kernel, syscalls

_AT_FDCWD = -100
_AF_UNIX, _SOCK_STREAM = 1, 1
_EXECUTABLE, _ANONYMOUS = mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_CLONE = kernel.prepared(syscalls.REFUSED["clone"], signal.SIGCHLD, 0, 0, 0, 0)


def holes() -> tuple[str, ...]:
    """What the filter lets through, () when it holds.

    Each try would succeed, or fail with another error, without the filter: the errno tells that it was the
    filter that refused, not a limit or a missing file.
    """
    return tuple(name for name, (attempt, refusal) in _TRIES.items() if kernel.made(attempt) != -refusal)


def template_holes() -> tuple[str, ...]:
    """The same for a template, which may fork and prepare workers."""
    return tuple(name for name in _NO_TEMPLATE_MAY if kernel.made(_TRIES[name][0]) != -_TRIES[name][1])


def _fork() -> int:
    made = _CLONE()
    if made == 0:
        os._exit(0)
    return made


def _refused(name: str, *arguments: int | bytes | None) -> tuple[kernel.Prepared, int]:
    return kernel.prepared(syscalls.REFUSED[name], *arguments), errno.EPERM


_TRIES: dict[str, tuple[kernel.Prepared, int]] = {
    "open": (kernel.prepared(syscalls.NOT_FOUND["openat"], _AT_FDCWD, b"/", os.O_RDONLY, 0), errno.ENOENT),
    "socket": _refused("socket", _AF_UNIX, _SOCK_STREAM, 0),
    "fork": (_fork, errno.EPERM),
    "clone3": (kernel.prepared(syscalls.NOT_THERE["clone3"], None, 0), errno.ENOSYS),
    "kill": _refused("kill", 0, 0),
    "execv": _refused("execve", None, None, None),
    "memfd_create": _refused("memfd_create", b"", 0),
    "prctl": _refused("prctl", kernel.PR_GET_DUMPABLE, 0),
    "executable memory": (
        kernel.prepared(syscalls.NEVER_EXECUTABLE["mmap"], 0, 4096, _EXECUTABLE, _ANONYMOUS, -1, 0),
        errno.EPERM,
    ),
}
"""Prepared before the fork, see `kernel.prepared`, and the error with which the filter must refuse."""

_NO_TEMPLATE_MAY = ("open", "socket", "clone3", "kill", "execv", "memfd_create", "executable memory")
