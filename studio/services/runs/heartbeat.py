"""Heartbeat: the signs of life of all runs a process has, given together by one thread and one statement."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Count, Q
from django.db.models.functions import Now

from studio.models import Run, RunState
from synthesis.llm import endpoints

logger = logging.getLogger(__name__)

_held: dict[str, int] = {}
"""Claim to run, of all runs this process executes."""
_lock = threading.Lock()
_over = threading.Event()
_thread: threading.Thread | None = None


@contextmanager
def beating(run_id: int, claim: str) -> Iterator[None]:
    """Signs of life of a run for as long as the block lasts."""
    _begin(run_id, claim)
    try:
        yield
    finally:
        _end(claim)


def held() -> dict[str, int]:
    """Claim to run, of all runs this process executes now."""
    with _lock:
        return dict(_held)


def beat() -> None:
    """One sign of life of all runs of this process, and a look at how many others are at work."""
    mine = held()
    working = Q(state=RunState.RUNNING) & ~Q(claim="")
    Run.objects.filter(working, claim__in=mine).update(heartbeat_at=Now())
    counted = Run.objects.filter(working).aggregate(
        own=Count("pk", filter=Q(claim__in=mine)), running=Count("pk")
    )
    endpoints.take_share(own=counted["own"], running=counted["running"])


def _begin(run_id: int, claim: str) -> None:
    global _thread, _over  # noqa: PLW0603 - one thread for the whole process
    with _lock:
        _held[claim] = run_id
        if _thread is None:
            _over = threading.Event()
            _thread = threading.Thread(target=_go_on, args=(_over,), name="heartbeat of runs", daemon=True)
            _thread.start()


def _end(claim: str) -> None:
    global _thread
    ended = None
    with _lock:
        _held.pop(claim, None)
        if not _held:
            ended, _thread = _thread, None
            _over.set()
    if ended is not None:
        ended.join()


def _go_on(over: threading.Event) -> None:
    while not over.wait(settings.WORLDWRIGHT.heartbeat_seconds):
        try:
            beat()
        except (DatabaseError, InterfaceError) as error:
            logger.warning("The heartbeat could not be written: %s", error)
        finally:
            connection.close()
