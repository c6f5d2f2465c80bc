"""Collector: the garbage collector of a process that plays or serves for a long time."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_THRESHOLDS = (20_000, 50, 1_000)
_lock = threading.Lock()
_before: list[tuple[int, int, int]] = []
"""The thresholds of before, once for each thread that has the collector look seldom."""


def tune_collector() -> None:
    """Set aside what there is, and look less often for cycles among what comes; once, after the start.

    Requests and episodes make short-lived objects. To look through all that was imported every 700 of them
    costs a sixth of a server's time and a tenth of a worker's.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


@contextlib.contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look less often for cycles as long as this lasts, and as often as before when the last one has ended.

    For long work in whatever process, of which nothing is set aside: a proof makes so many objects that all
    of the process is looked through more than once, a tenth of the processor time of the proof's host.
    """
    with _lock:
        _before.append(gc.get_threshold())
        if 0 < gc.get_threshold()[0] < _THRESHOLDS[0]:  # 0: somebody wants none at all
            gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        with _lock:
            if len(_before) == 1:
                gc.set_threshold(*_before[0])
            _before.pop()
