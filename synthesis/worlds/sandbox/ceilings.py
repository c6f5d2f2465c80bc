"""Ceilings of a worker that the kernel keeps: address space, descriptors, and nothing of the rest."""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from collections.abc import Iterator

from synthesis.worlds.sandbox import descriptors, kernel
from synthesis.worlds.sandbox.kernel import PreparedCall

_NONE = ("RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO")
_NOTHING = tuple((name, 0) for name in _NONE if hasattr(resource, name))
_PAIR = struct.Struct("=QQ")
_PRLIMIT = kernel.SETUP_CALLS["prlimit64"]
_held: dict[str, int] = {}
_UNKNOWN_SIZE = 1 << 30
"""Bytes assumed to be mapped already where /proc is not mounted."""


class Ceilings:
    """Lowers a process's limits for good.

    Args:
        cpu_seconds: CPU time until the kernel kills it.
    """

    def __init__(self, *, cpu_seconds: int) -> None:
        wanted = (
            *_NOTHING,
            # Not 0: poll(2) refuses more descriptors than this limit. All are taken: none can be opened.
            ("RLIMIT_NOFILE", descriptors.SOCKET + 1),
            ("RLIMIT_CPU", cpu_seconds),
            ("RLIMIT_AS", 0),
        )
        self._pairs = {name: _pair(name, limit) for name, limit in wanted}

    def bound_address_space(self, count: int) -> None:
        """Say how many bytes the process may have mapped in all, before the calls are made."""
        self._pairs["RLIMIT_AS"].raw = _pair("RLIMIT_AS", count).raw

    def steps(self) -> Iterator[PreparedCall]:
        """The calls; an OSError comes through them where the kernel refuses one."""
        for name, pair in self._pairs.items():
            yield PreparedCall(
                kernel.prepared(_PRLIMIT, 0, getattr(resource, name), pair, None), 0, kernel.refuse
            )

    def in_force(self) -> dict[str, int]:
        """The limits once the calls were made, by name ("RLIMIT_AS": bytes, ...)."""
        return {name: _PAIR.unpack(pair.raw)[0] for name, pair in self._pairs.items()}


def _pair(name: str, limit: int) -> ctypes.Array[ctypes.c_char]:
    """A soft and a hard limit as the kernel reads them; never above a hard limit that is in force already."""
    hard = resource.getrlimit(getattr(resource, name))[1]
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    return ctypes.create_string_buffer(_PAIR.pack(limit, limit), _PAIR.size)


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
