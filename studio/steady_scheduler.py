"""The scheduler of periodic tasks, which goes on when the machine's clock is put back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from celery.beat import Scheduler


class SteadyScheduler(Scheduler):
    """Celery's scheduler plans by the clock on the wall: once that is put back by a day, nothing is due for a
    day. This one notices and plans anew."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._seen: datetime | None = None
        super().__init__(*arguments, **options)

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send what is due; returns seconds until the next look."""
        now = self.app.now()
        if self._seen is not None and now < self._seen:
            for entry in self.schedule.values():
                entry.last_run_at = min(entry.last_run_at or now, now)
            self._heap = None
        self._seen = now
        return float(super().tick(*arguments, **options))
