"""Namespaces of the fork server: no network device, no shared memory segments, where the host gives them.

Containers usually do not; nothing relies on it.
"""

from __future__ import annotations

import os
from pathlib import Path

from synthesis.worlds.sandbox import kernel

_KINDS = {"network": kernel.CLONE_NEWNET, "ipc": kernel.CLONE_NEWIPC, "uts": kernel.CLONE_NEWUTS}


def enter() -> tuple[str, ...]:
    """Move this process, which must have one thread, into namespaces of its own.

    The fork server calls this once, before anything else; workers inherit it. It is tried in a child first,
    because a half-made user namespace cannot be left again.

    Returns:
        What is in force: () or ("network", "ipc", "uts"), with "user" in front when that was the way in.
    """
    for user in (False, True):
        if _works(user=user):
            _unshare(user=user)
            return (*(("user",) if user else ()), *_KINDS)
    return ()


def _works(*, user: bool) -> bool:
    child = os.fork()
    if child == 0:
        try:
            _unshare(user=user)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _unshare(*, user: bool) -> None:
    uid, gid = os.geteuid(), os.getegid()
    flags = kernel.CLONE_NEWUSER if user else 0
    for flag in _KINDS.values():
        flags |= flag
    refused = kernel.call(kernel.SETUP_CALLS["unshare"], flags)
    if refused < 0:
        raise OSError(-refused, "namespaces are not given here")
    if user:
        own = Path("/proc/self")
        (own / "setgroups").write_text("deny", encoding="ascii")
        (own / "uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
        (own / "gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")
