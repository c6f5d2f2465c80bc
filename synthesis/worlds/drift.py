"""Drift: a recorded trajectory played again from its calls, and where it goes another way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

from synthesis.documents.document import Document
from synthesis.documents.state_diff import Key, RowChange, StateDiff
from synthesis.documents.tools import ToolCall, is_ended_by_limit
from synthesis.documents.trajectory import Step

if TYPE_CHECKING:
    from synthesis.worlds.instance import Instance

Aspect = Literal["status", "observation", "rows", "state"]


class RowDrift(Document):
    """One row that a step left otherwise than it is recorded."""

    table: str
    key: Key
    recorded: RowChange | None = None
    """What the recorded step did to the row; None when it left it alone."""
    actual: RowChange | None = None
    """What the step does to it now; None when it leaves it alone."""

    @property
    def ends(self) -> bool:
        """Whether the row is there in the end both times, so that its columns can be compared."""
        return all(change is not None and change.after for change in (self.recorded, self.actual))

    def columns(self) -> list[tuple[str, JsonValue, JsonValue]]:
        """Every column in which the two ends of the row differ: its name, as recorded, as now."""
        one, other = ((change.after or {}) if change else {} for change in (self.recorded, self.actual))
        names = dict.fromkeys([*one, *other])
        return [(name, one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)]

    def kinds(self) -> tuple[str, str]:
        """What was done to the row as recorded, and what is done now."""
        was, now = (change.kind if change else "left alone" for change in (self.recorded, self.actual))
        return was, now


class StepDrift(Document):
    """One replayed call, and how its result differs from the recording."""

    step: int
    tool: str
    differs: tuple[Aspect, ...] = ()
    """What is not as recorded; "state" alone means that the state was another before the step."""
    recorded_status: str
    actual_status: str
    recorded: JsonValue = None
    """The recorded observation."""
    actual: JsonValue = None
    """The observation now."""
    rows: tuple[RowDrift, ...] = ()
    recorded_hash: str = ""
    actual_hash: str = ""

    @property
    def ended_by_limit(self) -> bool:
        """Whether time or memory ended the call, as recorded or now: neither tells what the tool does."""
        return any(
            status == "error"
            and isinstance(observation, dict)
            and is_ended_by_limit(self.tool, str(observation.get("error")))
            for status, observation in (
                (self.recorded_status, self.recorded),
                (self.actual_status, self.actual),
            )
        )


def drift(instance: Instance, steps: Iterable[Step]) -> list[StepDrift]:
    """Make the calls of recorded steps again, in order, and compare each.

    Args:
        instance: Fresh, with the trajectory's seed; it is left as the last call leaves it.
        steps: As recorded; those that are no calls are passed over.

    Raises:
        WorldError: The world cannot go on.
    """
    return [_again(instance, step, step.action) for step in steps if isinstance(step.action, ToolCall)]


def _again(instance: Instance, step: Step, call: ToolCall) -> StepDrift:
    result = instance.call(call.name, call.arguments)
    found_hash = instance.state_hash()
    rows = tuple(row_drift(step.changes, result.changes))
    observation = result.observation()
    differs: dict[Aspect, bool] = {
        "status": result.status != step.status,
        "observation": observation != step.observation,
        "rows": bool(rows),
        "state": bool(step.state_hash) and found_hash != step.state_hash,
    }
    return StepDrift(
        step=step.index,
        tool=call.name,
        differs=tuple(aspect for aspect, is_so in differs.items() if is_so),
        recorded_status=step.status,
        actual_status=result.status,
        recorded=step.observation,
        actual=observation,
        rows=rows,
        recorded_hash=step.state_hash,
        actual_hash=found_hash,
    )


def row_drift(recorded: StateDiff, state_diff: StateDiff) -> Iterable[RowDrift]:
    """The rows that two diffs do not agree about, those of the first before those of the second."""
    one, other = (
        {(change.table, change.key): change for change in diff.changes} for diff in (recorded, state_diff)
    )
    for place in dict.fromkeys([*one, *other]):
        before, now = one.get(place), other.get(place)
        if before != now:
            yield RowDrift(table=place[0], key=place[1], recorded=before, actual=now)
