"""CallContext: the clock and the random numbers of one call, the same for Python and SQL."""

from __future__ import annotations

import random
from datetime import datetime, timedelta


class CallContext:
    """What "now" and "random" mean during one call: it follows from clock, seed and the call's number.

    The first call of a world (number 0) sees the scenario's clock exactly, each further call one second more.
    The generator is recreated for each call, so a replay from any snapshot draws the same numbers.
    """

    __slots__ = ("_random", "_start", "changes_before", "now", "number", "seed")

    def __init__(self, start: datetime, *, seed: int = 0) -> None:
        self._start, self.seed = start, seed
        self.number, self.now = 0, start
        self.changes_before = 0
        """Rows the connection had changed when the present call began; SQL's changes() counts from there."""
        self._random: random.Random | None = None

    def begin(self, number: int) -> None:
        """Turn to the call of that number."""
        self.number = number
        self.now = self._start + timedelta(seconds=number)
        self._random = None

    @property
    def random(self) -> random.Random:
        """The call's own generator, seeded from the instance's seed and the call's number."""
        if self._random is None:
            self._random = random.Random(f"{self.seed}/{self.number}")  # noqa: S311 - reproducible on purpose
        return self._random
