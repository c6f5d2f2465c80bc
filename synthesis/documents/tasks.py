"""Task: what an agent is asked, and by what it is measured."""

from __future__ import annotations

import builtins
import math
from datetime import date, time
from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    StringConstraints,
    model_validator,
)

from synthesis.documents.document import Document, Slug
from synthesis.documents.tools import ToolCall

TaskKind = Literal["read", "write", "mixed", "refuse"]
"""An answer; a change; both, or "if not possible, then"; to decline and change nothing."""

Difficulty = Literal["easy", "medium", "hard"]
FactType = Literal["number", "money_cents", "date", "time", "name", "boolean", "text"]
BlockingKind = Literal["rule", "limit", "status", "value"]
"""A rule of the policy; a limit that would be passed; a state that is not the right one; another value."""
FEWEST_STEPS = 20
"""Tool calls that any task allows, however short it is."""
Instruction = Annotated[str, StringConstraints(min_length=10, max_length=4_000)]


def _is_none(value: object) -> bool:
    return value is None


def fewest_of_each_kind(count: int) -> tuple[int, int, int]:
    """Of so many tasks, how many at least change state, only read, and are rightly declined."""
    if count < 4:
        return min(count, 1), 0, 0
    return count // 2, max(count // 5, 1), max(count // 10, 1)


class AnswerFact(Document):
    """One thing the final answer must hold; compared by value and never as a lone substring."""

    name: str = Field(min_length=1, max_length=120)
    type: FactType
    value: StrictBool | StrictInt | StrictFloat | StrictStr
    unit: str | None = Field(default=None, min_length=1, max_length=40, exclude_if=_is_none)
    """What is counted or measured ("days", "km"), where an answer could mean another one."""
    direction: str | None = Field(default=None, min_length=1, max_length=80, exclude_if=_is_none)
    """Which way a difference or a payment goes ("more than last month", "to the guest"), where it matters."""

    @model_validator(mode="after")
    def _value_fits_type(self) -> Self:
        if not _fits(self.type, self.value):
            raise ValueError(f"fact {self.name!r} of type {self.type} cannot have the value {self.value!r}")
        return self


class Blocking(Document):
    """One piece of evidence why a request is declined; a right refusal names at least one."""

    kind: BlockingKind
    text: str = Field(min_length=3, max_length=400)
    """The reason in plain words: "only pending refunds can be approved"."""
    value: StrictBool | StrictInt | StrictFloat | StrictStr | None = Field(default=None, exclude_if=_is_none)
    """What a right answer may name instead: "approved", 48, "2026-03-01"."""
    type: FactType | None = Field(default=None, exclude_if=_is_none)
    """How the value is written in answers; None leaves it to the value itself."""

    @model_validator(mode="after")
    def _value_fits_type(self) -> Self:
        if self.type is not None and (self.value is None or not _fits(self.type, self.value)):
            raise ValueError(f"blocking of type {self.type} cannot have the value {self.value!r}")
        return self


Weakness = Literal[
    "first_row",
    "second_best",
    "forgets_condition",
    "ignores_policy",
    "first_page",
    "trusts_user",
    "stops_early",
    "first_namesake",
    "rounds_wrong",
]
"""What a weak agent does: takes the first row listed, or the next best one, forgets the last condition,
ignores a rule, reads one page, believes what the user says, does not look again after a write, acts on the
first of two of one name, computes carelessly."""


class Temptation(Document):
    """What an agent of a known weakness does on a task; it must not complete it."""

    weakness: Weakness
    calls: tuple[ToolCall, ...]
    """Its calls; a refused one is passed over, as such an agent would."""
    answer: str = Field(max_length=4_000)


class TaskOutline(Document):
    """A task before the world it plays in exists: what is asked, not yet how it is done."""

    id: Slug
    instruction: Instruction
    kind: TaskKind
    difficulty: Difficulty
    expectation: str = Field(default="", max_length=2_000)
    """What the right outcome is, in words, for the author of the later parts."""


class TaskOutlines(Document):
    """The outlines of one environment."""

    outlines: tuple[TaskOutline, ...]


class Task(Document):
    """What the agent is asked, a solution known to work, and what the answer must hold."""

    id: Slug
    instruction: Instruction
    kind: TaskKind
    difficulty: Difficulty
    min_calls: int = Field(ge=0, le=200)
    """Fewest tool calls that can do it."""
    reference_solution: tuple[ToolCall, ...]
    """Calls known to do the task on a fresh instance; none of them is refused."""
    reference_answer: str = Field(max_length=4_000)
    answer_facts: tuple[AnswerFact, ...] = ()
    blocking: tuple[Blocking, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Why the request, or a part of it, is declined; a right answer names one of them."""
    max_steps: int | None = Field(default=None, ge=1, le=1_000, exclude_if=_is_none)
    """Tool calls an agent may make; None for the default, see `step_limit`."""
    depth: int | None = Field(default=None, ge=0, le=200, exclude_if=_is_none)
    """Longest chain of calls in the reference solution in which one depends on what an earlier one
    showed."""
    temptations: tuple[Temptation, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Wrong ways that agents of known weaknesses take; the verifier must refuse each of them."""
    split: Literal["train", "validation", "test"] | None = None

    @property
    def step_limit(self) -> int:
        """Tool calls an agent may make: `max_steps`, or room for half as many again as are needed."""
        return self.max_steps or max(FEWEST_STEPS, fewest_steps(self.min_calls))

    @model_validator(mode="after")
    def _steps_leave_room(self) -> Self:
        if self.max_steps is not None and self.max_steps < fewest_steps(self.min_calls):
            raise ValueError(
                f"max_steps of {self.id} is {self.max_steps}; {self.min_calls} calls that are needed "
                f"ask for at least {fewest_steps(self.min_calls)}"
            )
        return self


class Tasks(Document):
    """The tasks of one environment, each id once."""

    tasks: tuple[Task, ...]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [task.id for task in self.tasks]
        if twice := sorted({id for id in ids if ids.count(id) > 1}):
            raise ValueError(f"task ids are used more than once: {', '.join(twice)}")
        return self


def fewest_steps(min_calls: int) -> int:
    """The fewest tool calls that must be allowed where `min_calls` are needed: 1.5 times as many and 5."""
    return math.ceil(1.5 * min_calls) + 5


def _fits(type: FactType, value: bool | float | str) -> bool:
    if type in ("date", "time"):
        return _reads_as(type, value)
    expected: dict[FactType, tuple[builtins.type, ...]] = {
        "boolean": (bool,),
        "money_cents": (int,),
        "number": (int, float),
        "name": (str,),
        "text": (str,),
    }
    return builtins.type(value) in expected[type] and value != ""


def _reads_as(type: FactType, value: bool | float | str) -> bool:
    if not isinstance(value, str):
        return False
    try:
        if type == "date":
            return date.fromisoformat(value).isoformat() == value
        return time.fromisoformat(value).isoformat().startswith(value) and len(value) in (5, 8)
    except ValueError:
        return False
