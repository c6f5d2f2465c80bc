"""Ceilings of a worker that the kernel keeps: address space, descriptors, and nothing of the rest."""

from __future__ import annotations

import os
import resource

from synthesis.worlds.sandbox import descriptors

_NONE = ("RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO")
_NOTHING = tuple((name, getattr(resource, name), 0) for name in _NONE if hasattr(resource, name))
_held: dict[str, int] = {}
_UNKNOWN_SIZE = 1 << 30
"""Bytes assumed to be mapped already where /proc is not mounted."""


def lower(address_space: int, *, cpu_seconds: int) -> dict[str, int]:
    """Lower this process's limits for good.

    Args:
        address_space: Bytes it may have mapped in all.
        cpu_seconds: CPU time until the kernel kills it.

    Returns:
        The limits now in force, by name ("RLIMIT_AS": bytes, ...).

    Raises:
        OSError: The kernel refuses one of them.
    """
    wanted = (
        *_NOTHING,
        ("RLIMIT_AS", resource.RLIMIT_AS, address_space),
        # Not 0: poll(2) refuses more descriptors than this limit. All are taken, so no other can be opened.
        ("RLIMIT_NOFILE", resource.RLIMIT_NOFILE, descriptors.SOCKET + 1),
        ("RLIMIT_CPU", resource.RLIMIT_CPU, cpu_seconds),
    )
    return {name: _lower(which, limit) for name, which, limit in wanted}


def mapped_bytes() -> int:
    """Address space this process has mapped now."""
    statm = _held.get("statm")
    if statm is None:
        statm = hold()
    if statm < 0:
        return _UNKNOWN_SIZE
    return int(os.pread(statm, 64, 0).split()[0]) * resource.getpagesize()


def hold() -> int:
    """Open what `mapped_bytes` reads, before files are out of reach; -1 where /proc is not mounted.

    A forked child then reads its parent's size, which is its own at that moment.
    """
    try:
        _held["statm"] = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        _held["statm"] = -1
    return _held["statm"]


def _lower(which: int, limit: int) -> int:
    try:
        resource.setrlimit(which, (limit, limit))
    except ValueError:  # the hard limit is lower already
        limit = min(limit, resource.getrlimit(which)[1])
        resource.setrlimit(which, (limit, limit))
    return limit
