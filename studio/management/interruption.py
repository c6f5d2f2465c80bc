"""Interruption: a command that is stopped with Ctrl-C or SIGTERM says what becomes of its run."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import NoReturn

from studio.locations import COMMAND
from studio.models import Run, RunKind, RunState
from studio.models.runs import BATCHES

_RESUMABLE = (RunKind.SYNTHESIS, RunKind.INTAKE, RunKind.BATCH)
"""Runs that `synthesize --resume` shows to their end."""


class Terminated(SystemExit):
    """The command was sent SIGTERM; its status is the one that shells have for that."""


def terminate(*_: object) -> NoReturn:
    """End the command as an exception does, so that `with` blocks are left in order."""
    raise Terminated(128 + signal.SIGTERM)


@contextlib.contextmanager
def explained(run: Run, tell: Callable[[str], object], *, worker: bool) -> Iterator[None]:
    """Let a run be followed in the `with` block, and explain what is left when that is interrupted.

    Args:
        run: The run.
        tell: Told it.
        worker: Whether the command has a worker of its own, which ends with it.

    Raises:
        SystemExit: It was interrupted; the status is 128 and the signal's number.
    """
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, terminate) if in_main else None
    try:
        yield
    except (KeyboardInterrupt, Terminated) as interruption:
        tell(_left(run, worker=worker))
        number = signal.SIGTERM if isinstance(interruption, Terminated) else signal.SIGINT
        raise SystemExit(128 + number) from None
    finally:
        if in_main:
            signal.signal(signal.SIGTERM, before)


def how_to_go_on(run: Run) -> str:
    """What is done of a run that waits, and the command that goes on from there."""
    if run.kind in _RESUMABLE:
        remedy = f"resume it with: {COMMAND} synthesize --resume {run.pk}"
    else:
        remedy = f"the next worker resumes it, for example: {COMMAND} worker"
    return f"{_name(run)} waits;{_done(run)} {remedy} (or cancel it at {run.get_absolute_url()})"


def _left(run: Run, *, worker: bool) -> str:
    now = Run.objects.get(pk=run.pk)
    if now.is_over:
        return f"{_name(now)} is over: {now.get_state_display().lower()}."
    if worker and now.state != RunState.RUNNING:
        return how_to_go_on(now)
    return (
        f"{_name(now)} continues without this command;{_done(now)} follow or cancel it at "
        f"{now.get_absolute_url()}"
    )


def _name(run: Run) -> str:
    return f"Batch {run.pk}" if run.kind in BATCHES else f"Run {run.pk}"


def _done(run: Run) -> str:
    return f" {run.done} of {run.total} finished and are kept;" if run.total else ""
