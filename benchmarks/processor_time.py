"""Processor time of this process and of everything that descends from it, sealed workers included."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from benchmarks.memory import descendants

_TICKS = os.sysconf("SC_CLK_TCK")


def spent() -> float:
    """Seconds until now, of this process, its live descendants and those that they have waited for.

    A descendant that ended a moment ago counts as soon as its parent has waited for it.
    """
    return sum(_seconds(pid) for pid in descendants(os.getpid()))


def _seconds(pid: int) -> float:
    with contextlib.suppress(OSError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0
