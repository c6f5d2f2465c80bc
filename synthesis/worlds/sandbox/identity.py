"""Who a worker is: a user id of its own where the host lets us, no capability anywhere."""

from __future__ import annotations

import functools
import os

from synthesis.worlds.sandbox import kernel

_WIDE, _NARROW, _NOBODY = 0x60000000, 61184, 65534
"""Ids that no account has; the first is out of reach where only 65,536 ids are mapped (rootless)."""
_NARROW_IDS = 4096

_NEEDED = 1 << kernel.CAP_SETUID | 1 << kernel.CAP_SETGID | 1 << kernel.CAP_KILL
"""CAP_KILL too: without it the service could not stop a worker that has another user id."""


@functools.cache
def may_change() -> bool:
    """Whether this process may take other user ids and still stop those who did; found out once."""
    return kernel.effective_capabilities() & _NEEDED == _NEEDED


def drop(*, own_uid: bool = True) -> int | None:
    """Give up every capability and, where allowed and asked for, take a user id that nobody else has.

    Returns:
        The new user id, None where it stays the old one.

    Raises:
        OSError: Capabilities could not be given up.
    """
    taken = _take_own() if own_uid and may_change() else None
    _keep(0)
    return taken


def keep_what_workers_need() -> None:
    """Give up every capability but those by which a forked worker takes a user id of its own.

    Raises:
        OSError: Capabilities could not be given up.
    """
    _keep(kernel.effective_capabilities() & _NEEDED if may_change() else 0)


def _keep(capabilities: int) -> None:
    refused = kernel.keep_capabilities(capabilities)
    if refused < 0:
        raise OSError(-refused, "capabilities could not be given up")


def _take_own() -> int | None:
    try:
        os.setgroups([])
    except OSError:  # a user namespace that an ordinary user made has one id and keeps its groups
        return None
    pid = os.getpid()
    for uid in (_WIDE + pid, _NARROW + pid % _NARROW_IDS, _NOBODY):
        try:
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError:  # not mapped in this user namespace
            continue
        return uid
    return None
