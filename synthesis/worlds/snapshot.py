"""Snapshot: the whole state of an instance at one moment, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A database image with the clock and the counter that decide what the next call sees.

    Equality is equality of `hash`: an image holds free pages that say nothing about the state. The generator
    of random numbers restarts at every call from `seed` and `calls`, so those two are its whole state.
    """

    image: bytes = field(repr=False, compare=False)
    """The serialised SQLite database. Never opened outside a worker."""
    hash: str
    """SHA-256 over the ordered rows of all tables, see `synthesis.worlds.worker.state.state_hash`."""
    clock: datetime = field(compare=False)
    """Naive local time that the next call will see."""
    calls: int = field(default=0, compare=False)
    """Calls made since the world began."""
    seed: int = field(default=0, compare=False)
    """Seed of the instance's random numbers."""
