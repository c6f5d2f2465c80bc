"""An audit hook for trusted-code-only mode: it stops accidents, it is no boundary."""

from __future__ import annotations

import errno
import os
import sys

_REFUSED_PREFIXES = (
    "socket.",
    "subprocess.",
    "os.",
    "shutil.",
    "ctypes.",
    "pty.",
    "signal.pthread_kill",
    "winreg.",
)
_HARMLESS = frozenset({"os.putenv", "os.unsetenv"})


def guard() -> None:
    """From now on this process's Python code opens no file or socket and starts nothing. Cannot be undone."""
    sys.addaudithook(_refuse)


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event == "open":
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if event.startswith(_REFUSED_PREFIXES) and event not in _HARMLESS:
        raise PermissionError(errno.EPERM, f"{event} is not allowed in a world")
