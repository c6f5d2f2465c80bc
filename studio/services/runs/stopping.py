"""Stopping: a worker that is asked to end hands its runs back, so that others go on with them at once."""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from studio.models import Run, RunEvent, RunState
from studio.services.runs import dispatch, heartbeat

logger = logging.getLogger(__name__)

_asked = threading.Event()

HANDED_BACK = "Its worker was shut down; it waits for another one and resumes where it stopped."


def asked() -> bool:
    """Whether this process was asked to end; runs stop before their next call or attempt."""
    return _asked.is_set()


def wait(seconds: float) -> None:
    """Wait, but no longer than until this process is asked to end."""
    _asked.wait(seconds)


def ask() -> None:
    """Ask this process's runs to stop, and hand back those that have not after WORLDWRIGHT_STOP_SECONDS."""
    if not _asked.is_set():
        _asked.set()
        threading.Thread(target=_hand_back_the_rest, name="stopping", daemon=True).start()


def forget() -> None:
    """Go on as if nobody had asked; for tests."""
    _asked.clear()


@transaction.atomic
def hand_back(*, run_id: int, claim: str, text: str = HANDED_BACK) -> bool:
    """Let a run of this process wait for another; it does not count as lost.

    Returns:
        Whether this process had it.
    """
    changed = Run.objects.held(run_id=run_id, claim=claim).update(
        state=RunState.QUEUED, claim="", claims=Greatest(F("claims") - 1, 0)
    )
    if changed:
        run = Run.objects.get(pk=run_id)
        RunEvent.objects.create(run=run, kind="handed_back", stage=run.stage, text=text)
        dispatch.announce(run)
    return bool(changed)


def _hand_back_the_rest() -> None:
    over = threading.Event()
    # Time to finish what is in flight: an answer that is paid for is stored, and nobody asks for it again.
    over.wait(settings.WORLDWRIGHT.stop_seconds)
    try:
        for claim, run_id in heartbeat.held().items():
            hand_back(run_id=run_id, claim=claim)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Runs could not be handed back; they will be found as lost: %s", error)
    finally:
        connection.close()
