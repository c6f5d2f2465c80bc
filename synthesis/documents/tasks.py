"""Task: what an agent is asked, and by what it is measured."""

from __future__ import annotations

import builtins
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
Instruction = Annotated[str, StringConstraints(min_length=10, max_length=4_000)]


class AnswerFact(Document):
    """One thing the final answer must hold; compared by value and never as a lone substring."""

    name: str = Field(min_length=1, max_length=120)
    type: FactType
    value: StrictBool | StrictInt | StrictFloat | StrictStr

    @model_validator(mode="after")
    def _value_fits_type(self) -> Self:
        if not _fits(self.type, self.value):
            raise ValueError(f"fact {self.name!r} of type {self.type} cannot have the value {self.value!r}")
        return self


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
    split: Literal["train", "validation", "test"] | None = None


class Tasks(Document):
    """The tasks of one environment, each id once."""

    tasks: tuple[Task, ...]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [task.id for task in self.tasks]
        if twice := sorted({id for id in ids if ids.count(id) > 1}):
            raise ValueError(f"task ids stand more than once: {', '.join(twice)}")
        return self


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
