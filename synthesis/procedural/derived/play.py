# ruff: noqa: S608 - names of the schema are quoted
"""Play: calls made on a live instance while a task is composed, and what they revealed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from pydantic import JsonValue

from synthesis.documents.tools import ToolCall
from synthesis.errors import BrokenEnvironment
from synthesis.procedural.composing.playing import Abandoned, CallRefused, Playable
from synthesis.procedural.derived.operation import Operation, list_name
from synthesis.procedural.derived.relation import Relation
from synthesis.procedural.derived.spoken import Row
from synthesis.procedural.derived.tool_plan import ToolPlan
from synthesis.worlds.tables import quoted

Key = tuple[Any, ...]
Spot = tuple[str, Key]
Choice = TypeVar("Choice")


@dataclass
class DerivedMark:
    """How far a play had come."""

    calls: int
    known: set[Spot]
    phrases: dict[Spot, str]
    mentioned: set[Spot]


@dataclass
class Play:
    """One task in the making."""

    plan: ToolPlan
    instance: Playable
    rng: random.Random
    clock: datetime
    start: dict[str, list[Row]]
    """Rows before the first call, by table; shared by all plays."""
    calls: list[ToolCall] = field(default_factory=list)
    seen: list[JsonValue] = field(default_factory=list)
    """Observations, in order of the calls."""
    known: set[Spot] = field(default_factory=set)
    """Rows whose key an observation has shown."""
    phrases: dict[Spot, str] = field(default_factory=dict)
    """What the request calls rows it has mentioned."""
    mentioned: set[Spot] = field(default_factory=set)
    changed: set[Spot] = field(default_factory=set)
    """Rows that a goal of this play targets already."""
    changed_spots: set[Spot] = field(default_factory=set)
    """Rows that this play has added."""
    now: dict[str, list[Row]] = field(default_factory=dict)
    """Rows as they are, looked up since the last change."""
    wrote: bool = False
    depths: list[int] = field(default_factory=list)
    """By call: the longest chain of earlier calls on whose observations it depends."""
    shown: dict[Spot, int] = field(default_factory=dict)
    """Rows by the place of the first call that showed their key."""

    def call(self, operation: Operation, **arguments: JsonValue) -> Any:
        """Make a call and learn from its answer; raises what `decided_call` does."""
        return self.decided_call(operation, arguments, ())

    def decided_call(
        self, operation: Operation, arguments: dict[str, JsonValue], because: Sequence[int]
    ) -> Any:
        """Make a call that depends on what earlier ones showed, and learn from its answer.

        Args:
            operation: The tool.
            arguments: What it is given.
            because: Places of the earlier calls whose observations decided to make it.

        Raises:
            Refused: The tool refused; nothing changed and the call is not part of the play.
            BrokenEnvironment: The tool failed.
        """
        if self._changes_what_is_closed(operation, arguments):
            raise Abandoned("by the policy that is not changed any more")
        result = self.instance.call(operation.name, arguments)
        if result.status in ("refused", "invalid_arguments"):
            raise CallRefused(result.message)
        if not result.ok:
            raise BrokenEnvironment(f"{operation.name}: {result.message}", part="tools", where=operation.name)
        if operation.writes:
            self.wrote, self.now = True, {}
        self.depths.append(self._depth(operation, arguments, because))
        self.calls.append(ToolCall(name=operation.name, arguments=arguments))
        self.seen.append(result.value)
        self._learn(operation, result.value)
        return result.value

    def _changes_what_is_closed(self, operation: Operation, arguments: dict[str, JsonValue]) -> bool:
        """Whether a call changes a row that the policy alone protects."""
        if operation.closing is None:
            return False
        named = {f.column: arguments.get(f.name) for f in operation.relation.key}
        rows = (row for row in self.rows(operation.relation) if named.items() <= row.items())
        return any(operation.closing.is_closed(row) for row in rows)

    def forget_last(self) -> None:
        """Leave the latest call out; what it showed stays known."""
        del self.calls[-1], self.seen[-1], self.depths[-1]
        self.shown = {spot: place for spot, place in self.shown.items() if place < len(self.calls)}

    def _depth(self, operation: Operation, arguments: dict[str, JsonValue], because: Sequence[int]) -> int:
        """One more than that of the deepest call that showed a key it is given, or that decided it."""
        needed = {place for place in because if place >= 0}
        for spot in self._spots(operation, arguments):
            if spot in self.shown:
                needed.add(self.shown[spot])
        return 1 + max(self.depths[place] for place in needed) if needed else 0

    def _spots(self, operation: Operation, arguments: dict[str, JsonValue]) -> Iterator[Spot]:
        """The rows that the arguments of a call name."""
        relation = operation.relation
        if relation.key and all(f.name in arguments for f in relation.key):
            yield relation.table, tuple(arguments[f.name] for f in relation.key)
        for param in (*operation.params, *operation.part_fields):
            if param.kind == "ref":
                given = arguments.get(param.name, arguments.get(list_name(param)))
                for value in given if isinstance(given, list) else [given]:
                    yield param.target, (value,)

    def would_refuse(self, operation: Operation, arguments: dict[str, JsonValue]) -> str:
        """What a tool says when it refuses a call; empty when it does not, and then the play is spoilt.

        Raises:
            Abandoned: The call went through; the world has changed and has to begin again.
        """
        result = self.instance.call(operation.name, arguments)
        if result.ok:
            self.wrote = True
            raise Abandoned("it is allowed")
        return result.message if result.status == "refused" else ""

    def _learn(self, operation: Operation, value: Any) -> None:
        rows = (
            value.get("items", [value]) if isinstance(value, dict) and operation.kind == "list" else [value]
        )
        if operation.kind in ("count_by", "sum_up", "delete"):
            return
        for row in rows:
            if isinstance(row, dict):
                self._know(operation.relation, row)
        if operation.kind == "get" and isinstance(value, dict):
            for child, _ in self.plan.model.parts_of(operation.relation):
                for part in next((v for v in value.values() if isinstance(v, list)), []):
                    self._know(child, part)

    def _know(self, relation: Relation, row: dict[str, Any]) -> None:
        names = [f.name for f in relation.key]
        if all(name in row for name in names):
            self._show((relation.table, tuple(row[name] for name in names)))
            self.known.add((relation.table, tuple(row[name] for name in names)))
        for reference in relation.refs:
            if row.get(reference.name):
                self._show((reference.target, (row[reference.name],)))
            target = self.plan.model.target(reference)
            if (
                target.label
                and [f.column for f in target.key] == [reference.target_column]
                and row.get(reference.name)
            ):
                self.known.add((target.table, (row[reference.name],)))

    def _show(self, spot: Spot) -> None:
        self.shown.setdefault(spot, len(self.calls) - 1)

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """One of some things by chance.

        Raises:
            Abandoned: There are none.
        """
        if not choices:
            raise Abandoned("there is nothing to choose from")
        return self.rng.choice(choices)

    def mark(self) -> DerivedMark:
        """Where the play stands, to come back to while nothing has changed."""
        return DerivedMark(len(self.calls), set(self.known), dict(self.phrases), set(self.mentioned))

    def back_to(self, mark: DerivedMark) -> None:
        """Forget the calls since a mark; only right while they changed nothing."""
        del self.calls[mark.calls :], self.seen[mark.calls :], self.depths[mark.calls :]
        self.shown = {spot: place for spot, place in self.shown.items() if place < mark.calls}
        self.known, self.phrases, self.mentioned = mark.known, mark.phrases, mark.mentioned

    def rows(self, relation: Relation) -> list[Row]:
        """Rows as they are now."""
        table = relation.table
        if not self.wrote:
            return self.begun(relation)
        if table not in self.now:
            self.now[table] = self.instance.query(f"SELECT * FROM {quoted(table)}")
        return self.now[table]

    def begun(self, relation: Relation) -> list[Row]:
        """Rows as they were before the first call."""
        table = relation.table
        if table not in self.start:
            if self.wrote:
                raise Abandoned("too late to see how it was")
            self.start[table] = self.instance.query(f"SELECT * FROM {quoted(table)}")
        return self.start[table]

    def key(self, relation: Relation, row: Row) -> Key:
        """The key of a row."""
        return tuple(row[f.column] for f in relation.key)

    def named(self, relation: Relation, row: Row) -> dict[str, JsonValue]:
        """The key of a row as arguments."""
        return {f.name: row[f.column] for f in relation.key}

    def spot(self, relation: Relation, row: Row) -> Spot:
        """Where a row is."""
        return relation.table, self.key(relation, row)
