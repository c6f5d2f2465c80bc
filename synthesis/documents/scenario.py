"""Scenario: the application that an environment simulates."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, field_validator

from synthesis.documents.document import Document, Slug
from synthesis.documents.reading import ScenarioReading

MAX_SENTENCE = 8_000
"""Longest scenario text a person may hand in, in characters (AWM's scenarios have 150-300 words)."""


class Scenario(Document):
    """Which application is simulated, for whom, and what its clock shows."""

    name: Slug
    """Unique name; the folder of the environment is called so."""
    title: str = Field(min_length=1, max_length=120)
    """What people call it."""
    category: str = Field(min_length=1, max_length=80)
    """Kind of business, in lower case, for example "healthcare administration"."""
    description: str = Field(min_length=1, max_length=MAX_SENTENCE)
    """What the application does, for whom, and within which rules."""
    licence: str = Field(default="CC0-1.0", min_length=1, max_length=80)
    """SPDX identifier of the licence of the whole environment."""
    clock: datetime
    """The moment at which every instance starts: naive, in the application's local time, whole seconds."""

    reading: ScenarioReading | None = Field(default=None, exclude_if=lambda value: value is None)
    """What was read from the sentence, where an author without a model wrote the world."""

    @field_validator("clock")
    @classmethod
    def _clock_is_local(cls, clock: datetime) -> datetime:
        if clock.tzinfo is not None or clock.microsecond:
            raise ValueError(
                "the clock is a local time without zone and in whole seconds, e.g. 2026-03-11T08:30:00"
            )
        return clock
