# ruff: noqa: PYI021, E501 - this stub is also the documentation of these names
"""Names that tools and verifiers have without an import, for editors and linters.

The runtime gives them: `ToolError` and `Field` in tools.py; `check` and the comparison helpers in
verifiers/<task>.py. `db` is the first parameter of every tool; `before`, `after` and `changes` those of every verifier.
To let an editor know them: ``from synthesis.worlds.given import *`` under ``if TYPE_CHECKING:``.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from random import Random
from typing import Any

from pydantic import Field as Field

# In tools

class ToolError(Exception):
    """A refusal that the agent sees: say what was wrong and what is allowed. The call leaves nothing behind."""

class Database:
    """What `before` and `after` are: a state to look into."""

    def query(self, sql: str, *params: float | str | None) -> list[dict[str, Any]]:
        """All rows, each as a dict by column name."""

    def one(self, sql: str, *params: float | str | None) -> dict[str, Any] | None:
        """The first row, or None."""

    def now(self) -> datetime:
        """The world's clock, a naive local time, constant within a call."""

class ToolDatabase(Database):
    """What `db` is: one call is one transaction, foreign keys are always on."""

    actor: Any
    """Key of the row that stands for the user the agent acts for."""
    random: Random
    """The instance's seeded generator."""

    def execute(self, sql: str, *params: float | str | None) -> int:
        """Run an INSERT, UPDATE or DELETE; the number of rows it changed."""

    def insert(self, table: str, /, **values: float | str | None) -> Any:
        """Insert one row and return its key: the new id; a tuple for a composite key."""

# In verifiers

class ChangedRow:
    """One row that was inserted, updated or deleted."""

    table: str
    key: Any
    kind: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    columns: tuple[str, ...]

class Changes:
    """All rows that differ between `before` and `after`; iterable, false when nothing changed."""

    inserted: list[ChangedRow]
    updated: list[ChangedRow]
    deleted: list[ChangedRow]

    def only(self, *places: tuple[str, Any] | tuple[str]) -> bool:
        """Whether every changed row is at one of the places: (table, key), or (table,) for any row of a table."""

class Check:
    """What `check` makes."""

def check(name: str, passed: bool, detail: Any = None, guard: bool = False) -> Check:
    """One check: `passed` a strict bool, `name` unique. A guard must hold for Completed but earns no share."""

def amounts(text: str) -> set[int]:
    """Amounts of money in a text, in cents: 30.00, EUR 30, 1,250.50, 30 euro, $4, 50 cents."""

def dates(text: str, year: int | None = None) -> set[str]:
    """Days in a text as YYYY-MM-DD; `year` is what a day without a year means (left out when None)."""

def times(text: str) -> set[str]:
    """Times of day in a text as HH:MM: 09:40, 9.40, 9:40 am, 3 pm."""

def numbers(text: str) -> set[int | float]:
    """Numbers in a text, in digits or in words up to twenty, that are no part of a day or a time of day."""

def names(text: str, candidates: Iterable[str]) -> set[str]:
    """Those candidates that a text names as whole words, whatever the case and the white space."""

def matches(row: Mapping[str, Any] | None, **expected: Any) -> bool:
    """Whether a row is there and has every one of these values."""

def holds(rows: Iterable[Mapping[str, Any]], **expected: Any) -> bool:
    """Whether there is exactly one row and it has these values."""

def added(before: Database, after: Database, table: str, key: str = "id") -> list[dict[str, Any]]:
    """Rows of a table whose key was not there before, in the order of the key."""

def removed(before: Database, after: Database, table: str, key: str = "id") -> list[dict[str, Any]]:
    """Rows of a table whose key is gone, as they were before."""

def changed(
    before: Database, after: Database, table: str, value: Any, key: str = "id"
) -> dict[str, Any] | None:
    """New values of those columns of one row that changed; {} if none did, None if the row is gone or never was."""
