"""Work queues: the queues at the broker; a worker takes runs from one, several or all of them."""

from __future__ import annotations

from enum import StrEnum


class WorkQueue(StrEnum):
    """A queue at the broker; `studio.models.runs.KINDS_IN` has the kinds of runs that wait in it."""

    SYNTHESIS = "synthesis"
    ROLLOUTS = "rollouts"
    JUDGING = "judging"
    TRANSFERS = "transfers"
