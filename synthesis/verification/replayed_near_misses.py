"""Near-misses made by tools: the reference solution with one slip, played to its end.

A slip is one argument altered, one call left out, made twice or made for a row that looks alike, the whole
task done for such a row, or one harmful call more. Where it leads to the right end state after all, or to one
that differs only in what nobody can be asked for, it is no near-miss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from pydantic import JsonValue

from synthesis.documents.schema import Schema
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import Tool, ToolCall
from synthesis.verification.argument_values import ArgumentValues
from synthesis.verification.end_state_difference import between
from synthesis.verification.near_misses import Edits, NearMiss
from synthesis.verification.reference_run import ReferenceRun
from synthesis.verification.replayer import Replayer
from synthesis.verification.row_edits import RowEdit, key_of, stored
from synthesis.worlds.arguments import validation_error

MOST_VALUES = 2
"""Values that are tried in place of one argument."""

Demanded = Callable[[RowChange], Sequence[str]]


class Slip(NamedTuple):
    """A way to go wrong: calls in place of those of the reference solution from some place on."""

    kind: str
    """"argument", "left_out", "call_twice", "look_alike", "extra_call"."""
    description: str
    first: int
    """Place of the first call that is not the reference solution's own."""
    calls: tuple[ToolCall, ...]
    """What is called from there on."""


class SlipMaker:
    """Makes slips.

    Args:
        tools: The tools of the world.
        values: Values that were seen under the names of arguments.
        harmful: Calls that change rows, at most one of each tool.
    """

    def __init__(self, tools: Iterable[Tool], values: ArgumentValues, harmful: Sequence[ToolCall]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._values, self._harmful = values, harmful

    def slips(self, run: ReferenceRun) -> Iterator[Slip]:
        """All slips of one task."""
        calls = run.task.reference_solution
        changing = [place for place, result in enumerate(run.results) if result.changes]
        for place in changing:
            call, rest = calls[place], _writing(run, place + 1)
            if len(changing) > 1:
                yield Slip("left_out", f"the call of {call.name} is left out", place, rest)
            yield Slip("call_twice", f"{call.name} is called twice", place, (call, call, *rest))
            for text, altered in self._altered(call):
                yield Slip("argument", f"{call.name} is called with {text}", place, (altered, *rest))
        yield from self._for_look_alikes(run, changing)
        for call in self._harmful:
            text = f"{call.name} is called as well"
            yield Slip("extra_call", text, len(calls), (call,))

    def _altered(self, call: ToolCall) -> Iterator[tuple[str, ToolCall]]:
        for name, value in call.arguments.items():
            for other in self._others(call.name, name, value):
                altered = call.replace(arguments={**call.arguments, name: other})
                yield f"{name} = {other!r} instead of {value!r}", altered

    def _others(self, tool: str, name: str, value: JsonValue) -> list[JsonValue]:
        properties: Any = self._tools[tool].input_schema.get("properties", {}) if tool in self._tools else {}
        rule = properties.get(name)
        if rule is None:
            return []
        candidates = [*_members(rule), *_steps(value)]
        candidates += [] if _is_key(name) and _members(rule) else _nearest(value, self._values.seen(name))
        if _is_key(name) and isinstance(value, int):
            candidates = _nearest(value, self._values.seen(name)) or candidates
        results: list[JsonValue] = []
        for other in candidates:
            if other != value and other not in results and not validation_error(rule, other):
                results.append(other)
        return results[:MOST_VALUES]

    def _for_look_alikes(self, run: ReferenceRun, changing: Sequence[int]) -> Iterator[Slip]:
        """Everything done for another row: one key replaced in all calls that name it."""
        calls = run.task.reference_solution
        named: dict[tuple[str, Any], list[int]] = {}
        for place in changing:
            for name, value in calls[place].arguments.items():
                if _is_key(name) and isinstance(value, int | str):
                    named.setdefault((name, value), []).append(place)
        for (name, value), places in named.items():
            if len(places) < 2:
                continue
            for other in self._others(calls[places[0]].name, name, value)[:1]:
                rest = tuple(
                    call.replace(arguments={**call.arguments, name: other})
                    if call.arguments.get(name) == value
                    else call
                    for call in _writing(run, places[0])
                )
                text = f"everything is done for {name} {other!r} instead of {value!r}"
                yield Slip("look_alike", text, places[0], rest)


def replayed_near_misses(
    run: ReferenceRun, slips: Iterable[Slip], replayer: Replayer, schema: Schema, demanded: Demanded
) -> Iterator[NearMiss]:
    """Near-misses that slips lead to.

    Args:
        run: The reference run.
        slips: Ways to go wrong.
        replayer: Where they are tried.
        schema: The tables.
        demanded: Columns of a change that an agent can be asked for.
    """
    seen: set[str] = set()
    played: set[tuple[int, str]] = set()
    for slip in slips:
        place = slip.first, repr([(call.name, call.arguments) for call in slip.calls])
        if place in played:
            continue  # the same calls from the same state lead to the same one
        played.add(place)
        _, changes = replayer.play(slip.calls, start=run.before_call(slip.first))
        differs = between(run.changes, changes)
        if not _matters(differs, run, demanded) or (form := repr(differs.changes)) in seen:
            continue
        seen.add(form)
        yield NearMiss(
            slip.kind,
            slip.description,
            (_edits(differs, schema),),
            reached=True,
            calls=tuple(call.name for call in slip.calls),
        )


def _writing(run: ReferenceRun, first: int) -> tuple[ToolCall, ...]:
    """The changing calls of the reference solution from a place on."""
    later = zip(run.task.reference_solution[first:], run.results[first:], strict=True)
    return tuple(call for call, result in later if result.changes)


def _matters(differs: StateDiff, run: ReferenceRun, demanded: Demanded) -> bool:
    """Whether an end state differs from the right one in anything an agent can be asked for."""
    right = {(change.table, change.key): change for change in run.changes.changes}
    for change in differs.changes:
        asked = right.get((change.table, change.key))
        if change.kind != "updated" or asked is None:
            return True
        exempt = set(asked.columns) - set(demanded(asked))
        exempt |= {column for table, column in run.volatile if table == change.table}
        if set(change.columns) - exempt:
            return True
    return False


def _edits(differs: StateDiff, schema: Schema) -> Edits:
    """The edits that lead from the right end state to another one, deletions first."""
    edits = []
    for change in sorted(differs.changes, key=lambda one: ("deleted", "updated", "inserted").index(one.kind)):
        table = schema.table(change.table)
        if table is None:
            continue
        if change.kind == "inserted":
            edits.append(RowEdit("insert", table.name, values=stored(table, change.after or {})))
        elif change.kind == "deleted":
            edits.append(RowEdit("delete", table.name, key_of(table, change.before or {})))
        else:
            values = {column: (change.after or {}).get(column) for column in change.columns}
            edits.append(RowEdit("update", table.name, key_of(table, change.before or {}), values))
    return tuple(edits)


def _is_key(name: str) -> bool:
    return name == "id" or name.endswith(("_id", "_number", "_code", "_ref"))


def _members(rule: Any) -> list[JsonValue]:
    options = rule.get("anyOf", [rule]) if isinstance(rule, dict) else []
    return [member for option in options for member in option.get("enum", ())]


def _nearest(value: JsonValue, seen: Sequence[JsonValue]) -> list[JsonValue]:
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = [other for other in seen if isinstance(other, int)]
        return [*sorted(numbers, key=lambda other: (abs(other - value), other))]
    return [other for other in seen if type(other) is type(value)]


def _steps(value: JsonValue) -> list[JsonValue]:
    """Values next to one: a number more, twice as much, a day or half an hour later, the other of two."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value * 2]
    return _stepped_text(value) if isinstance(value, str) else []


def _stepped_text(value: str) -> list[JsonValue]:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return [(date.fromisoformat(value) + timedelta(days=1)).isoformat()]
        if re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", value):
            later = datetime.fromisoformat(value) + timedelta(minutes=30)
            return [later.isoformat(value[10], "seconds")[: len(value)]]
        if re.fullmatch(r"\d\d:\d\d", value):
            return [f"{(int(value[:2]) + 1) % 24:02d}{value[2:]}"]
    except (ValueError, OverflowError):
        return []
    return []
