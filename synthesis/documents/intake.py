"""Intake: a data model from outside as an environment can begin with it, and what of it was left behind."""

from __future__ import annotations

import warnings

from synthesis.documents.document import Document
from synthesis.documents.finding import Finding
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData

# pydantic still has a deprecated BaseModel.schema(); the part is called schema everywhere else, so here too.
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message='Field name "schema"', category=UserWarning)

    class Intake(Document):
        """What was read from a DDL script, a live database or an API description.

        Names in `schema` are letters, digits and underscores, kept as they were written: they may hold
        capitals and may be reserved words, so SQL must quote them. Every table has a primary key. Columns
        follow the house: flags are INTEGER in (0, 1), days 'YYYY-MM-DD', moments 'YYYY-MM-DDTHH:MM:SS',
        times of day 'HH:MM:SS', money INTEGER cents in a column whose name ends in `_cents`, enumerations
        CHECK (x IN (...)).
        """

        scenario: Scenario
        """A proposal: title, a sentence from the tables' names, category and clock."""
        schema: Schema  # type: ignore[assignment]
        """The tables in SQLite's dialect, each below the tables it refers to where that can be."""
        seed_data: SeedData | None = None
        """Rows that came along: anonymised, referentially closed and few; None where there were none."""
        findings: tuple[Finding, ...] = ()
        """Everything that could not be converted or was changed on the way; none of them blocks."""
        source: str
        """What was read, for people: a file's name or a database's address without user and password."""
