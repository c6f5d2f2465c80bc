"""Ceilings of a worker that the kernel keeps: address space, descriptors, and nothing of the rest."""

from __future__ import annotations

import os
import resource

from synthesis.worlds.sandbox import descriptors

_NONE = ("RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO")
_UNKNOWN_SIZE = 1 << 30
"""Bytes assumed to be mapped already where /proc is not mounted."""


def lower(address_space: int, *, cpu_seconds: int | None = None) -> dict[str, int]:
    """Lower this process's limits for good.

    Args:
        address_space: Bytes it may have mapped in all.
        cpu_seconds: CPU time until the kernel kills it; None leaves that to the service's clock.

    Returns:
        The limits now in force, by name ("RLIMIT_AS": bytes, ...).

    Raises:
        OSError: The kernel refuses one of them.
    """
    wanted = dict.fromkeys(_NONE, 0)
    wanted["RLIMIT_AS"] = address_space
    # Not 0: poll(2) refuses more descriptors than this limit. All are taken, so no other can be opened.
    wanted["RLIMIT_NOFILE"] = descriptors.SOCKET + 1
    if cpu_seconds is not None:
        wanted["RLIMIT_CPU"] = cpu_seconds
    return {
        name: _lower(getattr(resource, name), limit)
        for name, limit in wanted.items()
        if hasattr(resource, name)
    }


def mapped_bytes() -> int:
    """Address space this process has mapped now."""
    try:
        statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return _UNKNOWN_SIZE
    try:
        return int(os.read(statm, 64).split()[0]) * resource.getpagesize()
    finally:
        os.close(statm)


def _lower(which: int, limit: int) -> int:
    _, hardest = resource.getrlimit(which)
    if hardest != resource.RLIM_INFINITY:
        limit = min(limit, hardest)
    resource.setrlimit(which, (limit, limit))
    return limit
