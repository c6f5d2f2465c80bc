"""Sample: the rows that came along with a foreign model, as seed data."""

from __future__ import annotations

from datetime import datetime

from synthesis.documents.seed_data import SeedData
from synthesis.intake.carry import Carrier
from synthesis.intake.notes import Notes


def carry_rows(carrier: Carrier, *, seed: int, notes: Notes) -> tuple[SeedData | None, datetime | None]:
    """No rows yet."""
    del carrier, seed, notes
    return None, None
