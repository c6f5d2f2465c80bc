"""Walk: calls made on a live instance while a task is composed, and what they revealed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue

from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.errors import BrokenEnvironment
from synthesis.procedural.blueprint import Blueprint
from synthesis.procedural.entity import Entity

Row = dict[str, Any]
Choice = TypeVar("Choice")


class Abandoned(Exception):
    """This way of composing a task led nowhere; another one is tried."""


class Refused(Abandoned):
    """A tool refused the call.

    Args:
        message: What it said.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Playable(Protocol):
    """What a walk needs of an instance; `synthesis.worlds.world.Instance` is one."""

    def call(self, name: str, arguments: dict[str, JsonValue] | None = None) -> ToolResult:
        """Call one tool."""
        ...

    def query(self, sql: str, *params: Any, limit: int = 1_000) -> list[dict[str, Any]]:
        """Look into the database."""
        ...

    def reset(self, seed: int | None = None) -> None:
        """Begin again."""
        ...


@dataclass
class Mark:
    """How far a walk had come."""

    calls: int
    known: set[tuple[str, int]]
    phrases: dict[tuple[str, int], str]


@dataclass
class Walk:
    """One task in the making."""

    made: Blueprint
    instance: Playable
    rng: random.Random
    calls: list[ToolCall] = field(default_factory=list)
    known: set[tuple[str, int]] = field(default_factory=set)
    """Rows whose key an observation has shown, by entity key and id."""
    phrases: dict[tuple[str, int], str] = field(default_factory=dict)
    """What the request calls rows it has mentioned."""
    party: int | None = None
    """The person or company the request is about."""
    named: bool = False
    """Whether the request has named that party already."""
    changed: set[tuple[str, int]] = field(default_factory=set)
    """Rows that a goal of this walk already targets."""
    barred: set[tuple[str, int]] = field(default_factory=set)
    """Rows that no further goal may touch, since what becomes of another wish hangs on them."""
    names: dict[str, str] = field(default_factory=dict)
    seen: list[JsonValue] = field(default_factory=list)
    """Observations, in order of the calls."""
    looked_up: dict[str, list[Row]] = field(default_factory=dict)
    """Rows as they are now, by what was looked up; shared by the walks that begin in the same state."""
    wrote: bool = False
    """Whether a call of this walk may have changed the state."""

    def __post_init__(self) -> None:
        """Learn which key names which entity."""
        for entity in self.made.entities.values():
            self.names[entity.id] = entity.key
        for entity in self.made.entities.values():
            for column in entity.refs:
                self.names.setdefault(column.name, column.entity)

    def call(self, tool: str, **arguments: JsonValue) -> Any:
        """Make a call and learn from its answer.

        Raises:
            Refused: The tool refused; nothing changed and the call is not part of the walk.
            BrokenEnvironment: The tool failed.
        """
        result = self.instance.call(tool, arguments)
        if result.status == "refused":
            raise Refused(result.message)
        if not result.ok:
            raise BrokenEnvironment(f"{tool}: {result.message}", part="tools", where=tool)
        self.note_change(tool)
        self.calls.append(ToolCall(name=tool, arguments=arguments))
        self.seen.append(result.value)
        self.learn(result.value)
        return result.value

    def learn(self, value: JsonValue) -> None:
        """Remember the keys that an observation shows."""
        if isinstance(value, list):
            for part in value:
                self.learn(part)
        if not isinstance(value, dict):
            return
        own = next(iter(value), "")
        for name, part in value.items():
            entity = self.names.get(name)
            if entity and isinstance(part, int) and (name == own or self.made.entities[entity].label):
                self.known.add((entity, part))
            if isinstance(part, dict | list):
                self.learn(part)

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """One of some things by chance.

        Raises:
            Abandoned: There are none.
        """
        if not choices:
            raise Abandoned("there is nothing to choose from")
        return self.rng.choice(choices)

    def mark(self) -> Mark:
        """Where the walk stands, to come back to after a refused call."""
        return Mark(len(self.calls), set(self.known), dict(self.phrases))

    def back_to(self, mark: Mark) -> None:
        """Forget the calls since a mark; only right while they changed nothing."""
        del self.calls[mark.calls :], self.seen[mark.calls :]
        self.known, self.phrases = mark.known, mark.phrases

    def note_change(self, tool: str) -> None:
        """Forget what was looked up when a tool may have changed it."""
        if any(action.name == tool for action in self.made.actions):
            self.wrote, self.looked_up = True, {}

    def row(self, entity: Entity, row_id: int) -> Row:
        """A row as it is now.

        Raises:
            Abandoned: There is none.
        """
        found = [row for row in self.rows(entity) if row["id"] == row_id]
        if not found:
            raise Abandoned(f"no {entity.noun} {row_id}")
        return found[0]

    def rows(self, entity: Entity, **wanted: Any) -> list[Row]:
        """Rows as they are now, by key; those that have the wanted values under the schema's column names."""
        key = entity.key
        if key not in self.looked_up:
            self.looked_up[key] = self.instance.query(f"SELECT * FROM {entity.table} ORDER BY id")  # noqa: S608
        rows = self.looked_up[key]
        return [row for row in rows if all(row[name] == value for name, value in wanted.items())]
