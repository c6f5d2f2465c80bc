# ruff: noqa: PYI021, E501 - this stub is also the documentation of these names
"""Names that tools and verifiers have without an import, for editors and linters.

The runtime gives them: `ToolError` and `Field` in tools.py; `check` and the comparison helpers in
verifiers/<task>.py. `db` is the first parameter of every tool; `before`, `after` and `changes` those of every verifier.
To let an editor know them: ``from synthesis.worlds.worker.given import *`` under ``if TYPE_CHECKING:``.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from random import Random
from typing import Any, TypedDict

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

class TouchedRow:
    """One row that some call wrote, whatever is left of it."""

    table: str
    key: Any
    put_back: bool
    """Whether it is in the end as it was at the start."""

class RecordedCall(TypedDict):
    """One of `calls`, which a verifier is given if it names them: `verify(before, after, changes, answer, calls)`."""

    name: str
    arguments: dict[str, Any]
    status: str
    """"ok", "refused", "invalid_arguments", "unknown_tool" or "error"."""
    result: Any
    """What the agent saw: the value, or {"error": ...}."""

class Utterance(TypedDict):
    """One of `conversation`, which a verifier is given if it names it: what the user and the agent said, in order."""

    role: str
    """"user" or "assistant"."""
    text: str

class Changes:
    """All rows that differ between `before` and `after`; iterable, false when nothing changed."""

    inserted: list[ChangedRow]
    updated: list[ChangedRow]
    deleted: list[ChangedRow]
    touched: list[TouchedRow]
    """Rows that some call wrote, those that differ first, then those that were put back."""

    def only(self, *places: tuple[str, Any] | tuple[str]) -> bool:
        """Whether every changed row is at one of the places: (table, key), or (table,) for any row of a table."""

class Check:
    """What `check` makes."""

def check(name: str, passed: bool, detail: Any = None, guard: bool = False) -> Check:
    """One check: `passed` a strict bool, `name` unique. A guard must hold for Completed but earns no share."""

class Answer(str):
    """What `answer` is: the agent's final text, with what it declared beside it."""

    outcome: str | None
    """"done", "declined" or "not_possible"; None where it declared nothing."""
    reason: str | None
    values: dict[str, Any]
    """What was asked to be told, by name."""

def says(answer: str, fact: Any, *, about: str = "", type: str = "") -> bool:
    """Whether an answer states a value: asserted, not doubted, denied, or one of several.

    `fact` is the value, or {"name": "total to pay", "type": "money_cents", "value": 17000}; `about` says what the value
    is of, `type` is number, money_cents, date, time, name, boolean or text where the value does not show it.
    """

def declines(answer: str, *evidence: Any, request: str = "") -> bool:
    """Whether an answer says that it was not done, claims nothing to the contrary and names what stands in the way.

    Any one of the `evidence` suffices: a text ("only pending refunds can be approved"), a number, or
    {"text": ..., "value": ..., "type": ...}. `request` is what was asked; its own words are no reason.
    """

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

def added(before: Database, after: Database, table: str, key: str | None = None) -> list[dict[str, Any]]:
    """Rows of a table whose key was not there before, in the order of the key.

    The key is the primary key, of one column or of several, unless `key` names a column.
    """

def removed(before: Database, after: Database, table: str, key: str | None = None) -> list[dict[str, Any]]:
    """Rows of a table whose key is gone, as they were before."""

def changed(
    before: Database, after: Database, table: str, value: Any, key: str | None = None
) -> dict[str, Any] | None:
    """New values of those columns of one row that changed; {} if none did, None if the row is gone or never was.

    `value` is the row's primary key, a tuple where it has several columns.
    """
