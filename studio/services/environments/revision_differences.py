"""Differences between two revisions of one environment: texts by line, rows by key, one part at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from studio.models import EnvironmentRecord, Revision
from studio.services.environments.units import part_of_unit, tool_source
from studio.services.errors import Missing
from synthesis.documents.finding import PartName
from synthesis.documents.invariants import Invariants
from synthesis.documents.policy import Policy
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema, Table
from synthesis.documents.seed_data import Row, SeedData
from synthesis.documents.state_diff import Key, RowChange, StateDiff
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import Toolset
from synthesis.documents.verifiers import Verifiers

Parts = Mapping[str, object]


@dataclass(frozen=True)
class Difference:
    """One thing that differs: a text before and after, or rows.

    Attributes:
        title: What it is, in words.
        part: The part it belongs to.
        before: Its text before; "" where it was not there.
        after: Its text after; "" where it is gone.
        rows: The rows that differ, for seed data.
        name: Of the tool or the task that it is about; "" where it is about a whole part.
    """

    title: str
    part: PartName
    before: str = ""
    after: str = ""
    rows: StateDiff | None = None
    name: str = ""


def revision_of(record: EnvironmentRecord, number: int) -> Revision:
    """A revision by its number.

    Raises:
        Missing: There is none.
    """
    revision: Revision | None = record.revisions.filter(number=number).select_related("author", "run").first()
    if revision is None:
        raise Missing(
            f"{record.title} has no revision {number}.", remedy="Choose one from the environment's history."
        )
    return revision


def changed_units(before: Revision, after: Revision) -> list[str]:
    """The units (schema, tool:..., task:...) that differ, are new or are gone, in the order of the later."""
    names = dict.fromkeys(chain(after.units, before.units))
    return [name for name in names if before.units.get(name) != after.units.get(name)]


def differences(before: Revision, after: Revision, *, unit: str = "") -> list[Difference]:
    """What differs between two revisions.

    Args:
        before: The earlier one.
        after: The later one.
        unit: Only what belongs to this unit; a tool comes with the helpers it uses.
    """
    old, new = _parts_that_differ(before, after)
    results = list(_each(old, new, _schema_of(after) if "seed_data" in new else None))
    if not unit:
        return results
    if unit.startswith("tool:"):
        return list(_one_tool(unit.removeprefix("tool:"), old, new))
    if unit.startswith("task:"):
        name = unit.removeprefix("task:")
        return [each for each in results if each.name == name]
    return [each for each in results if each.part == part_of_unit(unit)]


def _parts_that_differ(before: Revision, after: Revision) -> tuple[Parts, Parts]:
    old = {part.part: part for part in before.parts.all()}
    new = {part.part: part for part in after.parts.all()}
    names = [
        name
        for name in chain(new, (name for name in old if name not in new))
        if (old[name].fingerprint if name in old else "") != (new[name].fingerprint if name in new else "")
    ]
    return (
        {name: old[name].load() for name in names if name in old},
        {name: new[name].load() for name in names if name in new},
    )


def _schema_of(revision: Revision) -> Schema | None:
    record = revision.parts.filter(part="schema").first()
    schema = record.load() if record else None
    return schema if isinstance(schema, Schema) else None


def _each(old: Parts, new: Parts, schema: Schema | None) -> Iterator[Difference]:
    yield from _text("Scenario", "scenario", _scenario(old), _scenario(new))
    yield from _text("Policy", "policy", _policy(old), _policy(new))
    yield from _text("Schema", "schema", _sql(old), _sql(new))
    rows = StateDiff(changes=tuple(_row_changes(_rows(old), _rows(new), schema)))
    if rows:
        yield Difference("Rows", "seed_data", rows=rows)
    yield from _text("Tools", "tools", _source(old), _source(new))
    yield from _text("Invariants", "invariants", _invariants(old), _invariants(new))
    yield from _tasks(old, new)
    yield from _verifiers(old, new)


def _text(title: str, part: PartName, before: str, after: str, name: str = "") -> Iterator[Difference]:
    if before != after:
        yield Difference(title, part, before, after, name=name)


def _one_tool(name: str, old: Parts, new: Parts) -> Iterator[Difference]:
    before, after = (tool_source(_source(parts), name) if "tools" in parts else "" for parts in (old, new))
    yield from _text(f"Tool {name}, with what it uses", "tools", before, after, name)


def _scenario(parts: Parts) -> str:
    result = parts.get("scenario")
    if not isinstance(result, Scenario):
        return ""
    return "".join(f"{name}: {value}\n" for name, value in result.model_dump(mode="json").items())


def _policy(parts: Parts) -> str:
    result = parts.get("policy")
    return result.text if isinstance(result, Policy) else ""


def _sql(parts: Parts) -> str:
    result = parts.get("schema")
    return result.sql if isinstance(result, Schema) else ""


def _source(parts: Parts) -> str:
    result = parts.get("tools")
    return result.source if isinstance(result, Toolset) else ""


def _invariants(parts: Parts) -> str:
    result = parts.get("invariants")
    return result.source if isinstance(result, Invariants) else ""


def _rows(parts: Parts) -> Mapping[str, Sequence[Row]]:
    result = parts.get("seed_data")
    return result.rows if isinstance(result, SeedData) else {}


def _tasks(old: Parts, new: Parts) -> Iterator[Difference]:
    before, after = _task_texts(old), _task_texts(new)
    for name in dict.fromkeys([*after, *before]):
        yield from _text(f"Task {name}", "tasks", before.get(name, ""), after.get(name, ""), name)


def _verifiers(old: Parts, new: Parts) -> Iterator[Difference]:
    before, after = _verifier_texts(old), _verifier_texts(new)
    for name in dict.fromkeys([*after, *before]):
        yield from _text(f"Verifier of {name}", "verifiers", before.get(name, ""), after.get(name, ""), name)


def _task_texts(parts: Parts) -> dict[str, str]:
    result = parts.get("tasks")
    return {task.id: _task_text(task) for task in result.tasks} if isinstance(result, Tasks) else {}


def _task_text(task: Task) -> str:
    lines = []
    for name, value in task.model_dump(mode="json").items():
        if isinstance(value, list):
            lines += [f"{name}:", *(f"  {json.dumps(each, ensure_ascii=False)}" for each in value)]
        else:
            lines.append(f"{name}: {value}")
    return "\n".join(lines)


def _verifier_texts(parts: Parts) -> dict[str, str]:
    result = parts.get("verifiers")
    return {each.task_id: each.source for each in result.verifiers} if isinstance(result, Verifiers) else {}


def _row_changes(
    before: Mapping[str, Sequence[Row]], after: Mapping[str, Sequence[Row]], schema: Schema | None
) -> Iterator[RowChange]:
    for table in dict.fromkeys([*after, *before]):
        described = schema.table(table) if schema else None
        old, new = (_keyed(rows.get(table, ()), described) for rows in (before, after))
        for key in dict.fromkeys([*new, *old]):
            was, now = old.get(key), new.get(key)
            if was != now:
                kind = "inserted" if was is None else ("deleted" if now is None else "updated")
                yield RowChange.model_validate(
                    {"table": table, "key": key, "kind": kind, "before": was, "after": now}
                )


def _keyed(rows: Sequence[Row], table: Table | None) -> dict[Key, Row]:
    """Rows by primary key; by their place where they have none."""
    names = table.primary_key if table else ()
    results: dict[Key, Row] = {}
    for place, row in enumerate(rows, start=1):
        values = tuple(row.get(name) for name in names)
        whole = bool(values) and None not in values
        results[(values[0] if len(values) == 1 else values) if whole else f"row {place}"] = row
    return results
