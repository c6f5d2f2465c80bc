"""Heap: the threads of a worker share their memory, so that it does not grow with what each once needed."""

from __future__ import annotations

import contextlib
import ctypes

ARENAS = 2
"""Heaps of glibc's malloc for all threads together.

By itself it makes up to eight for each processor, and what one of them has free is of no use to the others:
the memory of a worker with many runs side by side creeps up though nothing is held. Python lets one thread at
a time go on, so two are enough.
"""

_M_ARENA_MAX = -8


def share() -> bool:
    """Let all threads that begin from now on share their heaps.

    Returns:
        Whether this C library can do so.
    """
    with contextlib.suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS))
    return False
