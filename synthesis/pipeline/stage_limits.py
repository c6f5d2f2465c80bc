"""Turns: how many environments may be in one stage at a time, for all that are made side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from synthesis.errors import Cancelled, InvalidInput, UnknownName
from synthesis.pipeline.stages.registry import STAGES

PROOF = "checks"
"""The proof of the whole, which takes turns like a stage."""

LOOK_SECONDS = 1.0
"""How often somebody who waits looks whether to stop."""


class StageLimits:
    """Share one between all environments that are made side by side.

    Args:
        limits: Environments at a time by stage, or "checks" for the proof; a stage that is not named has no
            limit.

    Raises:
        InvalidInput: A limit is below one.
        UnknownName: There is no such stage.
    """

    def __init__(self, limits: Mapping[str, int] | None = None) -> None:
        known = [*STAGES, PROOF]
        for stage, limit in (limits or {}).items():
            if stage not in known:
                raise UnknownName("stage", stage, known)
            if limit < 1:
                raise InvalidInput(f"The limit of {stage!r} must be at least 1, not {limit}.")
        self._places = {stage: threading.BoundedSemaphore(limit) for stage, limit in (limits or {}).items()}

    @contextmanager
    def at(self, stage: str, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Wait for a place in a stage and hold it.

        Args:
            stage: Its name, or "checks".
            cancelled: Asked from time to time while waiting.

        Raises:
            Cancelled: Somebody asked to stop meanwhile.
        """
        places = self._places.get(stage)
        if places is None:
            yield
            return
        while not places.acquire(timeout=LOOK_SECONDS):
            if cancelled():
                raise Cancelled(f"Stopped while waiting for {stage}. Finished parts are kept.")
        try:
            yield
        finally:
            places.release()
